//! An operator between two looks: effects, one at a time.

use super::commands::{Ask, Flight};
use super::member::{Member, Pod};
use super::names::Kept;
use super::{Rules, State, law};
use crate::world::api::ordinal;
use planner::names::{AttemptId, ClaimUid, PodUid, ReplicaName};
use planner::observation::{AttemptState, Command, Fate};
use planner::{Memory, Record, Step};
use std::collections::BTreeSet;

/// One effect that is due.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    Record {
        at: usize,
        claim: ClaimUid,
        record: Kept<Record>,
        version: String,
    },
    Memory {
        memory: Kept<Memory>,
        version: String,
    },
    /// What stands in Memory by now is not told again.
    Forget(BTreeSet<AttemptId>),
    Step(Kept<Step>),
}

impl Effect {
    /// In few words.
    pub(crate) fn told(&self) -> String {
        match self {
            Self::Record { at, .. } => format!("the record of x-{at} is written"),
            Self::Memory { .. } => "the status is written".to_owned(),
            Self::Forget(_) => "nothing".to_owned(),
            Self::Step(step) => format!("{step:?}"),
        }
    }
}

impl State {
    /// The next effect of this operator.
    pub(crate) fn enact(&mut self, rules: &Rules) {
        let effect = self.life.queue.remove(0);
        let goes_on = self.carry_out(&effect, true);
        self.go_on(goes_on || !rules.heeds);
    }

    /// A write that is denied ends the round: it looks again.
    pub(super) fn go_on(&mut self, goes_on: bool) {
        if goes_on {
            self.forget();
        } else {
            self.life.queue.clear();
        }
        if self.life.queue.is_empty() {
            self.life.stale = false;
            self.life.served.clear();
        }
    }

    /// The next effect of a leader that froze with it in mind.
    pub(crate) fn wake(&mut self) {
        let effect = self.frozen.remove(0);
        if !self.carry_out(&effect, false) {
            self.frozen.clear();
        }
    }

    /// No effect that anybody could tell goes by itself.
    pub(crate) fn forget(&mut self) {
        while let Some(Effect::Forget(known)) = self.life.queue.first() {
            let known = known.clone();
            self.life
                .attempts
                .retain(|id, attempt| attempt.state == AttemptState::Running || !known.contains(id));
            self.life.fates.retain(|id, fate| *fate == Fate::Began || !known.contains(id));
            self.life.queue.remove(0);
        }
    }

    /// False if it was denied. `own`: of the operator that acts now, not of a frozen one.
    pub(super) fn carry_out(&mut self, effect: &Effect, own: bool) -> bool {
        match effect {
            Effect::Record { at, claim, record, version } => {
                let member = &mut self.members[*at];
                if member.claim != *claim || member.version != *version {
                    return false;
                }
                member.record = Some(record.clone());
                member.version = self.serial.name("version");
            }
            Effect::Memory { memory, version } => {
                if self.version != *version {
                    return false;
                }
                self.status = Some(memory.clone());
                self.version = self.serial.name("version");
            }
            Effect::Forget(_) => {}
            Effect::Step(step) => self.step(step, own),
        }
        true
    }

    fn step(&mut self, step: &Step, own: bool) {
        match step {
            Step::Run(run) => {
                if run.command == Command::Stop {
                    law::may_end(self, &run.if_pod, run.cause);
                }
                if own {
                    self.life.attempts.insert(run.attempt.clone(), run.attempt(AttemptState::Running));
                }
                let (replica, pod) = (&run.replica, run.if_pod.clone());
                let ask = Ask::Run(Kept::new(run.clone()));
                self.send(replica, pod, run.attempt.clone(), ask, own);
            }
            Step::Revoke { replica, attempt, if_pod } => {
                if own {
                    self.life.asking.insert(attempt.clone());
                }
                self.send(replica, if_pod.clone(), attempt.clone(), Ask::Fate, own);
            }
            Step::Recycle { if_pod, cause, .. } => {
                law::may_end(self, if_pod, *cause);
                self.pod_of(if_pod, |pod| pod.terminating = true);
            }
            Step::Label { if_pod, active, role, .. } => {
                self.pod_of(if_pod, |pod| {
                    pod.active = Some(*active);
                    pod.role = role.or(pod.role);
                });
                self.members.iter_mut().for_each(Member::lead_clients);
            }
            Step::Resize { .. } | Step::Recreate => {}
        }
    }

    fn send(&mut self, replica: &ReplicaName, pod: PodUid, attempt: AttemptId, ask: Ask, heard: bool) {
        let member = ordinal(replica) as usize;
        let flight = Flight { attempt, member, pod, ask, heard, begun: None };
        if heard || flight.leaves_a_mark() {
            self.flights.push(flight);
        }
    }

    fn pod_of(&mut self, uid: &PodUid, change: impl FnOnce(&mut Pod)) {
        let mut pods = self.members.iter_mut().filter_map(|member| member.pod.as_mut());
        if let Some(pod) = pods.find(|pod| pod.uid == *uid) {
            change(pod);
        }
    }
}
