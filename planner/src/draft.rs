//! A plan in the making: steps are promised as they are added, so that no rule can forget to.

mod consent;

use crate::guarding;
use crate::hold::{Hold, Reason, Scope};
use crate::key::{Key, KeyKind};
use crate::look::Look;
use crate::names::{AttemptId, ReplicaName};
use crate::observation::{Command, Pod};
use crate::plan::{Cause, News, Plan, Run, Step};
use crate::planned::ends_only_primary;
use crate::rules::alone::{holds_alone, keep};
use crate::rules::close::is_asked_later;
use crate::start::{Lock, Start, StartKind, origin};

/// Whether the rules that follow are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Go on with the next rule.
    On,
    /// What was said so far is all.
    Enough,
}

/// A plan in the making.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) look: &'a Look<'a>,
    pub(crate) plan: Plan,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(look: &'a Look<'a>, news: Vec<News>) -> Self {
        Self { look, plan: Plan { memory: look.memory.clone(), news, ..Plan::default() } }
    }

    /// Says why the set waits.
    pub(crate) fn hold(&mut self, reason: Reason, keys: &[(KeyKind, String)]) {
        self.push_hold(Scope::Set, reason, keys);
    }

    /// Says why a replica waits.
    pub(crate) fn hold_replica(&mut self, name: &ReplicaName, reason: Reason, keys: &[(KeyKind, String)]) {
        self.push_hold(Scope::Replica(name.clone()), reason, keys);
    }

    /// What several rules say of the same replica, or of the set, in the same words is one hold, with the keys of all.
    fn push_hold(&mut self, scope: Scope, reason: Reason, keys: &[(KeyKind, String)]) {
        let look = self.look;
        let key =
            |(kind, subject): &(KeyKind, String)| Key::bound(*kind, subject.clone(), look.seen, &look.memory);
        let keys = keys.iter().map(key);
        let said = self.plan.holds.iter_mut().find(|hold| hold.scope == scope && hold.reason == reason);
        let Some(said) = said else {
            return self.plan.holds.push(Hold { scope, reason, keys: keys.collect(), cause: None });
        };
        for key in keys {
            if !said.keys.contains(&key) {
                said.keys.push(key);
            }
        }
    }

    pub(crate) fn has_step(&self, name: &ReplicaName) -> bool {
        self.plan.steps.iter().any(|step| step.replica() == Some(name))
    }

    /// Adds a step that goes beside those of other replicas.
    pub(crate) fn step(&mut self, step: Step) {
        if step.replica().is_none_or(|name| !self.has_step(name)) {
            self.plan.steps.push(step);
        }
    }

    /// Adds a step that goes alone; where others were said before, it waits for a later round.
    pub(crate) fn alone(&mut self, step: Step) -> Flow {
        if self.plan.steps.is_empty() {
            self.plan.steps.push(step);
        }
        Flow::Enough
    }

    /// Replaces a pod, alone in its round: another one of its name mounts its claims.
    pub(crate) fn replace(
        &mut self,
        name: &ReplicaName,
        pod: &Pod,
        grace_seconds: Option<u64>,
        cause: Cause,
    ) -> Flow {
        if holds_alone(self.look, name, cause) {
            keep(self, name, cause);
            return Flow::On;
        }
        if self.plan.steps.is_empty() {
            self.note_planned_stop(name, cause);
        }
        self.alone(Step::Recycle { replica: name.clone(), if_pod: pod.uid.clone(), grace_seconds, cause })
    }

    /// What follows the stop of the only primary for a change is no recovery, if nothing is started on its data before.
    fn note_planned_stop(&mut self, name: &ReplicaName, cause: Cause) {
        let look = self.look;
        let holder = look.holder(name).filter(|_| ends_only_primary(look, name, cause));
        if let Some(record) = holder.and_then(|holder| self.plan.memory.holders.get_mut(holder)) {
            record.planned_stop = Some(record.starts);
        }
    }

    /// Runs a guarded command at a replica, if its container is free for one.
    pub(crate) fn run(&mut self, name: &ReplicaName, command: Command, cause: Cause) {
        if let Some(run) = self.prepare(name, command, cause) {
            if run.command.is_start() {
                self.promise(&run, None);
            }
            if command == Command::Stop {
                self.note_planned_stop(name, cause);
            }
            self.step(Step::Run(run));
        }
    }

    /// Runs `secondary` with the address of this primary before those of the others.
    pub(crate) fn follow(&mut self, name: &ReplicaName, leader: Option<&ReplicaName>, cause: Cause) {
        if let Some(mut run) = self.prepare(name, Command::Follow, cause) {
            run.peers.sort_by_key(|peer| Some(peer) != leader);
            self.promise(&run, leader);
            self.step(Step::Run(run));
        }
    }

    /// Runs a command alone in its round.
    pub(crate) fn run_alone(&mut self, name: &ReplicaName, command: Command, cause: Cause) -> Flow {
        if self.plan.steps.is_empty() {
            self.run(name, command, cause);
        }
        Flow::Enough
    }

    fn prepare(&mut self, name: &ReplicaName, command: Command, cause: Cause) -> Option<Run> {
        let look = self.look;
        let pod = look.pod(name)?;
        if self.has_step(name) {
            return None;
        }
        if let Some(obstacle) = guarding::obstacle(look, name) {
            self.hold_replica(name, obstacle, &[]);
            return None;
        }
        // An output that nobody judges is no reading: it would be asked for in every round.
        if let Some(why) = look.seen.verdicts.unavailable.as_ref().filter(|_| command == Command::Read) {
            self.hold_replica(name, Reason::PolicyUnavailable(why.clone()), &[]);
            return None;
        }
        // What is read before all are heard after a pause is read anew.
        if command == Command::Read && look.memory.paused {
            return None;
        }
        let container = pod.live_container()?;
        if command == Command::Read && is_asked_later(look, name, container) {
            return None;
        }
        if let Some((_, attempt)) = look.under_way(container) {
            self.hold_replica(name, Reason::UnderWay(name.clone(), attempt.command), &[]);
            return None;
        }
        if command == Command::Follow && look.is_turning(name) {
            return None;
        }
        let is_stopped = !look.state(name).is_running();
        let begins = is_stopped && matches!(command, Command::Seed | Command::Join | Command::Follow);
        // It may have been stopped for another template: it would be started in the old one, and be stopped again.
        if begins && look.awaits_template() {
            return None;
        }
        let needs_lock = command == Command::Probe || begins || (is_stopped && command == Command::Read);
        let opens = matches!(command, Command::Seed)
            || (command == Command::Promote && look.live_primaries().next().is_none());
        if opens && consent::is_missing(self, name, command) {
            return None;
        }
        Some(Run {
            replica: name.clone(),
            command,
            attempt: AttemptId(format!("{}-{}", look.seen.nonce, self.plan.steps.len())),
            if_pod: pod.uid.clone(),
            if_container: container.clone(),
            lock: needs_lock && look.takes_lock(container),
            starts: look.record(name)?.starts + u64::from(command.is_start()),
            at_rest: is_stopped,
            epoch: look.epoch() + u64::from(opens),
            peers: look.live_primaries().filter(|peer| *peer != name).cloned().collect(),
            cause,
        })
    }

    /// A start is written down before it is sent.
    fn promise(&mut self, run: &Run, leader: Option<&ReplicaName>) {
        let look = self.look;
        let Some(pod) = look.pod(&run.replica) else { return };
        let Some(node) = pod.node.clone() else { return };
        let Some(boot) = look.seen.nodes.get(&node).map(|node| node.boot.clone()) else { return };
        let Some(holder) = look.holder(&run.replica) else { return };
        let is_running = look.state(&run.replica).is_running();
        let Some(record) = self.plan.memory.holders.get_mut(holder) else { return };
        let opens = run.epoch > look.epoch();
        let running = record.running.as_ref().filter(|_| opens);
        let (from, measure) = origin(if is_running { running } else { record.standing() }, look.measure());
        for start in record.open.iter_mut().filter(|start| start.container == run.if_container) {
            start.lock = Lock::Unasked;
        }
        // What it said while it ran was of data before this start.
        self.plan.memory.rehearsals.retain(|_, said| said.holder != *holder);
        let joining_before = record.joining;
        record.starts += 1;
        record.leader = leader.cloned();
        record.joining |= !is_running && matches!(run.command, Command::Join | Command::Follow);
        record.open.push(Start {
            attempt: run.attempt.clone(),
            kind: kind(run.command),
            pod: run.if_pod.clone(),
            container: run.if_container.clone(),
            node,
            boot,
            lock: Lock::Unasked,
            confirmed: false,
            began: false,
            ended: false,
            said: String::new(),
            joining_before,
            opens,
            from,
            measure,
        });
    }
}

fn kind(command: Command) -> StartKind {
    match command {
        Command::Seed => StartKind::Seed,
        Command::Follow => StartKind::Follow,
        Command::Promote => StartKind::Promote,
        Command::Demote => StartKind::Demote,
        Command::Join | Command::Read | Command::Rehearse | Command::Stop | Command::Probe => StartKind::Join,
    }
}

#[cfg(test)]
mod tests;
