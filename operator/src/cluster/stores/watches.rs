//! The watches that fill the caches, and whom each change concerns.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::{Node, PersistentVolumeClaim, Pod};
use kube::api::Api;
use kube::runtime::reflector;
use kube::runtime::reflector::store::Writer;
use kube::runtime::watcher::Config;
use kube::{Client, Resource, ResourceExt};
use tokio::sync::mpsc::UnboundedSender;

use super::Stores;
use crate::api::{NAME_LABEL, StatefulCluster};
use crate::cluster::names::{CLUSTER_UID, IDENTITY};
use crate::controller::{Guarded, Sender, SetKey, Source, api};

/// The watches, to be polled for as long as the process lives; each change tells which resources it concerns.
pub(in crate::cluster) fn watches(
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
    clusters: Writer<Guarded<StatefulCluster>>,
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
            pods.follow(all, |_| {}, of_pod).boxed(),
            claims.follow(all, |_| {}, of_claim).boxed(),
            revisions.follow(all, |_| {}, of_owner).boxed(),
        ]
    }
}

/// Its own status is written here, and is no reason to look at it again.
fn of_cluster(stores: &Stores, cluster: &Guarded<StatefulCluster>) -> Vec<SetKey> {
    let key = SetKey::beside(cluster, &cluster.name_any());
    let (now, known) = (cluster.meta(), stores.cluster(&key));
    let same = |known: &Arc<Guarded<StatefulCluster>>| {
        let known = known.meta();
        (&known.uid, known.generation, &known.deletion_timestamp)
            == (&now.uid, now.generation, &now.deletion_timestamp)
    };
    if known.as_ref().is_some_and(same) { Vec::new() } else { vec![key] }
}

pub(super) fn of_owner<K: Resource>(_: &Stores, child: &K) -> Vec<SetKey> {
    let cluster = child.owner_references().iter().find(|owner| owner.controller == Some(true));
    cluster.map(|owner| SetKey::beside(child, &owner.name)).into_iter().collect()
}

/// Whoever left it without an owner waits until it is gone.
fn of_pod(stores: &Stores, pod: &Pod) -> Vec<SetKey> {
    let of_owner = of_owner(stores, pod);
    if of_owner.is_empty() { of_label(pod) } else { of_owner }
}

fn of_claim(_: &Stores, claim: &PersistentVolumeClaim) -> Vec<SetKey> {
    of_label(claim)
}

fn of_label(object: &impl Resource) -> Vec<SetKey> {
    object.labels().get(NAME_LABEL).map(|name| SetKey::beside(object, name)).into_iter().collect()
}
