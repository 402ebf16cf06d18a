//! The objects that the API server keeps, and the rule that a write is bound to the version that
//! was read.

use super::World;
use crate::adversary::Lies;
use planner::names::{AttemptId, ClaimUid, NodeName, PodUid, ReplicaName, Revision};
use planner::observation::{Claim, Node, Pod, Role};
use planner::record::{HolderId, Record};
use planner::{Memory, Target};
use std::collections::BTreeMap;

/// The resource: what is wanted, and in its status what was promised.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) target: Target,
    pub(crate) template: Revision,
    pub(crate) memory: Option<Memory>,
    /// The number of the policy that is wanted.
    pub(crate) policy: u64,
    /// That policy answers anything.
    pub(crate) lies: Option<Lies>,
    pub(crate) version: u64,
}

/// The StatefulSet.
#[derive(Clone, Debug)]
pub(crate) struct WorkloadObject {
    pub(crate) replicas: u32,
    pub(crate) revision: Revision,
    pub(crate) version: u64,
}

/// A pod: what the API shows of it, and where it is.
#[derive(Clone, Debug)]
pub(crate) struct PodObject {
    pub(crate) shown: Pod,
    pub(crate) machine: usize,
    pub(crate) volume: usize,
}

/// A claim.
#[derive(Clone, Debug)]
pub(crate) struct ClaimObject {
    pub(crate) shown: Claim,
    pub(crate) volume: usize,
    pub(crate) version: u64,
}

/// All objects as a watch showed them at one moment.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) resource: Resource,
    pub(crate) workload: Option<WorkloadObject>,
    pub(crate) pods: BTreeMap<u32, Pod>,
    pub(crate) claims: BTreeMap<u32, ClaimObject>,
    pub(crate) nodes: BTreeMap<NodeName, Node>,
}

/// A write that was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// 409: it was changed meanwhile.
    Conflict,
    /// 500: nobody knows.
    Failed,
}

impl Resource {
    pub(crate) fn new(target: Target, lies: Option<Lies>) -> Self {
        Self { target, template: Revision::from("r1"), memory: None, policy: 0, lies, version: 1 }
    }
}

/// The pod's name.
pub(crate) fn name(ordinal: u32) -> ReplicaName {
    ReplicaName(format!("x-{ordinal}"))
}

/// The number in a pod's name.
pub(crate) fn ordinal(name: &ReplicaName) -> u32 {
    name.0.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(u32::MAX)
}

impl World {
    pub(crate) fn view(&self) -> View {
        View {
            resource: self.resource.clone(),
            workload: self.workload.clone(),
            pods: self.pods.iter().map(|(ordinal, pod)| (*ordinal, pod.shown.clone())).collect(),
            claims: self.claims.clone(),
            nodes: self.machines.iter().map(|machine| (machine.name.clone(), machine.shown())).collect(),
        }
    }

    /// What is written down of the data in a volume: on its claim, else in the status.
    pub(crate) fn record_of(&self, volume: usize) -> Option<&Record> {
        let claim = self.claims.values().find(|claim| claim.volume == volume);
        if let Some(record) = claim.and_then(|claim| claim.shown.record.as_ref()) {
            return Some(record);
        }
        let pod = self.pods.values().find(|pod| pod.volume == volume).map(|pod| &pod.shown)?;
        let of_pod = |holder: &HolderId| match holder {
            HolderId::Claims(uids) => claim.is_some_and(|claim| uids.contains(&claim.shown.uid)),
            HolderId::Pod(uid) => *uid == pod.uid,
            HolderId::Container(id) => pod.container_id() == Some(id),
        };
        let holders = &self.resource.memory.as_ref()?.holders;
        holders.iter().find(|(holder, _)| of_pod(holder)).map(|(_, record)| record)
    }

    /// A start of this name is open in a record, on a claim or in the status.
    pub(crate) fn is_written_down(&self, start: &AttemptId) -> bool {
        let on_claims = self.claims.values().filter_map(|claim| claim.shown.record.as_ref());
        let in_status = self.resource.memory.iter().flat_map(|memory| memory.holders.values());
        on_claims.chain(in_status).flat_map(|record| &record.open).any(|open| open.attempt == *start)
    }

    /// Somebody changes what is wanted.
    pub(crate) fn spec(&mut self, change: impl FnOnce(&mut Target)) {
        change(&mut self.resource.target);
        self.resource.target.generation += 1;
        self.resource.version += 1;
        self.changes += 1;
        let target = &self.resource.target;
        let (size, primaries, paused) = (target.replicas, target.primaries, target.paused);
        self.say(|| format!("spec: {size} replicas, {primaries} primaries, paused {paused}"));
    }

    pub(crate) fn write_memory(&mut self, memory: Memory, version: u64) -> Result<u64, Denied> {
        let lost = self.refuse_by_chance()?;
        if version != self.resource.version {
            return Err(Denied::Conflict);
        }
        self.resource.memory = Some(memory);
        self.resource.version += 1;
        self.changes += 1;
        if lost { Err(Denied::Failed) } else { Ok(self.resource.version) }
    }

    pub(crate) fn write_record(
        &mut self,
        uid: &ClaimUid,
        record: Record,
        version: u64,
    ) -> Result<u64, Denied> {
        let lost = self.refuse_by_chance()?;
        let claim =
            self.claims.values_mut().find(|claim| claim.shown.uid == *uid && claim.version == version);
        let claim = claim.ok_or(Denied::Conflict)?;
        claim.shown.record = Some(record);
        claim.version += 1;
        self.changes += 1;
        if lost { Err(Denied::Failed) } else { Ok(version + 1) }
    }

    /// A 500 may come before the write, or in place of its answer.
    fn refuse_by_chance(&mut self) -> Result<bool, Denied> {
        if self.mishap(40) { Err(Denied::Failed) } else { Ok(self.mishap(40)) }
    }

    pub(crate) fn resize(&mut self, to: u32, version: u64) {
        if let Some(workload) = self.workload.as_mut().filter(|workload| workload.version == version) {
            workload.replicas = to;
            workload.version += 1;
            self.changes += 1;
            self.say(|| format!("the StatefulSet is scaled to {to}"));
            self.wake_controller();
        }
    }

    pub(crate) fn label(&mut self, name: &ReplicaName, if_pod: &PodUid, active: bool, role: Option<Role>) {
        if let Some(pod) = self.pods.get_mut(&self.number(name)).filter(|pod| pod.shown.uid == *if_pod) {
            pod.shown.active = Some(active);
            pod.shown.role = role.or(pod.shown.role);
            self.changes += 1;
            self.lead_clients(if_pod);
        }
    }

    /// The operator brings its children to what is wanted: the StatefulSet and its template.
    pub(crate) fn apply_children(&mut self, template: &Revision) {
        match self.workload.as_mut() {
            None => {
                self.workload = Some(WorkloadObject { replicas: 0, revision: template.clone(), version: 1 });
            }
            Some(workload) if workload.revision != *template && !self.refuses_templates => {
                workload.revision = template.clone();
                workload.version += 1;
            }
            Some(_) => return,
        }
        self.changes += 1;
        self.say(|| format!("the StatefulSet is applied with template {template}"));
        self.wake_controller();
    }

    /// The status is as it was at another time.
    pub(crate) fn restore_memory(&mut self, memory: Option<Memory>) {
        self.resource.memory = memory;
        self.resource.version += 1;
        self.changes += 1;
    }

    /// The annotation of a claim is as it was at another time.
    pub(crate) fn restore_record(&mut self, ordinal: u32, record: Option<Record>) {
        if let Some(claim) = self.claims.get_mut(&ordinal) {
            claim.shown.record = record;
            claim.version += 1;
            self.changes += 1;
        }
    }

    /// The annotation of a claim is lost.
    pub(crate) fn forget_record(&mut self, ordinal: u32) {
        if let Some(claim) = self.claims.get_mut(&ordinal) {
            claim.shown.record = None;
            claim.version += 1;
            self.changes += 1;
        }
    }

    /// The status is lost, by a careless restore or a person.
    pub(crate) fn erase_memory(&mut self) {
        self.resource.memory = None;
        self.resource.version += 1;
        self.changes += 1;
        self.say(|| "the status is erased".to_owned());
    }
}
