//! A set of two for tests: `rss-x-0` has a pod and a claim, `rss-x-5` a claim, `rss-x-1` nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, PersistentVolumeClaim, Pod};
use largest_integer::LargestInteger;
use native_policy::Native;
use planner::memory::Epoch;
use planner::record::{HolderId, Record};
use planner::{Memory, Observation};
use serde_json::{Value, json};

use super::{Evidence, Objects, RECORD, WatchedNode, names, observation, readings, target_view};
use crate::api::ReplicatedStatefulSet;
use crate::target::Target;

pub(crate) fn set(spec: Value) -> ReplicatedStatefulSet {
    let command = |name: &str| json!({"command": [name]});
    let mut value = json!({
        "apiVersion": "clusterlabs.org/v1alpha1", "kind": "ReplicatedStatefulSet",
        "metadata": {"name": "x", "namespace": "ns", "uid": "set", "generation": 2},
        "spec": {"replicas": 2, "pod": {
            "commands": {"sequence": command("sequence"), "primary": command("primary"),
                "status": command("status"), "stop": command("stop")},
            "containers": [{"name": "db", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
            "volumeClaimTemplates": [{"metadata": {"name": "data"}}]}},
    });
    for (key, field) in spec.as_object().unwrap() {
        value["spec"][key] = field.clone();
    }
    serde_json::from_value(value).unwrap()
}

pub(crate) fn pod(uid: &str, node: &str) -> Arc<Pod> {
    let status = json!({"phase": "Running", "containerStatuses": [{"name": "db", "image": "", "imageID": "",
        "ready": true, "restartCount": 0, "containerID": format!("c://{uid}"), "state": {"running": {}}}]});
    let value = json!({"metadata": {"uid": uid}, "spec": {"nodeName": node, "containers": [{"name": "db"}]},
        "status": status});
    Arc::new(serde_json::from_value(value).unwrap())
}

pub(crate) fn claim(uid: &str, record: Option<&Record>) -> Arc<PersistentVolumeClaim> {
    let mut value =
        json!({"metadata": {"uid": uid, "name": format!("data-{uid}")}, "status": {"phase": "Bound"}});
    if let Some(record) = record {
        value["metadata"]["annotations"] = json!({RECORD: serde_json::to_string(record).unwrap()});
    }
    Arc::new(serde_json::from_value(value).unwrap())
}

pub(crate) fn node(name: &str) -> Arc<WatchedNode> {
    let mut node = Node::default();
    node.metadata.name = Some(name.to_owned());
    Arc::new(node.into())
}

pub(crate) fn objects() -> Objects {
    Objects {
        set: Arc::new(set(json!({}))),
        workload: None,
        cluster: None,
        pods: BTreeMap::from([("rss-x-0".into(), pod("p0", "n0"))]),
        claims: [(0, "k0"), (5, "k5")]
            .map(|(n, uid)| (names::replica("x", n), vec![claim(uid, None)]))
            .into(),
        elsewhere: BTreeSet::new(),
        nodes: Some(vec![node("n0"), node("n1"), node("far")]),
    }
}

/// A holder on claim `k0` with a start that was sent to this pod on this node.
pub(crate) fn with_start(pod: &str, node: &str) -> Record {
    let mut record = Record::new(HolderId::Claims(vec!["k0".into()]), "rss-x-0".into(), Epoch::default());
    let start =
        json!({"attempt": "a", "kind": "Seed", "pod": pod, "container": "c", "node": node, "boot": "b"});
    record.open.push(serde_json::from_value(start).unwrap());
    record
}

pub(crate) fn look(objects: &Objects, memory: &Memory, evidence: Evidence) -> Observation {
    let target = Target::parse(&objects.set).unwrap();
    let mut seen = observation(objects, target_view(&target, None), memory, evidence);
    seen.verdicts.readings = readings(&seen.attempts, &Native(LargestInteger::default()));
    seen
}
