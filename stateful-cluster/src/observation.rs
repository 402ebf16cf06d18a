//! All that one look saw.

use crate::names::{ClaimTemplate, ClaimUid, Identity, PodUid};
use crate::target::{Revision, Target};
use crate::timer::{Age, Timer};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One look at a StatefulCluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Observation {
    /// What is wanted.
    pub target: Target,
    /// Its pods, also those whose labels were withdrawn. Those that were given and are not in the caches were looked
    /// for in the API server itself.
    pub pods: BTreeMap<Identity, Pod>,
    /// Names of ours that other pods have: of a former resource, left by one, or somebody's. The API server itself was
    /// asked whether there is one before a pod of that name is made again.
    #[serde(default)]
    pub taken: BTreeMap<Identity, Taken>,
    /// Its claims, also those of pods that are gone.
    #[serde(with = "crate::pairs")]
    pub claims: BTreeMap<(Identity, ClaimTemplate), Claim>,
    /// What this process knows of creations that were promised; of one without an answer nothing is known.
    pub births: BTreeMap<Identity, Birth>,
    /// Something is heard of some node of the cluster; also where nodes may not be seen.
    pub any_heard: bool,
    /// Claims that the API server refused, and will again unless somebody makes room for them.
    #[serde(default)]
    pub refused: BTreeSet<(Identity, ClaimTemplate)>,
    /// Templates of which the API server refused the last pod, or would not have it written into one, and will again
    /// unless somebody changes a quota, a webhook or the template.
    #[serde(default)]
    pub rejected: BTreeSet<Revision>,
    /// Names that were drawn for this look, and for no other.
    pub fresh: Vec<Identity>,
    /// How long conditions have held.
    #[serde(with = "crate::pairs")]
    pub ages: BTreeMap<Timer, Age>,
}

/// A pod as the API shows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pod {
    /// Its UID.
    pub uid: PodUid,
    /// `creationTimestamp`, in seconds since 1970: only its order counts.
    pub created: u64,
    /// The template that it was made from, or brought to.
    pub revision: Revision,
    /// What its conditions say.
    pub life: Life,
    /// Whether its containers can be trusted to stay as they are.
    #[serde(default)]
    pub trust: Trust,
    /// What is heard of its node.
    pub node: Node,
    /// It has a `deletionTimestamp`.
    pub leaving: bool,
    /// It has the labels by which services find it.
    pub labelled: bool,
    /// A person wrote down that this one goes first.
    pub marked: bool,
    /// The caches have it, and do not lose it until it is gone.
    pub cached: bool,
}

/// What a pod's conditions say; of a silent node's pod they say what once was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Life {
    /// Not all of its containers have started.
    Starting,
    /// It is ready, and has been for `minReadySeconds`.
    Available,
    /// It runs, and is not ready, or not for long enough.
    Unready,
    /// `Succeeded` or `Failed`: nothing runs in it, and nothing will.
    Ended,
}

/// How long its containers have run, where one of them started anew; the least trusted of them counts. What restarts in a
/// loop is well for a moment each time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Trust {
    /// None started anew, or it has run for long enough since.
    #[default]
    Sound,
    /// It started anew a moment ago, and ran for long enough before that.
    Fresh,
    /// It started anew a moment ago, and the run before that was short, too.
    Flaps,
}

/// What is heard of a pod's node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Node {
    /// The pod has none yet.
    None,
    /// Its kubelet reports.
    Heard,
    /// Its kubelet does not report: what is there may run.
    Silent,
    /// It is no node any more: what was there may run.
    Gone,
}

/// A pod that has the name of an identity, and is none of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Taken {
    /// It ends by itself.
    Leaving,
    /// Somebody has to delete it.
    Standing,
}

/// A claim of one identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// Its UID.
    pub uid: ClaimUid,
    /// It has a `deletionTimestamp`.
    pub leaving: bool,
    /// Pods that mount it, whoever made them.
    pub mounted_by: BTreeSet<Identity>,
}

/// What became of a request to make a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Birth {
    /// It is on its way, or was granted.
    Sent,
    /// It was refused, or never sent: there was no such pod, and will be none.
    Refused,
    /// It was granted, and a later read finds no such pod: there was one, and somebody removed it.
    Gone,
}

// === impl Pod ===

impl Pod {
    /// Something of it may run, as far as is known.
    #[must_use]
    pub fn may_run(&self) -> bool {
        self.life != Life::Ended
    }

    /// Its node does not say how it is.
    #[must_use]
    pub fn is_unheard(&self) -> bool {
        matches!(self.node, Node::Silent | Node::Gone)
    }
}

// === impl Observation ===

impl Observation {
    /// Where an owner decides who goes: it has not given this one up, which has claims to come back to.
    #[must_use]
    pub fn keeps_its_place(&self, identity: &Identity) -> bool {
        let has_claims = || self.claims.iter().any(|((of, _), claim)| of == identity && !claim.leaving);
        self.target.released.as_ref().is_some_and(|released| !released.contains(identity)) && has_claims()
    }

    /// The condition has held for long enough.
    #[must_use]
    pub fn is_ripe(&self, timer: &Timer) -> bool {
        self.ages.get(timer) == Some(&Age::Ripe)
    }
}
