//! What objects say.

use std::sync::Arc;

use api_server::Store;
use serde_json::{Value, json};

/// When, is of no meaning where time is virtual.
pub(super) const LONG_AGO: &str = "2026-01-01T00:00:00Z";
/// The resource.
pub(super) const CLUSTER_PATH: &str = "/apis/enge.me/v1alpha1/namespaces/shop/statefulclusters/db";
/// Whose pod or claim it is.
const IDENTITY: &str = "enge.me/identity";

/// A pod or a claim of a StatefulCluster.
pub(crate) fn is_identity(object: &Value) -> bool {
    object["metadata"]["labels"][IDENTITY].is_string()
}

pub(super) fn identity(object: &Value) -> &str {
    object["metadata"]["labels"][IDENTITY].as_str().unwrap_or_default()
}

pub(super) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

pub(super) fn uid(object: &Value) -> &str {
    object["metadata"]["uid"].as_str().unwrap_or_default()
}

/// It was told to end.
pub(super) fn is_leaving(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

pub(super) fn node_of(pod: &Value) -> Option<&str> {
    pod["spec"]["nodeName"].as_str()
}

pub(super) fn has_failed(pod: &Value) -> bool {
    pod["status"]["phase"] == "Failed"
}

pub(super) fn is_ready(object: &Value) -> bool {
    let mut conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions.any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

pub(super) fn ready(status: &str) -> Value {
    json!([{"type": "Ready", "status": status, "lastTransitionTime": LONG_AGO}])
}

/// What its container is to run.
pub(super) fn image(pod: &Value) -> &str {
    pod["spec"]["containers"][0]["image"].as_str().unwrap_or_default()
}

/// The claims that a pod mounts, by their names.
pub(super) fn mounts(pod: &Value) -> Vec<&str> {
    let volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
    volumes.filter_map(|volume| volume["persistentVolumeClaim"]["claimName"].as_str()).collect()
}

/// Objects as they were at one moment, with their paths.
pub(super) type Objects = Vec<(String, Arc<Value>)>;

/// The identities' objects of a kind.
fn all(store: &Store, plural: &'static str) -> Objects {
    let all = store.shared(plural).filter(|(_, object)| is_identity(object));
    all.map(|(path, object)| (path.clone(), Arc::clone(object))).collect()
}

pub(super) fn pods(store: &Store) -> Objects {
    all(store, "pods")
}

pub(super) fn claims(store: &Store) -> Objects {
    all(store, "persistentvolumeclaims")
}

pub(super) fn claim_path(name: &str) -> String {
    format!("/api/v1/namespaces/shop/persistentvolumeclaims/{name}")
}

pub(super) fn node_path(name: &str) -> String {
    format!("/api/v1/nodes/{name}")
}

/// What Kubernetes gives each pod that says nothing itself.
pub(super) fn default_tolerations() -> Value {
    let of = |taint: &str| {
        json!({"key": format!("node.kubernetes.io/{taint}"), "operator": "Exists", "effect": "NoExecute",
            "tolerationSeconds": 300})
    };
    json!([of("not-ready"), of("unreachable")])
}

/// As a person wrote it.
pub(super) fn resource(replicas: u64, retention: &str) -> Value {
    json!({
        "apiVersion": "enge.me/v1alpha1", "kind": "StatefulCluster",
        "metadata": {"name": "db", "namespace": "shop", "uid": "cluster", "generation": 1},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "db"}}, "serviceName": "peers",
            "template": {"spec": {"containers": [{"name": "db", "image": "db:1", "args": ["1"]}]}},
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}],
            "persistentVolumeClaimRetentionPolicy": {"whenScaled": retention},
            "replacement": {"unhealthyAfter": "2m", "unheardAfter": "1m", "budget": 1000, "window": "1m"},
            "progressDeadlineSeconds": 120},
    })
}
