//! What the API server shows, and what it lets be changed.

use super::Cluster;
use crate::oracle;
use planner::names::{ContainerId, NodeName, PodUid, ReplicaName, Revision};
use planner::observation::{Claim, Node, Pod, Role};
use planner::{Memory, Record};
use std::collections::BTreeMap;

/// No look is older than this when the last that it asks for is asked for, in milliseconds.
pub(super) const LOOK: u64 = 30_000;

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

    /// An operator asks for a pod to be deleted: never for that of the last member that serves. Why it does is not told, and
    /// nothing that it may delete a pod for is right for that one: whoever is to go is stopped first.
    pub fn hear_of_deletion(&mut self, uid: &PodUid) {
        let looked = self.world.now.saturating_sub(LOOK);
        if self.world.ended >= looked {
            return;
        }
        let ending = oracle::Ending {
            pod: uid,
            cause: None,
            looked,
            served: &[],
            wanted: self.world.resource.target.replicas,
        };
        if let Err(what) = oracle::may_end(&self.world, ending) {
            self.world.breach(format!("delete {uid}: {what}"));
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    /// So many members, each of which runs for a minute.
    fn members(number: u32) -> Cluster {
        let mut cluster = Cluster::new(1, Options::calm());
        for ordinal in 0..number {
            cluster.host_claim(
                &format!("x-{ordinal}").as_str().into(),
                format!("claim-{ordinal}").as_str().into(),
            );
            cluster
                .host_pod(&format!("x-{ordinal}").as_str().into(), format!("pod-{ordinal}").as_str().into());
        }
        cluster.run_until(10_000);
        (0..number).for_each(|ordinal| cluster.world.start_by_hand(ordinal));
        cluster.run_until(70_000);
        cluster
    }

    #[test]
    fn no_operator_deletes_the_pod_of_the_last_member_that_serves() {
        let deletes = |members: &mut Cluster| {
            members.hear_of_deletion(&"pod-0".into());
            members.breaches().join("; ")
        };
        assert_eq!(deletes(&mut members(1)), "delete pod-0: the last member that serves is ended (None)");
        assert_eq!(deletes(&mut members(2)), "", "another one serves");
        let mut both = members(2);
        both.kill_database(&"pod-1".into());
        assert_eq!(deletes(&mut both), "", "whoever looked before saw another one serve");
        both.run_until(both.world.now + LOOK + 1);
        assert!(!deletes(&mut both).is_empty());
        let mut dead = members(1);
        dead.kill_database(&"pod-0".into());
        dead.run_until(dead.world.now + LOOK + 1);
        assert_eq!(deletes(&mut dead), "", "it serves nobody");
    }
}
