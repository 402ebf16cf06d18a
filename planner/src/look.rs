//! A look and a Memory side by side, with the questions that all rules ask of them.

use crate::app_state::AppState;
use crate::measure::Measure;
use crate::memory::Memory;
use crate::names::{AttemptId, ContainerId, NodeName, ReplicaName};
use crate::observation::{Absence, Attempt, AttemptState, Claim, ContainerState, Observation, Pod, Replica};
use crate::places;
use crate::record::{HolderId, Record};
use crate::start::Start;
use crate::target::{Storage, Target};
use crate::timer::{Age, Timer};
use std::collections::BTreeMap;
use std::ops::Range;

/// What the rules look at: the observation, Memory brought up to date with it, and each
/// member's state.
#[derive(Clone, Debug)]
pub(crate) struct Look<'a> {
    pub(crate) seen: &'a Observation,
    pub(crate) memory: Memory,
    pub(crate) states: BTreeMap<ReplicaName, AppState>,
    /// The data that each replica has now.
    pub(crate) holders: BTreeMap<ReplicaName, HolderId>,
    /// Which of the places each member has: those beyond the wanted size are to leave.
    pub(crate) places: BTreeMap<ReplicaName, u32>,
    /// The epoch that the status named; a claim may name a newer one.
    pub(crate) told: u64,
    /// The set was paused until now: what was read before may be outdated.
    pub(crate) was_paused: bool,
    /// From whom a person lets the set go on, in this look and on its facts alone.
    pub(crate) approved: Option<ReplicaName>,
}

/// The identity of the data that a replica has now.
#[must_use]
pub fn holder_of(replica: &Replica, target: &Target) -> Option<HolderId> {
    let pod = replica.pod.as_ref();
    match target.storage {
        Storage::Claims { .. } => {
            let uids: Vec<_> = replica.claims.iter().map(|claim: &Claim| claim.uid.clone()).collect();
            (!uids.is_empty()).then_some(HolderId::Claims(uids))
        }
        Storage::Pod => pod.map(|pod| HolderId::Pod(pod.uid.clone())),
        Storage::Container => pod.and_then(Pod::container_id).map(|id| HolderId::Container(id.clone())),
    }
}

impl Pod {
    /// The run of the first container, if there was one.
    #[must_use]
    pub fn container_id(&self) -> Option<&ContainerId> {
        self.container.as_ref().and_then(|container| container.id.as_ref())
    }

    /// The run of the first container, while its process runs and the pod is to stay.
    #[must_use]
    pub fn live_container(&self) -> Option<&ContainerId> {
        let runs = |container: &&crate::observation::Container| container.state == ContainerState::Running;
        let stays = !self.terminating && !self.finished;
        self.container.as_ref().filter(runs).and_then(|c| c.id.as_ref()).filter(|_| stays)
    }
}

impl<'a> Look<'a> {
    pub(crate) fn new(seen: &'a Observation, memory: Memory) -> Self {
        let state = |replica: &Replica| AppState::of_replica(replica, &seen.target);
        let states = seen.replicas.iter().map(|(name, replica)| (name.clone(), state(replica))).collect();
        let holder =
            |(name, replica): (&ReplicaName, _)| Some((name.clone(), holder_of(replica, &seen.target)?));
        let holders = seen.replicas.iter().filter_map(holder).collect();
        let told = memory.epoch.number;
        let places = BTreeMap::new();
        let mut look =
            Self { seen, memory, states, holders, places, told, was_paused: false, approved: None };
        look.places = places::places(&look);
        look
    }

    pub(crate) fn target(&self) -> &'a Target {
        &self.seen.target
    }

    /// By what a position is measured that is read now.
    pub(crate) fn measure(&self) -> Measure {
        Measure { outage: self.memory.outages, reader: self.seen.reader.clone() }
    }

    /// The number of the newest epoch.
    pub(crate) fn epoch(&self) -> u64 {
        self.memory.epoch.number
    }

    pub(crate) fn state(&self, name: &ReplicaName) -> &AppState {
        static NO_POD: AppState = AppState::Down(String::new());
        self.states.get(name).unwrap_or(&NO_POD)
    }

    pub(crate) fn pod(&self, name: &ReplicaName) -> Option<&'a Pod> {
        self.seen.replicas.get(name).and_then(|replica| replica.pod.as_ref())
    }

    /// Why a member does not run, where the cluster says so.
    pub(crate) fn absence(&self, name: &ReplicaName) -> Option<&'a Absence> {
        let absence = self.seen.replicas.get(name).and_then(|replica| replica.absence.as_ref());
        absence.filter(|_| matches!(self.state(name), AppState::Down(_)))
    }

    /// Its place: a number of its StatefulSet, or by what it does and holds.
    pub(crate) fn place(&self, name: &ReplicaName) -> u32 {
        self.places.get(name).copied().unwrap_or(u32::MAX)
    }

    /// Clients are led to it.
    pub(crate) fn is_labelled(&self, name: &ReplicaName) -> bool {
        self.pod(name).is_some_and(|pod| pod.active == Some(true))
    }

    /// The members in these places.
    pub(crate) fn in_places(&self, places: Range<u32>) -> impl Iterator<Item = &'a ReplicaName> {
        self.seen.replicas.keys().filter(move |name| places.contains(&self.place(name)))
    }

    /// Who leaves can be had again under its number, as long as its claims are there. A name that is given up is nobody's any
    /// more.
    pub(crate) fn is_numbered(&self) -> bool {
        self.target().identities.are_numbers()
    }

    /// The identity of the data that a replica has now.
    pub(crate) fn holder(&self, name: &ReplicaName) -> Option<&HolderId> {
        self.holders.get(name)
    }

    /// The record of the data that a replica has now.
    pub(crate) fn record(&self, name: &ReplicaName) -> Option<&Record> {
        self.memory.holders.get(self.holder(name)?)
    }

    /// The replica at which this data is now.
    pub(crate) fn home(&self, holder: &HolderId) -> Option<&'a ReplicaName> {
        self.seen.replicas.keys().find(|name| self.holder(name) == Some(holder))
    }

    /// Members that answer Primary or Secondary, by name.
    pub(crate) fn running(&self) -> impl Iterator<Item = &'a ReplicaName> {
        self.seen.replicas.keys().filter(|name| self.state(name).is_running())
    }

    /// Members that answer Primary and were confirmed in the newest epoch.
    pub(crate) fn live_primaries(&self) -> impl Iterator<Item = &'a ReplicaName> {
        self.running().filter(|name| *self.state(name) == AppState::Primary && self.is_confirmed(name))
    }

    /// Its data was confirmed in the newest epoch.
    pub(crate) fn is_confirmed(&self, name: &ReplicaName) -> bool {
        self.record(name).is_some_and(|record| record.confirmed == self.epoch() && !record.joining)
    }

    /// Nobody runs, and nobody may: every member said so or its kubelet did.
    pub(crate) fn is_dark(&self) -> bool {
        self.states.values().all(|state| !state.is_running() && !matches!(state, AppState::Unknown(_)))
    }

    /// Nobody has compared yet what pods are made from with what is wanted: who begins to look after a set, or sees another
    /// resource, does so in its first look.
    pub(crate) fn awaits_template(&self) -> bool {
        self.seen.workload.as_ref().is_some_and(|workload| workload.current.is_none())
    }

    /// Ripe, by the leader's clock.
    pub(crate) fn is_ripe(&self, timer: &Timer) -> bool {
        self.seen.ages.get(timer) == Some(&Age::Ripe)
    }

    /// The guarded command that runs in this container now.
    pub(crate) fn under_way(&self, container: &ContainerId) -> Option<(&'a AttemptId, &'a Attempt)> {
        let here =
            |attempt: &Attempt| attempt.container == *container && attempt.state == AttemptState::Running;
        self.seen.attempts.iter().find(|(id, attempt)| here(attempt) && !self.is_settled(id, attempt))
    }

    /// A start that no longer counts as under way: its member is confirmed, or it is past its deadline.
    fn is_settled(&self, id: &AttemptId, attempt: &Attempt) -> bool {
        let confirmed = |start: &Start| start.attempt == *id && start.confirmed;
        let is_confirmed = self.memory.holders.values().flat_map(|record| &record.open).any(confirmed);
        attempt.command.is_start() && (is_confirmed || self.is_ripe(&Timer::Deadline(id.clone())))
    }

    /// It was told to lead or to follow, does not answer so yet, and may for as long as the command has time.
    pub(crate) fn is_turning(&self, name: &ReplicaName) -> bool {
        let turns = |start: &Start| {
            start.turns() && !start.confirmed && self.is_here(start, name) && !start.is_late(self.seen)
        };
        self.record(name).is_some_and(|record| record.open.iter().any(turns))
    }

    /// Whether the volume lock is to be taken by commands in this container.
    pub(crate) fn takes_lock(&self, container: &ContainerId) -> bool {
        self.target().has_lock() && !self.memory.lockless.contains(container)
    }

    /// Whether the start was sent to the container that the replica has now.
    pub(crate) fn is_here(&self, start: &Start, name: &ReplicaName) -> bool {
        self.pod(name).and_then(Pod::live_container) == Some(&start.container)
    }

    /// Whether every open start of a running member is one that it runs by: none may yet begin elsewhere.
    pub(crate) fn runs_by_its_own(&self, name: &ReplicaName) -> bool {
        self.record(name).is_some_and(|record| record.open.iter().all(|start| self.is_here(start, name)))
    }

    /// Whether the pod of a start is still known to the API, under whatever replica.
    pub(crate) fn pod_is_there(&self, start: &Start) -> bool {
        self.seen.replicas.values().filter_map(|replica| replica.pod.as_ref()).any(|pod| pod.uid == start.pod)
    }

    /// Whether the container of a start runs, as far as its pod tells, which may be told to end.
    pub(crate) fn container_lives(&self, start: &Start) -> bool {
        let pods = self.seen.replicas.values().filter_map(|replica| replica.pod.as_ref());
        let mut running =
            pods.filter_map(|pod| pod.container.as_ref().filter(|c| c.state == ContainerState::Running));
        running.any(|container| container.id.as_ref() == Some(&start.container))
    }

    /// Whether a pod is on the node and boot of a start, so that its lock tells of the start's process.
    pub(crate) fn shares_kernel(&self, start: &Start, pod: &Pod) -> bool {
        let boot = |name: &NodeName| self.seen.nodes.get(name).map(|node| &node.boot);
        pod.node.as_ref().is_some_and(|name| boot(name).is_some_and(|boot| start.was_in(name, boot)))
    }
}

#[cfg(test)]
mod tests;
