//! The objects of one look, and what the heart is told of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt;
use stateful_cluster::Observation;
use stateful_cluster::names::{ClaimTemplate, ClaimUid, Identity};
use stateful_cluster::observation::{Claim, Node};

use super::confirm::Asked;
use super::names::{CLAIM_TEMPLATE, IDENTITY};
use super::stores::Stores;
use super::{Wanted, pods};
use crate::api::StatefulCluster;

/// The objects of one look.
pub(super) struct Objects {
    pub(super) cluster: Arc<StatefulCluster>,
    pub(super) pods: BTreeMap<Identity, Arc<Pod>>,
    /// Those of the pods that the caches have.
    pub(super) cached: BTreeSet<Identity>,
    pub(super) claims: Claims,
    pub(super) revisions: Vec<Arc<ControllerRevision>>,
    /// What the API server itself was asked in this look.
    pub(super) asked: Asked,
    /// Pods of anybody that mount claims, each with the claims' names.
    pub(super) mounts: Vec<(Identity, BTreeSet<String>)>,
}

/// Claims by whose they are.
pub(super) type Claims = BTreeMap<(Identity, ClaimTemplate), Arc<PersistentVolumeClaim>>;

pub(super) fn by_key(claims: impl IntoIterator<Item = Arc<PersistentVolumeClaim>>) -> Claims {
    claims.into_iter().filter_map(|claim| Some((key(&claim)?, claim))).collect()
}

fn key(claim: &PersistentVolumeClaim) -> Option<(Identity, ClaimTemplate)> {
    let label = |name: &str| claim.labels().get(name).cloned();
    Some((Identity(label(IDENTITY)?), ClaimTemplate(label(CLAIM_TEMPLATE)?)))
}

// === impl Objects ===

#[cfg(test)]
impl Objects {
    /// These, as the caches have them.
    pub(super) fn of(pods: Vec<Pod>, revisions: Vec<ControllerRevision>) -> Self {
        let pods: BTreeMap<_, _> =
            pods.into_iter().map(|pod| (Identity(pod.name_any()), Arc::new(pod))).collect();
        Self {
            cluster: Arc::default(),
            cached: pods.keys().cloned().collect(),
            pods,
            claims: Claims::new(),
            revisions: revisions.into_iter().map(Arc::new).collect(),
            asked: Asked::default(),
            mounts: Vec::new(),
        }
    }
}

impl Objects {
    /// The same for the heart, without ages and what was answered.
    pub(super) fn observation(
        &self,
        wanted: &Wanted,
        stores: &Stores,
        now: Timestamp,
        fresh: Vec<Identity>,
    ) -> Observation {
        let pod = |(identity, pod): (&Identity, &Arc<Pod>)| {
            let cached = self.cached.contains(identity);
            (identity.clone(), pods::pod(pod, wanted, self.node_of(pod, stores), cached, now))
        };
        let claim = |(key, claim): (&(Identity, ClaimTemplate), &Arc<PersistentVolumeClaim>)| {
            (key.clone(), self.claim(claim))
        };
        Observation {
            target: wanted.heart.clone(),
            pods: self.pods.iter().map(pod).collect(),
            taken: self.asked.taken.clone(),
            claims: self.claims.iter().map(claim).collect(),
            births: BTreeMap::new(),
            any_heard: self
                .asked
                .any_heard
                .unwrap_or_else(|| stores.heard().is_none_or(|all| !all.is_empty())),
            refused: BTreeSet::new(),
            rejected: BTreeSet::new(),
            fresh,
            ages: BTreeMap::new(),
        }
    }

    fn node_of(&self, pod: &Pod, stores: &Stores) -> Node {
        let Some(name) = pods::node_name(pod) else { return Node::None };
        // Of a node that may not be seen its pods tell: what they do not say is then not acted on as lost.
        let cached = || stores.node(name).map_or(Node::Heard, |found| pods::node(found.as_deref()));
        self.asked.nodes.get(name).copied().unwrap_or_else(cached)
    }

    fn claim(&self, claim: &PersistentVolumeClaim) -> Claim {
        let name = claim.name_any();
        let mounting = self.mounts.iter().filter(|(_, claims)| claims.contains(&name));
        Claim {
            uid: ClaimUid(claim.metadata.uid.clone().unwrap_or_default()),
            leaving: claim.metadata.deletion_timestamp.is_some(),
            mounted_by: mounting.map(|(identity, _)| identity.clone()).collect(),
        }
    }
}
