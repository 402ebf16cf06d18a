//! Which sets a changed object concerns.

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::runtime::reflector::{ObjectRef, Store};
use kube::{Resource, ResourceExt};

use super::{Guarded, SetKey, Stores};
use crate::api::ReplicatedStatefulSet;
use crate::observe::{WatchedNode, names};

/// A set's own status is written here, and is no reason to look at it again.
pub(super) fn of_set(stores: &Stores, set: &Guarded<ReplicatedStatefulSet>) -> Vec<SetKey> {
    let key = SetKey::beside(set, &set.name_any());
    let is_known = stores.set(&key).is_some_and(|known| same_wish(known.meta(), set.meta()));
    if is_known { Vec::new() } else { vec![key] }
}

/// Nothing but the status changed between two states of an object.
fn same_wish(a: &ObjectMeta, b: &ObjectMeta) -> bool {
    (&a.uid, a.generation, &a.deletion_timestamp) == (&b.uid, b.generation, &b.deletion_timestamp)
        && (&a.labels, &a.annotations) == (&b.labels, &b.annotations)
}

pub(super) fn of_workload(_: &Stores, workload: &StatefulSet) -> Vec<SetKey> {
    let name = workload.name_any();
    name.strip_prefix("rss-").map(|set| SetKey::beside(workload, set)).into_iter().collect()
}

pub(super) fn of_pod(pod: &Pod) -> Option<SetKey> {
    let name = pod.name_any();
    Some(SetKey::beside(pod, names::set_of_pod(&name).or_else(|| names::set_of_identity(pod))?))
}

pub(super) fn of_owner<K: Resource>(_: &Stores, child: &K) -> Vec<SetKey> {
    let set = child.owner_references().iter().find(|owner| owner.controller == Some(true));
    set.map(|owner| SetKey::beside(child, &owner.name)).into_iter().collect()
}

pub(super) fn of_claim(_: &Stores, claim: &PersistentVolumeClaim) -> Vec<SetKey> {
    let name = claim.name_any();
    let by_label = names::identity_of_claim(claim).map(|(set, _)| set);
    names::sets_of_claim(&name).chain(by_label).map(|set| SetKey::beside(claim, set)).collect()
}

/// A kubelet also reports where nothing changed.
pub(super) fn of_node(stores: &Stores, node: &WatchedNode) -> Vec<SetKey> {
    if has_other_facts(&stores.nodes, node) { stores.on_node(&node.name_any()) } else { Vec::new() }
}

/// Whether the facts of a Node differ from those in the cache. A Node that the cache does not hold differs.
pub(crate) fn has_other_facts(cached: &Store<WatchedNode>, node: &WatchedNode) -> bool {
    cached.get(&ObjectRef::new(&node.name_any())).is_none_or(|cached| cached.facts != node.facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::follow::keep;
    use kube::runtime::reflector::store;
    use kube::runtime::reflector::store::Writer;
    use kube::runtime::watcher::Event;
    use serde_json::{Value, json};

    #[test]
    fn only_a_write_of_the_status_is_no_reason_to_look_again() {
        let meta = ObjectMeta {
            uid: Some("u".into()),
            generation: Some(1),
            resource_version: Some("1".into()),
            ..ObjectMeta::default()
        };
        let written = ObjectMeta { resource_version: Some("2".into()), ..meta.clone() };
        assert!(same_wish(&meta, &written));
        let text = || Some([("clusterlabs.org/allow".to_owned(), "key".to_owned())].into());
        for changed in [
            ObjectMeta { generation: Some(2), ..meta.clone() },
            ObjectMeta { annotations: text(), ..meta.clone() },
            ObjectMeta { labels: text(), ..meta.clone() },
            ObjectMeta { uid: Some("v".into()), ..meta.clone() },
            ObjectMeta {
                deletion_timestamp: Some(serde_json::from_str("\"2026-01-01T00:00:00Z\"").unwrap()),
                ..meta.clone()
            },
        ] {
            assert!(!same_wish(&meta, &changed), "{changed:?}");
        }
    }

    /// Caches of a cluster in which the sets `a` and `b` have a pod on the node `n0`, and `c` has a pod on `n1`.
    /// The cache of nodes is empty.
    fn stores() -> (Stores, Writer<WatchedNode>) {
        let ((pods, mut pods_writer), (nodes, nodes_writer)) = (store(), store());
        for (name, node) in [("rss-a-0", "n0"), ("rss-b-1", "n0"), ("rss-c-0", "n1")] {
            let pod = json!({"metadata": {"name": name, "namespace": "ns"},
                "spec": {"nodeName": node, "containers": []}});
            pods_writer.apply_watcher_event(&Event::Apply(serde_json::from_value(pod).unwrap()));
        }
        (Stores { pods: vec![pods], nodes, ..Stores::empty() }, nodes_writer)
    }

    /// The node `n0` as its kubelet reports it, but with this value at this place.
    fn node_with(pointer: &str, value: Value) -> WatchedNode {
        let time = "2026-01-01T00:00:00Z";
        let mut node = json!({
            "metadata": {"name": "n0", "uid": "u", "resourceVersion": "1", "labels": {}, "annotations": {}},
            "spec": {"unschedulable": false, "taints": []},
            "status": {
                "conditions": [
                    {"type": "MemoryPressure", "status": "False", "lastHeartbeatTime": time},
                    {"type": "Ready", "status": "True", "lastHeartbeatTime": time, "reason": "KubeletReady"},
                ],
                "images": [],
                "nodeInfo": {"bootID": "boot", "kubeletVersion": "v1"},
            },
        });
        *node.pointer_mut(pointer).unwrap() = value;
        serde_json::from_value(node).unwrap()
    }

    /// The names of the sets that an event of the watch of nodes wakes.
    fn woken(writer: &mut Writer<WatchedNode>, stores: &Stores, event: &Event<WatchedNode>) -> Vec<String> {
        let mut keys = keep(writer, event, stores, of_node);
        keys.sort();
        keys.into_iter().map(|key| key.name).collect()
    }

    const READY: &str = "/status/conditions/1/status";
    const TAINTS: &str = "/spec/taints";

    #[test]
    fn only_a_change_that_the_operator_reads_of_a_node_wakes_the_sets_on_it() {
        let taint = |key: &str| json!([{"key": key, "effect": "NoExecute"}]);
        let heartbeat = || json!("2026-01-01T00:00:10Z");
        for (change, pointer, value, wakes) in [
            ("a heartbeat", "/status/conditions/1/lastHeartbeatTime", heartbeat(), false),
            (
                "a heartbeat of another condition",
                "/status/conditions/0/lastHeartbeatTime",
                heartbeat(),
                false,
            ),
            ("another resource version", "/metadata/resourceVersion", json!("2"), false),
            ("an annotation", "/metadata/annotations", json!({"a": "b"}), false),
            ("a label", "/metadata/labels", json!({"a": "b"}), false),
            ("it is cordoned", "/spec/unschedulable", json!(true), false),
            ("another image", "/status/images", json!([{"names": ["i"]}]), false),
            ("another kubelet", "/status/nodeInfo/kubeletVersion", json!("v2"), false),
            ("another condition", "/status/conditions/0/status", json!("True"), false),
            ("another reason", "/status/conditions/1/reason", json!("Other"), false),
            ("another taint", TAINTS, taint("node.kubernetes.io/unreachable"), false),
            ("the taint that it is off", TAINTS, taint("node.kubernetes.io/out-of-service"), true),
            ("it is not ready", READY, json!("False"), true),
            ("its kubelet is silent", READY, json!("Unknown"), true),
            ("it has no conditions", "/status/conditions", json!([]), true),
            ("another boot", "/status/nodeInfo/bootID", json!("other"), true),
        ] {
            let (stores, mut writer) = stores();
            let before = Event::Apply(node_with(READY, json!("True")));
            assert_eq!(woken(&mut writer, &stores, &before), ["a", "b"], "the node is new");
            let after = Event::Apply(node_with(pointer, value));
            let expected: &[&str] = if wakes { &["a", "b"] } else { &[] };
            assert_eq!(woken(&mut writer, &stores, &after), expected, "{change}");
            assert!(woken(&mut writer, &stores, &after).is_empty(), "{change}: it is compared with the last");
        }
    }

    #[test]
    fn a_node_that_disappears_or_appears_anew_wakes_the_sets_on_it() {
        let (stores, mut writer) = stores();
        let node = || node_with(READY, json!("True"));
        for event in [Event::Apply(node()), Event::Delete(node()), Event::Apply(node())] {
            assert_eq!(woken(&mut writer, &stores, &event), ["a", "b"], "{event:?}");
        }
    }
}
