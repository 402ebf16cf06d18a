//! One look: what the caches hold, and what the API server says of identities that the caches do not have yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::try_join_all;
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::{Api, ListParams};
use stateful_cluster::Memory;
use stateful_cluster::names::Identity;
use stateful_cluster::target::Retention;

use super::Wanted;
use super::confirm::Asked;
use super::names::{IDENTITY, is_owned};
use super::objects::{Claims, Objects, by_key};
use super::session::{Session, Shared};
use crate::api::StatefulCluster;

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
    let claims = stores.claims(wanted);
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
            Some(pod) => {
                session.answers.births.granted(identity);
                pods.push((identity.clone(), Arc::new(pod)));
            }
            None => session.answers.births.missing(identity),
        }
    }
    Ok(pods)
}

fn all_pods(shared: &Shared, wanted: &Wanted) -> Api<Pod> {
    Api::namespaced(shared.context.clients.reads.clone(), &wanted.namespace)
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
}
