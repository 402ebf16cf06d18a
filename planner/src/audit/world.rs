//! A small world for tests: what a plan does to a set, look by look. The audit rides on each.

mod given_once;
mod policy;

use super::audit;
use crate::decision::{Decisions, Judgement, SequenceOutput, Verdicts, judge};
use crate::fixture::{name, reader, stopped_set};
use crate::memory::Memory;
use crate::names::{AttemptId, BootId, ContainerId, NodeName, PodUid, Reader, ReplicaName};
use crate::observation::{
    Answer, Attempt, AttemptState, Command, Container, ContainerState, Fate, Node, Observation, Output, Pod,
    Refusal, Status,
};
use crate::plan::{Plan, Run, Step};
use crate::record::HolderId;
use crate::target::Storage;
use crate::timer::{Age, Timer};
use policy::Policy;
use std::collections::BTreeMap;

/// Virtual seconds from one look to the next.
const ROUND: u64 = 5;

pub(super) struct World {
    pub(super) seen: Observation,
    pub(super) memory: Memory,
    pub(super) apps: BTreeMap<u32, App>,
    pub(super) faults: Faults,
    /// The number of the policy that is wanted: each reads in its own way.
    pub(super) policy: usize,
    rounds: u64,
    since: BTreeMap<Timer, u64>,
    born: BTreeMap<AttemptId, u64>,
    /// What became of each command, as its folder says long after its leader forgot it.
    ran: BTreeMap<AttemptId, Attempt>,
    pub(super) last: Plan,
}

/// The application of one replica, and the data on its volume.
#[derive(Clone, Default)]
pub(super) struct App {
    /// What `status` answers: 0, 7 or 8.
    pub(super) code: i32,
    /// Transactions that it holds.
    pub(super) data: u64,
    /// The line that they are of.
    pub(super) line: u64,
}

/// What goes wrong with the next commands and looks.
#[derive(Clone, Default)]
pub(super) struct Faults {
    /// Members that give no answer.
    pub(super) silent: Vec<u32>,
    /// Commands whose stream is lost; the flag says whether they begin.
    pub(super) lost: Option<bool>,
    /// Starts end with 1 and leave nothing running.
    pub(super) failing: bool,
    /// The lock is not inherited by the application.
    pub(super) not_inherited: bool,
    /// The shell dies after the promise: no step is taken.
    pub(super) crash: bool,
    /// No policy can be asked.
    pub(super) nobody: bool,
}

impl World {
    pub(super) fn new(replicas: u32) -> Self {
        let app = App { code: 7, data: 0, line: 0 };
        Self {
            seen: stopped_set(replicas),
            memory: Memory::default(),
            apps: (0..replicas).map(|ordinal| (ordinal, app.clone())).collect(),
            faults: Faults::default(),
            policy: 0,
            rounds: 0,
            since: BTreeMap::new(),
            born: BTreeMap::new(),
            ran: BTreeMap::new(),
            last: Plan::default(),
        }
    }

    /// The data lives elsewhere than on claims.
    pub(super) fn on(mut self, storage: Storage) -> Self {
        self.seen.target.storage = storage;
        if !self.seen.target.has_claims() {
            self.seen.replicas.values_mut().for_each(|replica| replica.claims.clear());
        }
        self
    }

    /// Looks until nothing is done any more, and returns what was done.
    pub(super) fn settle(&mut self) -> Vec<Step> {
        let mut done = Vec::new();
        let mut quiet = 0;
        for _ in 0..400 {
            let plan = self.round();
            quiet = if plan.steps.is_empty() { quiet + 1 } else { 0 };
            done.extend(plan.steps);
            if quiet > 40 {
                return done;
            }
        }
        panic!("it does not settle; lately {:?}", done.iter().rev().take(6).collect::<Vec<_>>())
    }

    /// One look, its plan, the audit, and what the plan does.
    pub(super) fn round(&mut self) -> Plan {
        let (plan, found) = self.try_round();
        if let Err(found) = found {
            let told: Vec<String> = found.iter().map(ToString::to_string).collect();
            panic!(
                "{told:?}\nsteps {:?}\nholds {:?}\nbefore {:?}\nafter {:?}\nseen {:?}",
                plan.steps, plan.holds, self.memory, plan.memory, self.seen
            );
        }
        self.apply(&plan);
        plan
    }

    pub(super) fn try_round(&mut self) -> (Plan, Result<(), Vec<super::Breach>>) {
        self.look();
        let plan = crate::decide(&self.seen, &self.memory);
        let found = audit(&self.seen, &self.memory, &plan);
        (plan, found)
    }

    /// Another process leads: it knows nothing of the commands of the one before, and has waited for nothing yet.
    pub(super) fn new_leader(&mut self) {
        self.seen.attempts.clear();
        self.seen.fates.clear();
        self.born.clear();
        self.since.clear();
    }

    fn look(&mut self) {
        self.rounds += 1;
        self.seen.nonce = format!("n{}", self.rounds);
        let silent = self.faults.silent.clone();
        for replica in self.seen.replicas.values_mut() {
            let (ordinal, code) =
                (replica.ordinal, self.apps.get(&replica.ordinal).map_or(7, |app| app.code));
            let Some(pod) = &mut replica.pod else { continue };
            let running = pod.container.as_ref().filter(|c| c.state == ContainerState::Running);
            pod.status = match running.and_then(|c| c.id.clone()) {
                None => Status::NotAsked,
                Some(_) if silent.contains(&ordinal) => Status::Silent("no route".into()),
                Some(container) => Status::Answer(Answer {
                    code,
                    container,
                    group: None,
                    progress: None,
                    text: String::new(),
                }),
            };
        }
        let rounds = self.rounds;
        self.born.retain(|_, born| rounds - *born < 6);
        let born = &self.born;
        self.seen.attempts.retain(|id, _| born.contains_key(id));
        self.judge();
    }

    fn judge(&mut self) {
        let policy = Policy { histories: self.seen.target.has_secondary, number: self.policy };
        self.seen.reader =
            (!self.faults.nobody).then(|| Reader(format!("{}{}", reader(), "'".repeat(self.policy))));
        self.seen.verdicts = Verdicts::default();
        if self.faults.nobody {
            self.age();
            self.seen.verdicts.unavailable = Some("it is away".to_owned());
            return;
        }
        self.seen.verdicts.readings = self.readings(&policy);
        self.age();
        let questions = crate::questions(&self.seen, &self.memory);
        let readings = std::mem::take(&mut self.seen.verdicts.readings);
        self.seen.verdicts = Verdicts { readings, ..judge(&policy, &questions) };
    }

    fn readings(&self, policy: &Policy) -> BTreeMap<AttemptId, Judgement> {
        let ended = |attempt: &Attempt| match &attempt.state {
            AttemptState::Ended(output) if attempt.command.is_sequence() => Some(output.clone()),
            _ => None,
        };
        let said = |replica: &ReplicaName, output: &Output| {
            let Output { code, stdout, stderr, truncated } = output;
            policy.sequence(&SequenceOutput { replica, code: *code, stdout, stderr, truncated: *truncated })
        };
        let all = self.seen.attempts.iter();
        all.filter_map(|(id, attempt)| Some((id.clone(), said(&attempt.replica, &ended(attempt)?)))).collect()
    }

    fn age(&mut self) {
        let timers = crate::timers(&self.seen, &self.memory);
        self.since.retain(|timer, _| timers.contains_key(timer));
        self.seen.ages.clear();
        for (timer, ripening) in timers {
            let since = *self.since.entry(timer.clone()).or_insert(self.rounds);
            let held = self.rounds - since;
            let ripe = held * ROUND >= ripening.seconds && held + 1 >= u64::from(ripening.looks);
            self.seen.ages.insert(timer, if ripe { Age::Ripe } else { Age::TooSoon(1) });
        }
    }

    pub(super) fn apply(&mut self, plan: &Plan) {
        self.memory = plan.memory.clone();
        self.last = plan.clone();
        for claim in self.seen.replicas.values_mut().flat_map(|replica| &mut replica.claims) {
            let holder = HolderId::Claims(vec![claim.uid.clone()]);
            claim.record = plan.memory.holders.get(&holder).cloned().or(claim.record.take());
        }
        if std::mem::take(&mut self.faults.crash) {
            return;
        }
        for step in &plan.steps {
            match step {
                Step::Run(run) => self.run(run),
                Step::Revoke { attempt, replica, .. } => {
                    let here = self.seen.replicas[replica].pod.as_ref().and_then(Pod::live_container);
                    let sent = self.seen.attempts.get(attempt).or_else(|| self.ran.get(attempt));
                    let is_before = sent.is_some_and(|sent| Some(&sent.container) != here);
                    let fate = match sent.map(|sent| &sent.state) {
                        Some(AttemptState::Ended(_) | AttemptState::Running) if is_before => Fate::Over,
                        Some(AttemptState::Lost(began)) if is_before && began == "began" => Fate::Over,
                        Some(AttemptState::Ended(output)) => Fate::Ended(output.code),
                        Some(AttemptState::Lost(began)) if began == "began" => Fate::Ended(0),
                        Some(AttemptState::Running) => Fate::Began,
                        _ => Fate::Revoked,
                    };
                    self.seen.fates.insert(attempt.clone(), fate);
                }
                Step::Recycle { replica, .. } => {
                    let ordinal = self.seen.replicas[replica].ordinal;
                    self.end_pod(ordinal, true);
                    self.new_pod(ordinal);
                }
                Step::Resize { to, .. } if self.seen.target.identities.are_numbers() => self.resize(*to),
                Step::Resize { to, released, .. } => self.give_up(*to, released),
                Step::Label { replica, active, role, .. } => {
                    let pod = self.seen.replicas.get_mut(replica).unwrap().pod.as_mut().unwrap();
                    (pod.active, pod.role) = (Some(*active), role.or(pod.role));
                }
                Step::Recreate => {}
            }
        }
    }

    fn run(&mut self, run: &Run) {
        let ordinal = self.seen.replicas[&run.replica].ordinal;
        let primary = self.apps.values().filter(|app| app.code == 8).max_by_key(|app| app.data).cloned();
        let live = primary
            .or_else(|| self.apps.values().filter(|app| app.code == 0).max_by_key(|a| a.data).cloned());
        let fails = self.faults.failing && run.command.is_start();
        let lost = self.faults.lost.filter(|_| run.command.is_start());
        let rounds = self.rounds;
        let app = self.apps.get_mut(&ordinal).unwrap();
        let held = app.code != 7 && !self.faults.not_inherited;
        let state = match () {
            () if run.lock && held => AttemptState::Refused(Refusal::LockBusy),
            () if lost == Some(false) => AttemptState::Lost("no stream".into()),
            () if fails => ended(1, String::new()),
            () => {
                match run.command {
                    Command::Seed => {
                        *app = App { code: 8, data: app.data.max(1), line: app.line.max(rounds) }
                    }
                    Command::Join => *app = App { code: 8, ..live.unwrap_or_default() },
                    Command::Follow if app.code == 0 => {}
                    Command::Follow => *app = App { code: 0, ..live.unwrap_or_default() },
                    Command::Promote => app.code = 8,
                    Command::Demote => app.code = 0,
                    Command::Stop => app.code = 7,
                    Command::Read | Command::Rehearse | Command::Probe => {}
                }
                let line = format!("line:{}", app.data);
                if lost.is_some() { AttemptState::Lost("began".into()) } else { ended(0, line) }
            }
        };
        self.born.insert(run.attempt.clone(), self.rounds);
        let attempt = run.attempt(state);
        self.ran.insert(run.attempt.clone(), attempt.clone());
        self.seen.attempts.insert(run.attempt.clone(), attempt);
    }

    fn end_app(&mut self, ordinal: u32, keeps_data: bool) {
        let old = self.apps.remove(&ordinal).filter(|_| keeps_data).unwrap_or_default();
        self.apps.insert(ordinal, App { code: 7, ..old });
    }

    /// The pod goes; its kubelet reports the container's end, or nobody does.
    pub(super) fn end_pod(&mut self, ordinal: u32, reported: bool) {
        let replica = self.seen.replicas.get_mut(&name(ordinal)).unwrap();
        let container = replica.pod.take().and_then(|pod| pod.container?.id);
        self.seen.terminated.extend(container.filter(|_| reported));
        self.end_app(ordinal, self.seen.target.has_claims());
    }

    pub(super) fn new_pod(&mut self, ordinal: u32) {
        // No two containers have one name, also where one was started anew in this round.
        self.rounds += 1;
        let fresh = stopped_set(ordinal + 1).replicas.remove(&name(ordinal)).unwrap();
        let id = ContainerId(format!("container-{ordinal}-{}", self.rounds));
        let pod = Pod {
            uid: PodUid(format!("pod-{ordinal}-{}", self.rounds)),
            container: Some(Container { id: Some(id), state: ContainerState::Running }),
            revision: self.seen.workload.as_ref().unwrap().revision.clone(),
            active: None,
            role: None,
            ..fresh.pod.clone().unwrap()
        };
        let has_claims = self.seen.target.has_claims();
        let replica = self.seen.replicas.entry(name(ordinal)).or_insert(fresh);
        replica.pod = Some(pod);
        replica.claims.retain(|_| has_claims);
        self.apps.entry(ordinal).or_insert(App { code: 7, data: 0, line: 0 });
        let at = node_of(ordinal);
        let node = stopped_set(ordinal + 1).nodes.remove(&at).unwrap();
        self.seen.nodes.entry(at).or_insert(node);
    }

    fn node(&mut self, ordinal: u32) -> &mut Node {
        self.seen.nodes.get_mut(&node_of(ordinal)).unwrap()
    }

    /// The container is started anew by its kubelet.
    pub(super) fn restart(&mut self, ordinal: u32) {
        self.rounds += 1;
        let replica = self.seen.replicas.get_mut(&name(ordinal)).unwrap();
        let Some(container) = replica.pod.as_mut().and_then(|pod| pod.container.as_mut()) else { return };
        let new = ContainerId(format!("container-{ordinal}-{}", self.rounds));
        self.seen.terminated.extend(container.id.replace(new));
        self.end_app(ordinal, self.seen.target.storage != Storage::Container);
    }

    /// The machine starts anew: its pod stays, with a new container.
    pub(super) fn reboot(&mut self, ordinal: u32) {
        self.restart(ordinal);
        let boot = BootId(format!("boot-{ordinal}-{}", self.rounds));
        self.node(ordinal).boot = boot;
    }

    /// The machine loses its power, and nothing is heard of it.
    pub(super) fn lose(&mut self, ordinal: u32) {
        self.end_app(ordinal, self.seen.target.has_claims());
        self.faults.silent.push(ordinal);
        self.node(ordinal).ready = false;
    }

    /// It is there again.
    pub(super) fn find(&mut self, ordinal: u32) {
        self.faults.silent.retain(|silent| *silent != ordinal);
        self.node(ordinal).ready = true;
        self.reboot(ordinal);
        if self.seen.replicas[&name(ordinal)].pod.as_ref().is_some_and(|pod| pod.terminating) {
            self.end_pod(ordinal, true);
        }
    }

    /// A person writes another template, and whoever makes pods has seen it.
    pub(super) fn change_template(&mut self) {
        self.rounds += 1;
        self.seen.workload.as_mut().unwrap().revision = format!("r{}", self.rounds).as_str().into();
    }

    fn resize(&mut self, to: u32) {
        let from = std::mem::replace(&mut self.seen.workload.as_mut().unwrap().replicas, to);
        for ordinal in to..from {
            self.end_pod(ordinal, true);
        }
        for ordinal in from..to {
            self.new_pod(ordinal);
        }
    }

    pub(super) fn want(&mut self, replicas: u32) {
        self.seen.target.replicas = replicas;
        self.seen.target.primaries = if self.seen.target.has_secondary { replicas.min(1) } else { replicas };
        self.seen.target.generation += 1;
    }

    /// The codes that `status` answers, in the order of the replicas.
    pub(super) fn codes(&self) -> Vec<i32> {
        self.apps.values().map(|app| app.code).collect()
    }
}

/// Each member is on a machine of its own.
fn node_of(ordinal: u32) -> NodeName {
    format!("node-{ordinal}").as_str().into()
}

fn ended(code: i32, stdout: String) -> AttemptState {
    AttemptState::Ended(Output { code, stdout, stderr: String::new(), truncated: false })
}
