//! What the cluster does without an operator: pods and containers come back, and those that are to go do.

use super::commands::Flight;
use super::member::{Mark, Pod};
use super::names::Serial;
use super::{Rules, State};
use crate::world::outlive;
use planner::names::{AttemptId, ContainerId, PodUid};
use planner::observation::{AttemptState, Fate};
use std::collections::{BTreeMap, BTreeSet};

impl Pod {
    pub(crate) fn new(serial: &mut Serial) -> Self {
        Self {
            uid: PodUid(serial.name("pod")),
            container: Some(ContainerId(serial.name("container"))),
            ended: None,
            terminating: false,
            active: None,
            role: None,
            folder: BTreeMap::new(),
        }
    }
}

impl State {
    /// A pod where there is none, or a container where its pod has none.
    pub(crate) fn bring_up(&mut self, at: usize) {
        let serial = &mut self.serial;
        match self.members[at].pod.as_mut() {
            None => self.members[at].pod = Some(Pod::new(serial)),
            Some(pod) => {
                pod.container = Some(ContainerId(serial.name("container")));
                pod.ended = None;
                outlive(&mut pod.folder);
                // Of what was heard to have begun there is something new to hear.
                let begun = |attempt: &AttemptId, fate: &Fate| {
                    *fate == Fate::Began && pod.folder.contains_key(attempt)
                };
                self.life.fates.retain(|attempt, fate| !begun(attempt, fate));
            }
        }
    }

    pub(crate) fn may_bring_up(&self, at: usize) -> bool {
        self.members[at].pod.as_ref().is_none_or(|pod| pod.container.is_none() && !pod.terminating)
    }

    /// A container ends with everything in it. `told`: its kubelet reports that.
    pub(crate) fn end_container(&mut self, at: usize, told: bool) {
        let member = &mut self.members[at];
        member.process = None;
        let Some(container) = member.pod.as_mut().and_then(|pod| pod.container.take()) else { return };
        if told {
            self.life.terminated.insert(container.clone());
            member.pod.as_mut().into_iter().for_each(|pod| pod.ended = Some(container.clone()));
        }
        while let Some(flight) =
            self.flights.iter().position(|flight| flight.begun.as_ref() == Some(&container))
        {
            self.answer(flight, AttemptState::Lost("the stream broke".to_owned()));
        }
    }

    /// A pod that is deleted is gone.
    pub(crate) fn end_pod(&mut self, at: usize) {
        self.end_container(at, true);
        self.members[at].pod = None;
    }

    /// A pod is gone at once, and what runs in it is not.
    pub(crate) fn delete_by_force(&mut self, at: usize) {
        let process = self.members[at].process.take();
        self.end_container(at, false);
        self.members[at].pod = None;
        self.members[at].orphan = self.members[at].orphan.take().or(process);
    }

    /// What can change nothing any more is not kept: it would tell states apart that are the same.
    pub(crate) fn tidy(&mut self, rules: &Rules) {
        self.forget_frozen(rules.guarded);
        let pods: Vec<PodUid> =
            self.members.iter().filter_map(|m| m.pod.as_ref().map(|pod| pod.uid.clone())).collect();
        let revoked = |state: &Self, at: usize, attempt: &AttemptId| {
            let pod = state.members[at].pod.as_ref();
            pod.and_then(|pod| pod.folder.get(attempt)).is_some()
        };
        let dead: Vec<bool> = self
            .flights
            .iter()
            .map(|flight| {
                let lost = !pods.contains(&flight.pod)
                    || rules.guarded
                        && flight.leaves_a_mark()
                        && revoked(self, flight.member, &flight.attempt);
                !flight.heard && flight.begun.is_none() && lost
            })
            .collect();
        let mut dead = dead.into_iter();
        self.flights.retain(|_| !dead.next().unwrap_or(false));
        self.forget_questions();
        // Which was sent first makes no difference: they arrive in any order.
        self.flights.sort_by_key(Flight::place);
        if self.members.iter().any(|m| m.pod.as_ref().is_some_and(|pod| !pod.folder.is_empty())) {
            let live = self.live_attempts();
            for pod in self.members.iter_mut().filter_map(|member| member.pod.as_mut()) {
                pod.folder.retain(|attempt, _: &mut Mark| live.contains(attempt));
            }
        }
    }

    /// Attempts that somebody may still ask about, or that may still arrive.
    fn live_attempts(&self) -> BTreeSet<AttemptId> {
        use super::enact::Effect;
        let mut live: BTreeSet<AttemptId> =
            self.flights.iter().map(|flight| flight.attempt.clone()).collect();
        let status = self.status.iter().flat_map(|memory| memory.holders.values());
        let claims = self.members.iter().filter_map(|member| member.record.as_deref());
        live.extend(status.chain(claims).flat_map(|record| &record.open).map(|start| start.attempt.clone()));
        for effect in self.life.queue.iter().chain(&self.frozen) {
            match effect {
                Effect::Record { record, .. } => {
                    live.extend(record.open.iter().map(|start| start.attempt.clone()));
                }
                Effect::Memory { memory, .. } => {
                    let open = memory.holders.values().flat_map(|record| &record.open);
                    live.extend(open.map(|start| start.attempt.clone()));
                }
                Effect::Step(step) => match &**step {
                    planner::Step::Run(run) => _ = live.insert(run.attempt.clone()),
                    planner::Step::Revoke { attempt, .. } => _ = live.insert(attempt.clone()),
                    _ => {}
                },
                Effect::Forget(_) => {}
            }
        }
        live
    }
}
