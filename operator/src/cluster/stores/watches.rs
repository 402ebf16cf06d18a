//! The watches that fill the caches, and whom each change concerns.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube::api::Api;
use kube::runtime::reflector;
use kube::runtime::reflector::store::Writer;
use kube::runtime::watcher::Config;
use kube::{Client, Resource, ResourceExt};
use tokio::sync::mpsc::UnboundedSender;

use super::Stores;
use crate::api::{NAME_LABEL, StatefulCluster};
use crate::cluster::names::{CLUSTER_UID, IDENTITY};
use crate::controller::{Guarded, Scope, Sender, SetKey, Source, has_other_facts};
use crate::observe::WatchedNode;
use crate::telemetry::{Kind, Watches};

/// The watches, to be polled for as long as the process lives; each change tells which resources it concerns.
pub(in crate::cluster) fn watches(
    client: &Client,
    namespaces: &[String],
    changed: &UnboundedSender<SetKey>,
) -> (Stores, Vec<BoxFuture<'static, ()>>) {
    let (nodes, nodes_writer) = reflector::store();
    let mut stores = Stores {
        clusters: Vec::new(),
        pods: Vec::new(),
        claims: Vec::new(),
        revisions: Vec::new(),
        nodes,
        watches: Watches::new(Kind::StatefulCluster),
    };
    let scopes = Scope::each(client, namespaces, &stores.watches);
    let scopes: Vec<_> = scopes.into_iter().map(|scope| (scope, Writers::open(&mut stores))).collect();
    let all = Sender { stores, changed: changed.clone() };
    let node = Source::new(Api::all(client.clone()), Config::default(), nodes_writer);
    let mut watches = vec![node.follow(&all, |_| {}, of_node).boxed()];
    for (scope, writers) in scopes {
        watches.extend(writers.follow(&scope, &all));
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

    fn follow(self, scope: &Scope, all: &Sender<Stores>) -> [BoxFuture<'static, ()>; 4] {
        let labelled = |label| Config::default().labels(label);
        let clusters = scope.source(Config::default(), self.clusters);
        // Not by a label that is withdrawn: a pod that is set aside is still one of ours.
        let pods = scope.source(labelled(IDENTITY), self.pods);
        let claims = scope.source(labelled(CLUSTER_UID), self.claims);
        let revisions = scope.source(labelled(NAME_LABEL), self.revisions);
        [
            clusters.follow(all, |_| {}, of_cluster).boxed(),
            pods.follow(all, |_| {}, of_pod).boxed(),
            claims.follow(all, |_| {}, of_claim).boxed(),
            revisions.follow(all, |_| {}, of_owner).boxed(),
        ]
    }
}

/// A kubelet also reports where nothing changed.
fn of_node(stores: &Stores, node: &WatchedNode) -> Vec<SetKey> {
    if has_other_facts(&stores.nodes, node) { stores.on_node(&node.name_any()) } else { Vec::new() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use kube::runtime::watcher::Event;
    use serde_json::json;

    fn node(ready: &str, heartbeat: &str) -> WatchedNode {
        let condition = json!({"type": "Ready", "status": ready, "lastHeartbeatTime": heartbeat});
        let node = json!({"metadata": {"name": "n0"}, "status": {"conditions": [condition]}});
        serde_json::from_value(node).unwrap()
    }

    #[test]
    fn only_a_change_that_the_operator_reads_of_a_node_wakes_the_resources_on_it() {
        let ((pods, mut pods_writer), (nodes, mut nodes_writer)) = (reflector::store(), reflector::store());
        let owner = json!({"apiVersion": "", "kind": "", "name": "coder", "uid": "u", "controller": true});
        let metadata = json!({"name": "coder-a", "namespace": "ns", "ownerReferences": [owner]});
        let pod = json!({"metadata": metadata, "spec": {"nodeName": "n0", "containers": []}});
        pods_writer.apply_watcher_event(&Event::Apply(serde_json::from_value(pod).unwrap()));
        let (clusters, claims, revisions) = (Vec::new(), Vec::new(), Vec::new());
        let watches = Watches::answered(Kind::StatefulCluster);
        let stores = Stores { clusters, pods: vec![pods], claims, revisions, nodes, watches };
        let (first, second) = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:10Z");
        for (change, now, wakes) in [
            ("the node is new", node("True", first), true),
            ("a heartbeat", node("True", second), false),
            ("its kubelet is silent", node("Unknown", second), true),
        ] {
            let expected = if wakes { vec![SetKey::new("ns", "coder")] } else { Vec::new() };
            assert_eq!(of_node(&stores, &now), expected, "{change}");
            nodes_writer.apply_watcher_event(&Event::Apply(now));
        }
        nodes_writer.apply_watcher_event(&Event::Delete(node("Unknown", second)));
        assert_eq!(of_node(&stores, &node("Unknown", second)).len(), 1, "the node is gone");
    }
}
