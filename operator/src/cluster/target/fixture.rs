//! The ancestor's example.

use k8s_openapi::api::core::v1::PodTemplateSpec;
use serde_json::{Value, json};

use super::Wanted;
use crate::api::StatefulCluster;

/// The ancestor's example with more in its spec.
pub(crate) fn cluster(more: Value) -> StatefulCluster {
    let text = include_str!("../../../tests/fixtures/coder.yaml");
    let mut cluster: Value = serde_saphyr::from_str(text).unwrap();
    for (key, value) in more.as_object().unwrap() {
        cluster["spec"][key] = value.clone();
    }
    cluster["metadata"] = json!({"name": cluster["metadata"]["name"], "namespace": "shop", "uid": "c0",
        "generation": 2});
    serde_json::from_value(cluster).unwrap()
}

pub(crate) fn wanted(more: Value) -> Wanted {
    Wanted::parse(&cluster(more)).unwrap()
}

/// A template of one container.
pub(crate) fn template_of(image: &str, label: &str, command: &str) -> PodTemplateSpec {
    serde_json::from_value(json!({"metadata": {"labels": {"tier": label}, "annotations": {"a": label}},
        "spec": {"containers": [{"name": "db", "image": image, "command": [command]}],
                 "volumes": [{"name": "data", "emptyDir": {}}]}}))
    .unwrap()
}
