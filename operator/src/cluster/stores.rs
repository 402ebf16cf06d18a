//! The caches of StatefulClusters and of what is made for them.

mod watches;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube::runtime::reflector::{self, ObjectRef, Store};
use kube::{Resource, ResourceExt};
use stateful_cluster::observation;

use super::names::{is_claim_of, is_owned};
use super::{Wanted, pods};
use crate::api::StatefulCluster;
use crate::controller::{Caches, Guarded, SetKey};
use crate::observe::WatchedNode;
use crate::telemetry::Watches;

use self::watches::of_owner;
pub(super) use self::watches::watches;

/// How long nodes may take that can be seen.
const NODES: Duration = Duration::from_secs(5);

/// All caches. One store for each namespace that is watched, or one for all.
#[derive(Clone)]
pub(super) struct Stores {
    clusters: Vec<Store<Guarded<StatefulCluster>>>,
    pods: Vec<Store<Pod>>,
    claims: Vec<Store<PersistentVolumeClaim>>,
    revisions: Vec<Store<ControllerRevision>>,
    nodes: Store<WatchedNode>,
    /// Which namespaces are ready.
    pub(super) watches: Watches,
}

impl Caches for Stores {
    fn keys(&self) -> Vec<SetKey> {
        let all = self.clusters.iter().flat_map(Store::state);
        let keys = all.map(|cluster| SetKey::beside(cluster.as_ref(), &cluster.name_any()));
        keys.filter(|key| self.watches.is_ready(&key.namespace)).collect()
    }

    fn has(&self, key: &SetKey) -> bool {
        self.watches.is_ready(&key.namespace) && self.cluster(key).is_some()
    }
}

// === impl Stores ===

impl Stores {
    /// Waits until everything was listed once in one namespace. The others become ready on their own. Nodes are not
    /// waited for long: an operator that has rights in its own namespaces only never sees them.
    pub(super) async fn ready(&self) {
        self.watches.some_ready().await;
        let _ = tokio::time::timeout(NODES, self.nodes.wait_until_ready()).await;
    }

    /// A resource, if there is one of this name.
    pub(super) fn cluster(&self, key: &SetKey) -> Option<Arc<Guarded<StatefulCluster>>> {
        let reference = ObjectRef::<Guarded<StatefulCluster>>::new(&key.name).within(&key.namespace);
        self.clusters.iter().find_map(|store| store.get(&reference))
    }

    /// The pods of the resource of this UID.
    pub(super) fn pods(&self, namespace: &str, uid: &str) -> Vec<Arc<Pod>> {
        beside(&self.pods, namespace, |pod| is_owned(&pod.metadata, uid))
    }

    /// Its claims, which may have no owner.
    pub(super) fn claims(&self, wanted: &Wanted) -> Vec<Arc<PersistentVolumeClaim>> {
        beside(&self.claims, &wanted.namespace, |claim| is_claim_of(claim, wanted))
    }

    /// Its templates.
    pub(super) fn revisions(&self, namespace: &str, uid: &str) -> Vec<Arc<ControllerRevision>> {
        beside(&self.revisions, namespace, |revision| is_owned(&revision.metadata, uid))
    }

    /// A node; `None` where nodes may not be seen.
    pub(super) fn node(&self, name: &str) -> Option<Option<Arc<WatchedNode>>> {
        self.nodes.wait_until_ready().now_or_never()?.ok()?;
        Some(self.nodes.get(&ObjectRef::new(name)))
    }

    /// Nodes that are heard of; `None` where nodes may not be seen.
    pub(super) fn heard(&self) -> Option<Vec<Arc<WatchedNode>>> {
        self.nodes.wait_until_ready().now_or_never()?.ok()?;
        Some(self.nodes.state_filter(|node| pods::node(Some(node)) == observation::Node::Heard))
    }

    fn on_node(&self, node: &str) -> Vec<SetKey> {
        let here = |pod: &Pod| pods::node_name(pod) == Some(node);
        let pods = self.pods.iter().flat_map(|store| store.state_filter(here));
        pods.flat_map(|pod| of_owner(self, pod.as_ref())).collect()
    }
}

fn beside<K>(stores: &[Store<K>], namespace: &str, ours: impl Fn(&K) -> bool) -> Vec<Arc<K>>
where
    K: Resource<DynamicType = ()> + reflector::Lookup<DynamicType = ()> + Clone + 'static,
{
    let ours = |object: &K| object.meta().namespace.as_deref() == Some(namespace) && ours(object);
    stores.iter().flat_map(|store| store.state_filter(&ours)).collect()
}
