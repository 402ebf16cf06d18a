//! One look at a set: everything that is known of it becomes one `Observation`. It is total: what
//! could not be learnt is data too, and nothing is concluded here.

mod absence;
mod boots;
mod claims;
mod cluster;
mod confirm;
mod detached;
mod ended;
#[cfg(test)]
pub(crate) mod fixture;
mod foreign;
mod happened;
pub mod names;
mod nodes;
mod objects;
mod pods;
mod readings;
mod round;
mod target_view;
mod trouble;
mod unseen;
mod watched_node;
mod workload;
mod written;

pub use absence::Absences;
pub use boots::Boots;
pub use cluster::find_cluster;
pub(crate) use cluster::{released, with_something_left};
pub use confirm::{confirm_claims, confirm_pods};
pub use detached::Attachments;
pub use ended::Ended;
pub use foreign::Foreign;
pub use objects::{Objects, templates};
pub use readings::readings;
pub use round::ask_all;
pub use target_view::{ALLOW, no_keys, target_view, without_keys};
pub use unseen::{Gone, find_unseen};
pub use watched_node::{NodeFacts, WatchedNode};
pub use workload::Applied;
pub use written::Written;
pub(crate) use written::newest;

pub(crate) use claims::RECORD;
pub use claims::records;
pub(crate) use pods::{application_container, is_guarded, role_name, running};
#[cfg(test)]
pub(crate) use trouble::LONGEST;
pub(crate) use trouble::{cut, in_words, trouble};

use std::collections::{BTreeMap, BTreeSet};

use kube::Resource;
use planner::decision::Verdicts;
use planner::names::{AttemptId, ClaimUid, ContainerId, NodeName, Reader, ReplicaName};
use planner::observation::{Absence, Attempt, Fate, Node, Replica, Status};
use planner::target::DetachedVolume;
use planner::{Memory, Observation, Target};

/// What this process knows beside the objects.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// A word that no other look has.
    pub nonce: String,
    /// Another installation that looks after the set and is alive.
    pub foreign: Option<String>,
    /// What `status` answered, of each replica that was asked.
    pub statuses: BTreeMap<ReplicaName, Status>,
    /// Why members have no running container, where the cluster says so.
    pub absences: BTreeMap<ReplicaName, Absence>,
    /// Containers that were reported terminated.
    pub terminated: BTreeSet<ContainerId>,
    /// Commands of this process.
    pub attempts: BTreeMap<AttemptId, Attempt>,
    /// What became of attempts that were asked for.
    pub fates: BTreeMap<AttemptId, Fate>,
    /// Containers in which guarded commands get no answer.
    pub unanswered: BTreeSet<ContainerId>,
    /// Claims whose volume is surely not attached to this node.
    pub detached: BTreeSet<(ClaimUid, NodeName)>,
    /// What was last applied to the StatefulSet.
    pub applied: Option<Applied>,
    /// Who makes positions of what members print, if anybody can be asked.
    pub reader: Option<Reader>,
}

/// Puts a look together. Ages and verdicts are still missing: they are about what it shows.
#[must_use]
pub fn observation(
    objects: &Objects,
    target: Target,
    memory: &Memory,
    mut evidence: Evidence,
) -> Observation {
    let replicas: BTreeMap<ReplicaName, Replica> = objects
        .members()
        .into_iter()
        .map(|(name, ordinal)| {
            let status = evidence.statuses.remove(&name).unwrap_or_default();
            let replica = replica(objects, (&name, ordinal), status, &evidence.unanswered);
            let absence = evidence.absences.remove(&name);
            (name, Replica { absence, ..replica })
        })
        .collect();
    let applied = evidence.applied.as_ref();
    let workload = match &objects.cluster {
        Some(found) => Some(cluster::workload(found, target.generation, applied)),
        None => objects.workload.as_deref().map(|w| workload::workload(w, target.generation, applied)),
    };
    Observation {
        nonce: evidence.nonce,
        foreign: evidence.foreign,
        workload,
        nodes: nodes_of(objects, &replicas, memory),
        terminated: evidence.terminated,
        elsewhere: objects.elsewhere.clone(),
        attached: attached(objects, &target, memory, &evidence.detached),
        ages: BTreeMap::new(),
        reader: evidence.reader,
        verdicts: Verdicts::default(),
        attempts: evidence.attempts,
        fates: evidence.fates,
        replicas,
        target,
    }
}

fn nodes_of(
    objects: &Objects,
    replicas: &BTreeMap<ReplicaName, Replica>,
    memory: &Memory,
) -> BTreeMap<NodeName, Node> {
    let named = nodes::named(replicas, memory);
    let Some(seen) = &objects.nodes else {
        return named.into_iter().map(|name| (name, nodes::unseen())).collect();
    };
    let named =
        |node: &WatchedNode| node.meta().name.clone().map(NodeName).filter(|name| named.contains(name));
    let mut nodes: BTreeMap<_, _> =
        seen.iter().filter_map(|node| Some((named(node)?, nodes::node(node)))).collect();
    // One that the API server does not tell of, though a pod is there: what starts on it can be written down, with no boot.
    for name in replicas.values().filter_map(|replica| replica.pod.as_ref()?.node.clone()) {
        nodes.entry(name).or_insert_with(nodes::unseen);
    }
    nodes
}

fn replica(
    objects: &Objects,
    (name, ordinal): (&ReplicaName, u32),
    status: Status,
    unanswered: &BTreeSet<ContainerId>,
) -> Replica {
    let claims = objects.claims.get(name).into_iter().flatten();
    Replica {
        ordinal,
        pod: objects.pods.get(name).map(|pod| pods::pod(pod, status, unanswered)),
        claims: claims.map(|claim| claims::claim(claim)).collect(),
        absence: None,
    }
}

/// Wherever a start is open, but where it is known better. Nobody needs it who takes it for no proof.
fn attached(
    objects: &Objects,
    target: &Target,
    memory: &Memory,
    detached: &BTreeSet<detached::Place>,
) -> BTreeSet<detached::Place> {
    match target.detached_volume {
        DetachedVolume::Hold => BTreeSet::new(),
        DetachedVolume::Closed => &detached::possible(&records(objects, memory)) - detached,
    }
}

#[cfg(test)]
mod tests;
