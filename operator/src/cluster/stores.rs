//! The caches of StatefulClusters and of what is made for them.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, try_join_all};
use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::{Node, PersistentVolumeClaim, Pod};
use kube::api::Api;
use kube::core::DeserializeGuard;
use kube::runtime::reflector::store::{Writer, WriterDropped};
use kube::runtime::reflector::{self, ObjectRef, Store};
use kube::runtime::watcher::Config;
use kube::{Client, Resource, ResourceExt};
use stateful_cluster::observation;
use tokio::sync::mpsc::UnboundedSender;

use super::names::{CLUSTER_UID, IDENTITY, is_owned};
use super::pods;
use crate::api::{NAME_LABEL, StatefulCluster};
use crate::controller::{Caches, Sender, SetKey, Source, api};

/// How long nodes may take that can be seen.
const NODES: Duration = Duration::from_secs(5);

/// A resource as it came, readable or not: one that cannot be read must not stop the watch of the others.
pub(super) type Guarded = DeserializeGuard<StatefulCluster>;

/// All caches. One store for each namespace that is watched, or one for all.
#[derive(Clone)]
pub(super) struct Stores {
    clusters: Vec<Store<Guarded>>,
    pods: Vec<Store<Pod>>,
    claims: Vec<Store<PersistentVolumeClaim>>,
    revisions: Vec<Store<ControllerRevision>>,
    nodes: Store<Node>,
}

impl Caches for Stores {
    fn keys(&self) -> Vec<SetKey> {
        let all = self.clusters.iter().flat_map(Store::state);
        all.map(|cluster| SetKey::beside(cluster.as_ref(), &cluster.name_any())).collect()
    }

    fn has(&self, key: &SetKey) -> bool {
        self.cluster(key).is_some()
    }
}

// === impl Stores ===

impl Stores {
    /// Waits until everything was listed once. Nodes are not waited for long: an operator that has rights in its own
    /// namespaces only never sees them.
    pub(super) async fn ready(&self) -> Result<(), WriterDropped> {
        try_join_all(self.clusters.iter().map(Store::wait_until_ready)).await?;
        try_join_all(self.pods.iter().map(Store::wait_until_ready)).await?;
        try_join_all(self.claims.iter().map(Store::wait_until_ready)).await?;
        try_join_all(self.revisions.iter().map(Store::wait_until_ready)).await?;
        let _ = tokio::time::timeout(NODES, self.nodes.wait_until_ready()).await;
        Ok(())
    }

    /// A resource, if there is one of this name.
    pub(super) fn cluster(&self, key: &SetKey) -> Option<Arc<Guarded>> {
        let reference = ObjectRef::<Guarded>::new(&key.name).within(&key.namespace);
        self.clusters.iter().find_map(|store| store.get(&reference))
    }

    /// The pods of the resource of this UID.
    pub(super) fn pods(&self, namespace: &str, uid: &str) -> Vec<Arc<Pod>> {
        beside(&self.pods, namespace, |pod| is_owned(&pod.metadata, uid))
    }

    /// Its claims, which may have no owner.
    pub(super) fn claims(&self, namespace: &str, uid: &str) -> Vec<Arc<PersistentVolumeClaim>> {
        beside(&self.claims, namespace, |claim| {
            claim.labels().get(CLUSTER_UID).is_some_and(|found| found == uid)
        })
    }

    /// Its templates.
    pub(super) fn revisions(&self, namespace: &str, uid: &str) -> Vec<Arc<ControllerRevision>> {
        beside(&self.revisions, namespace, |revision| is_owned(&revision.metadata, uid))
    }

    /// A node; `None` where nodes may not be seen.
    pub(super) fn node(&self, name: &str) -> Option<Option<Arc<Node>>> {
        self.nodes.wait_until_ready().now_or_never()?.ok()?;
        Some(self.nodes.get(&ObjectRef::new(name)))
    }

    /// Nodes that are heard of; `None` where nodes may not be seen.
    pub(super) fn heard(&self) -> Option<Vec<Arc<Node>>> {
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

/// The watches, to be polled for as long as the process lives; each change tells which resources it concerns.
pub(super) fn watches(
    client: &Client,
    namespaces: &[String],
    changed: &UnboundedSender<SetKey>,
) -> (Stores, Vec<BoxFuture<'static, ()>>) {
    let scopes: Vec<Option<&String>> =
        if namespaces.is_empty() { vec![None] } else { namespaces.iter().map(Some).collect() };
    let (nodes, nodes_writer) = reflector::store();
    let mut stores =
        Stores { clusters: Vec::new(), pods: Vec::new(), claims: Vec::new(), revisions: Vec::new(), nodes };
    let writers: Vec<_> = scopes.into_iter().map(|scope| (scope, Writers::open(&mut stores))).collect();
    let all = Sender { stores, changed: changed.clone() };
    let node = Source::new(Api::all(client.clone()), Config::default(), nodes_writer);
    let of_node = |stores: &Stores, node: &Node| stores.on_node(&node.name_any());
    let mut watches = vec![node.follow(&all, |_| {}, of_node).boxed()];
    for (scope, writers) in writers {
        watches.extend(writers.follow(client, scope, &all));
    }
    (all.stores, watches)
}

/// The writing ends of the caches of one namespace.
struct Writers {
    clusters: Writer<Guarded>,
    pods: Writer<Pod>,
    claims: Writer<PersistentVolumeClaim>,
    revisions: Writer<ControllerRevision>,
}

// === impl Writers ===

impl Writers {
    fn open(stores: &mut Stores) -> Self {
        let (cluster, clusters) = reflector::store();
        let (pod, pods) = reflector::store();
        let (claim, claims) = reflector::store();
        let (revision, revisions) = reflector::store();
        stores.clusters.push(cluster);
        stores.pods.push(pod);
        stores.claims.push(claim);
        stores.revisions.push(revision);
        Self { clusters, pods, claims, revisions }
    }

    fn follow(
        self,
        client: &Client,
        scope: Option<&String>,
        all: &Sender<Stores>,
    ) -> [BoxFuture<'static, ()>; 4] {
        let labelled = |label| Config::default().labels(label);
        let clusters = Source::new(api(client, scope), Config::default(), self.clusters);
        // Not by a label that is withdrawn: a pod that is set aside is still one of ours.
        let pods = Source::new(api(client, scope), labelled(IDENTITY), self.pods);
        let claims = Source::new(api(client, scope), labelled(CLUSTER_UID), self.claims);
        let revisions = Source::new(api(client, scope), labelled(NAME_LABEL), self.revisions);
        [
            clusters.follow(all, |_| {}, of_cluster).boxed(),
            pods.follow(all, |_| {}, of_owner).boxed(),
            claims.follow(all, |_| {}, of_claim).boxed(),
            revisions.follow(all, |_| {}, of_owner).boxed(),
        ]
    }
}

/// Its own status is written here, and is no reason to look at it again.
fn of_cluster(stores: &Stores, cluster: &Guarded) -> Vec<SetKey> {
    let key = SetKey::beside(cluster, &cluster.name_any());
    let (now, known) = (cluster.meta(), stores.cluster(&key));
    let same = |known: &Arc<Guarded>| {
        let known = known.meta();
        (&known.uid, known.generation, &known.deletion_timestamp)
            == (&now.uid, now.generation, &now.deletion_timestamp)
    };
    if known.as_ref().is_some_and(same) { Vec::new() } else { vec![key] }
}

fn of_owner<K: Resource>(_: &Stores, child: &K) -> Vec<SetKey> {
    let cluster = child.owner_references().iter().find(|owner| owner.controller == Some(true));
    cluster.map(|owner| SetKey::beside(child, &owner.name)).into_iter().collect()
}

fn of_claim(_: &Stores, claim: &PersistentVolumeClaim) -> Vec<SetKey> {
    claim.labels().get(NAME_LABEL).map(|name| SetKey::beside(claim, name)).into_iter().collect()
}
