//! What the API server shows, and what it lets be changed.

use super::Cluster;
use planner::names::{ContainerId, NodeName, PodUid, ReplicaName, Revision};
use planner::observation::{Claim, Node, Pod, Role};
use planner::{Memory, Record};
use std::collections::BTreeMap;

/// The StatefulSet as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scale {
    /// `spec.replicas`.
    pub replicas: u32,
    /// Of its template.
    pub revision: Revision,
}

impl Cluster {
    /// The pods by their numbers. Their labels are the API server's: the world only follows them.
    #[must_use]
    pub fn pods(&self) -> BTreeMap<u32, Pod> {
        self.world.pods.iter().map(|(ordinal, pod)| (*ordinal, pod.shown.clone())).collect()
    }

    /// The claims by their numbers.
    #[must_use]
    pub fn claims(&self) -> BTreeMap<u32, Claim> {
        self.world.claims.iter().map(|(ordinal, claim)| (*ordinal, claim.shown.clone())).collect()
    }

    /// The nodes by name.
    #[must_use]
    pub fn nodes(&self) -> BTreeMap<NodeName, Node> {
        self.world.machines.iter().map(|machine| (machine.name.clone(), machine.shown())).collect()
    }

    /// The StatefulSet, if there is one.
    #[must_use]
    pub fn workload(&self) -> Option<Scale> {
        let workload = self.world.workload.as_ref()?;
        Some(Scale { replicas: workload.replicas, revision: workload.revision.clone() })
    }

    /// Whether a kubelet reported that this container ended.
    #[must_use]
    pub fn has_reported(&self, container: &ContainerId) -> bool {
        self.world.reports.contains(container)
    }

    /// The StatefulSet is made, or gets this template.
    pub fn apply_workload(&mut self, revision: &Revision) {
        self.world.apply_children(revision);
    }

    /// The StatefulSet is scaled.
    pub fn resize(&mut self, to: u32) {
        if let Some(version) = self.world.workload.as_ref().map(|workload| workload.version) {
            self.world.resize(to, version);
        }
    }

    /// Labels are written to a pod.
    pub fn label(&mut self, pod: &ReplicaName, uid: &PodUid, active: bool, role: Option<Role>) {
        self.world.label(pod, uid, active, role);
    }

    /// A pod is deleted with a grace period, in seconds; none = its own.
    pub fn delete_pod(&mut self, uid: &PodUid, grace: Option<u64>) {
        self.world.delete_pod(uid, grace);
    }

    /// The status holds this of what was promised.
    pub fn keep_memory(&mut self, memory: Option<Memory>) {
        self.world.restore_memory(memory);
    }

    /// A claim holds this of what was promised.
    pub fn keep_record(&mut self, ordinal: u32, record: Option<Record>) {
        self.world.restore_record(ordinal, record);
    }

    /// The resource asks for this size, and so many primaries.
    pub fn want(&mut self, replicas: u32, primaries: u32) {
        self.world.spec(|target| (target.replicas, target.primaries) = (replicas, primaries));
    }
}
