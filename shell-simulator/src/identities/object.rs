//! What objects say.

use api_server::{Kept, Store};
use serde_json::{Value, json};

/// When, is of no meaning where time is virtual.
pub(crate) const LONG_AGO: &str = "2026-01-01T00:00:00Z";
/// The resource.
pub(crate) const CLUSTER_PATH: &str = "/apis/enge.me/v1alpha1/namespaces/shop/statefulclusters/db";
/// All of its kind.
const CLUSTERS: &str = "/apis/enge.me/v1alpha1/namespaces/shop/statefulclusters";
/// Whose pod or claim it is.
const IDENTITY: &str = "enge.me/identity";

/// A pod or a claim of a StatefulCluster.
pub(crate) fn is_identity(object: &Value) -> bool {
    object["metadata"]["labels"][IDENTITY].is_string()
}

pub(crate) fn identity(object: &Value) -> &str {
    object["metadata"]["labels"][IDENTITY].as_str().unwrap_or_default()
}

pub(crate) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

pub(crate) fn uid(object: &Value) -> &str {
    object["metadata"]["uid"].as_str().unwrap_or_default()
}

/// It was told to end.
pub(crate) fn is_leaving(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

pub(crate) fn node_of(pod: &Value) -> Option<&str> {
    pod["spec"]["nodeName"].as_str()
}

pub(crate) fn has_failed(pod: &Value) -> bool {
    pod["status"]["phase"] == "Failed"
}

pub(crate) fn is_ready(object: &Value) -> bool {
    let mut conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions.any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

pub(crate) fn ready(status: &str) -> Value {
    json!([{"type": "Ready", "status": status, "lastTransitionTime": LONG_AGO}])
}

/// What its container is to run.
pub(crate) fn image(pod: &Value) -> &str {
    pod["spec"]["containers"][0]["image"].as_str().unwrap_or_default()
}

/// The claims that a pod mounts, by their names.
pub(crate) fn mounts(pod: &Value) -> Vec<&str> {
    let volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
    volumes.filter_map(|volume| volume["persistentVolumeClaim"]["claimName"].as_str()).collect()
}

/// Objects as they were at one moment, with their paths.
pub(crate) type Objects = Vec<(String, Kept)>;

/// The resource to which a pod or a claim belongs.
pub(crate) fn cluster_of<'a>(object: &Value, store: &'a Store) -> Option<&'a Value> {
    let name = object["metadata"]["labels"]["enge.me/statefulcluster"].as_str()?;
    store.get(&format!("{CLUSTERS}/{name}"))
}

/// Whom its owner has given up, where it has one that decides.
pub(crate) fn released(cluster: &Value) -> Option<Vec<&str>> {
    let list = cluster["spec"]["replacement"]["released"].as_array()?;
    Some(list.iter().filter_map(Value::as_str).collect())
}

/// A set made it, and decides who goes.
pub(crate) fn is_of_a_set(cluster: &Value) -> bool {
    let owners = cluster["metadata"]["ownerReferences"].as_array();
    owners.into_iter().flatten().any(|owner| owner["controller"] == true)
}

/// The identities' objects of a kind.
fn all(store: &Store, plural: &'static str) -> Objects {
    let all = store.shared(plural).filter(|(_, object)| is_identity(object));
    all.map(|(path, object)| (path.clone(), object.clone())).collect()
}

pub(crate) fn pods(store: &Store) -> Objects {
    all(store, "pods")
}

pub(crate) fn claims(store: &Store) -> Objects {
    all(store, "persistentvolumeclaims")
}

pub(crate) fn claim_path(name: &str) -> String {
    format!("/api/v1/namespaces/shop/persistentvolumeclaims/{name}")
}

pub(crate) fn node_path(name: &str) -> String {
    format!("/api/v1/nodes/{name}")
}

/// What Kubernetes gives each pod that says nothing itself.
pub(crate) fn default_tolerations() -> Value {
    let of = |taint: &str| {
        json!({"key": format!("node.kubernetes.io/{taint}"), "operator": "Exists", "effect": "NoExecute",
            "tolerationSeconds": 300})
    };
    json!([of("not-ready"), of("unreachable")])
}

/// As a person wrote it.
pub(crate) fn resource(replicas: u64, retention: &str) -> Value {
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
