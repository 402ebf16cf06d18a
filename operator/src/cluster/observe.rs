//! One look: what the caches hold, and what the API server says of identities that the caches do not have yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::try_join_all;
use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt;
use kube::api::{Api, ListParams};
use stateful_cluster::names::{ClaimTemplate, ClaimUid, Identity};
use stateful_cluster::observation::{Claim, Node};
use stateful_cluster::target::Retention;
use stateful_cluster::{Memory, Observation};

use super::confirm::Asked;
use super::names::{CLAIM_TEMPLATE, IDENTITY, is_owned};
use super::session::{Session, Shared};
use super::stores::Stores;
use super::{Wanted, pods};
use crate::api::StatefulCluster;

/// The objects of one look.
pub(super) struct Objects {
    pub(super) cluster: Arc<StatefulCluster>,
    pub(super) pods: BTreeMap<Identity, Arc<Pod>>,
    /// Those of the pods that the caches have.
    cached: BTreeSet<Identity>,
    pub(super) claims: Claims,
    pub(super) revisions: Vec<Arc<ControllerRevision>>,
    /// What the API server itself was asked in this look.
    pub(super) asked: Asked,
    /// Pods of anybody that mount claims, each with the claims' names.
    mounts: Vec<(Identity, BTreeSet<String>)>,
}

/// Whether the caches are as new as the API server was at this moment. Another process may have seen pods, and forgotten
/// that it gave them, which the caches of this one do not have yet.
pub(super) async fn caches_are_new(shared: &Shared, wanted: &Wanted) -> kube::Result<bool> {
    let of_ours = ListParams::default().labels(IDENTITY);
    let found = all_pods(shared, wanted).list(&of_ours).await?;
    let known = shared.stores.pods(&wanted.namespace, &wanted.uid);
    let is_known = |pod: &Pod| known.iter().any(|known| known.metadata.uid == pod.metadata.uid);
    Ok(found.iter().filter(|pod| is_owned(&pod.metadata, &wanted.uid)).all(is_known))
}

/// Everything of a StatefulCluster.
pub(super) async fn gather(
    shared: &Shared,
    session: &mut Session,
    cluster: Arc<StatefulCluster>,
    wanted: &Wanted,
    memory: &Memory,
) -> kube::Result<Objects> {
    let (stores, namespace, uid) = (&shared.stores, &wanted.namespace, &wanted.uid);
    let cached = stores.pods(namespace, uid);
    let mut pods: BTreeMap<_, _> = cached.into_iter().map(|pod| (Identity(pod.name_any()), pod)).collect();
    let cached = pods.keys().cloned().collect();
    pods.extend(unseen(shared, session, wanted, memory, &pods).await?);
    let claims = stores.claims(namespace, uid);
    let claims = by_key(claims);
    let revisions = stores.revisions(namespace, uid);
    let (asked, mounts) = (Asked::default(), Vec::new());
    let mut objects = Objects { cluster, pods, cached, claims, revisions, asked, mounts };
    objects.look_who_mounts(shared, wanted, memory).await?;
    Ok(objects)
}

/// The pods of identities that were given and that the caches do not have.
async fn unseen(
    shared: &Shared,
    session: &mut Session,
    wanted: &Wanted,
    memory: &Memory,
    cached: &BTreeMap<Identity, Arc<Pod>>,
) -> kube::Result<Vec<(Identity, Arc<Pod>)>> {
    let api = all_pods(shared, wanted);
    let unseen: Vec<_> = memory.given.keys().filter(|identity| !cached.contains_key(*identity)).collect();
    let found = try_join_all(unseen.iter().map(|identity| api.get_opt(&identity.0))).await?;
    let mut pods = Vec::new();
    for (identity, pod) in unseen.into_iter().zip(found) {
        match pod.filter(|pod| is_owned(&pod.metadata, &wanted.uid)) {
            Some(pod) => pods.push((identity.clone(), Arc::new(pod))),
            None => session.answers.births.missing(identity),
        }
    }
    Ok(pods)
}

fn all_pods(shared: &Shared, wanted: &Wanted) -> Api<Pod> {
    Api::namespaced(shared.context.clients.reads.clone(), &wanted.namespace)
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

fn mounted(pod: &Pod) -> (Identity, BTreeSet<String>) {
    let volumes = pod.spec.iter().flat_map(|spec| spec.volumes.iter().flatten());
    let claims = volumes.filter_map(|volume| volume.persistent_volume_claim.as_ref());
    (Identity(pod.name_any()), claims.map(|claim| claim.claim_name.clone()).collect())
}

/// There are claims without a pod of theirs, and they are to be deleted.
fn may_retire(
    wanted: &Wanted,
    memory: &Memory,
    pods: &BTreeMap<Identity, Arc<Pod>>,
    claims: &Claims,
) -> bool {
    let is_left = |identity: &Identity| !pods.contains_key(identity) && !memory.given.contains_key(identity);
    let left = claims.iter().filter(|(_, claim)| claim.metadata.deletion_timestamp.is_none());
    wanted.heart.when_removed == Retention::Delete && left.into_iter().any(|((of, _), _)| is_left(of))
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
    /// Somebody else's pod may mount what was left: the caches have ours alone.
    pub(super) async fn look_who_mounts(
        &mut self,
        shared: &Shared,
        wanted: &Wanted,
        memory: &Memory,
    ) -> kube::Result<()> {
        self.mounts = self.pods.values().map(|pod| mounted(pod)).collect();
        if may_retire(wanted, memory, &self.pods, &self.claims) {
            let all = all_pods(shared, wanted).list(&ListParams::default()).await?;
            self.mounts.extend(all.iter().map(mounted));
        }
        Ok(())
    }

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
            claims: self.claims.iter().map(claim).collect(),
            births: BTreeMap::new(),
            any_heard: self
                .asked
                .any_heard
                .unwrap_or_else(|| stores.heard().is_none_or(|all| !all.is_empty())),
            refused: BTreeSet::new(),
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
