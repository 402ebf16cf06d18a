//! What the API server is told of it.

use serde_json::{Value, json};

use super::program::{IMAGE, revision};
use super::{NAME, NAMESPACE, PORT, folder};

pub(super) fn namespace() -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
}

/// It comes first, for its address; the Secret is made for that once and not changed.
pub(super) fn service() -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME},
        "spec": {"selector": {"app": NAME}, "ports": [{"port": PORT, "targetPort": PORT}]},
    })
}

/// One at a time: two would write the same files.
pub(super) fn deployment(namespace: &str) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME},
        "spec": {
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": {"app": NAME}},
            "template": {
                // The image's name stays the same when it changes.
                "metadata": {"labels": {"app": NAME}, "annotations": {"program": revision()}},
                "spec": pod(namespace),
            },
        },
    })
}

fn pod(namespace: &str) -> Value {
    json!({
        "automountServiceAccountToken": false,
        "terminationGracePeriodSeconds": 5,
        "containers": [{
            "name": NAME,
            "image": IMAGE,
            "imagePullPolicy": "Never",
            "args": ["serve", "/etc/registry/config.yml"],
            // It would send traces to a collector that is not there.
            "env": [{"name": "OTEL_TRACES_EXPORTER", "value": "none"}],
            "ports": [{"containerPort": PORT}],
            "readinessProbe": {
                "httpGet": {"path": "/", "port": PORT, "scheme": "HTTPS"},
                "periodSeconds": 1,
            },
            "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}},
            "volumeMounts": [
                {"name": "config", "mountPath": "/etc/registry", "readOnly": true},
                {"name": "images", "mountPath": folder(namespace)},
            ],
        }],
        "volumes": [
            {"name": "config", "secret": {"secretName": NAME}},
            {"name": "images", "hostPath": {"path": folder(namespace), "type": "DirectoryOrCreate"}},
        ],
    })
}
