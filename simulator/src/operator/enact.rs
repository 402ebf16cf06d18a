//! Effects, one at a time. A write that is denied ends the round: look again.

use super::{Action, Operator};
use crate::oracle;
use crate::world::World;
use crate::world::api::Denied;
use planner::Step;
use planner::names::{PodUid, ReplicaName};
use planner::observation::{AttemptState, Command};
use planner::plan::{Cause, Run};
use planner::target::Timeouts;

/// How long a question for a fate may take, in milliseconds.
const FATE: u64 = 10_000;

impl Operator {
    pub(super) fn carry_out(&mut self, world: &mut World, action: Action) {
        match action {
            Action::Record { ordinal, record, version } => {
                let uid = self
                    .view
                    .as_ref()
                    .and_then(|view| view.claims.get(&ordinal))
                    .map(|c| c.shown.uid.clone());
                let Some(uid) = uid else { return };
                let written = world.write_record(&uid, *record, version);
                self.unless_denied(world, written);
            }
            Action::Memory { memory, version } => {
                let written = world.write_memory(*memory, version);
                self.unless_denied(world, written);
            }
            Action::Forget(seen) => self.book.forget(&seen, world.now),
            Action::Children(template) => world.apply_children(&template),
            Action::Enact(step) => self.step(world, &step),
        }
    }

    /// A view that is older than an own write is never looked at again.
    fn unless_denied(&mut self, world: &mut World, written: Result<u64, Denied>) {
        if let Err(why) = written {
            let number = self.number;
            world.say(|| format!("operator {number} may not write: {why:?}"));
            self.queue.clear();
            self.view = None;
        }
    }

    fn step(&mut self, world: &mut World, step: &Step) {
        match step {
            Step::Run(run) => self.run(world, run),
            Step::Revoke { replica, attempt, if_pod } => {
                if self.book.asks(attempt) {
                    let sender = (self.number, self.life);
                    world.ask_fate(sender, replica, if_pod, attempt, FATE);
                }
            }
            Step::Recycle { replica, if_pod, grace_seconds, cause } => {
                self.may_end(world, replica, if_pod, *cause);
                world.delete_pod(if_pod, *grace_seconds);
            }
            Step::Resize { to, if_from, .. } => {
                let seen = self.view.as_ref().and_then(|view| view.workload.as_ref());
                if let Some(workload) = seen.filter(|workload| workload.replicas == *if_from) {
                    world.resize(*to, workload.version);
                }
            }
            Step::Label { replica, if_pod, active, role } => world.label(replica, if_pod, *active, *role),
            Step::Recreate => {}
        }
    }

    fn may_end(&self, world: &mut World, replica: &ReplicaName, pod: &PodUid, cause: Cause) {
        let wanted = self.view.as_ref().map_or(0, |view| view.resource.target.replicas);
        let (looked, served) = (self.looked, self.served.as_slice());
        let ending = oracle::Ending { pod, cause: Some(cause), looked, served, wanted };
        if let Err(what) = oracle::may_end(world, ending) {
            world.breach(format!("{replica}: {what}"));
        }
    }

    fn run(&mut self, world: &mut World, run: &Run) {
        if run.command == Command::Stop {
            self.may_end(world, &run.replica, &run.if_pod, run.cause);
        }
        self.book.attempts.insert(run.attempt.clone(), run.attempt(AttemptState::Running));
        let seconds = timeout(&world.resource.target.timeouts, run.command);
        world.run((self.number, self.life), run, self.looked, seconds * 1000);
    }
}

fn timeout(timeouts: &Timeouts, command: Command) -> u64 {
    match command {
        Command::Read | Command::Rehearse => timeouts.sequence,
        Command::Seed => timeouts.seed,
        Command::Join | Command::Promote => timeouts.primary,
        Command::Follow | Command::Demote => timeouts.secondary,
        Command::Stop => timeouts.stop,
        Command::Probe => 30,
    }
}
