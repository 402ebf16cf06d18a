//! What the API server is told of it.

use serde_json::{Value, json};

use super::{ADDRESS, NAME, NAMESPACE, PORT, folder};
use crate::image::Image;

pub(super) fn namespace() -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
}

/// Deployment and service; the Secret is made once and not changed.
pub(super) fn all(image: &Image) -> Value {
    json!({"apiVersion": "v1", "kind": "List", "items": [service(), deployment(image)]})
}

fn service() -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "spec": {
            "clusterIP": ADDRESS,
            "selector": {"app": NAME},
            "ports": [{"port": PORT, "targetPort": PORT}],
        },
    })
}

/// One at a time: two would write the same files.
fn deployment(image: &Image) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "spec": {
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": {"app": NAME}},
            "template": {
                // The image's name stays the same when it changes.
                "metadata": {"labels": {"app": NAME}, "annotations": {"image": image.digest()}},
                "spec": pod(image),
            },
        },
    })
}

fn pod(image: &Image) -> Value {
    json!({
        "automountServiceAccountToken": false,
        "terminationGracePeriodSeconds": 5,
        "containers": [{
            "name": NAME,
            "image": image.name,
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
                {"name": "images", "mountPath": folder()},
            ],
        }],
        "volumes": [
            {"name": "config", "secret": {"secretName": NAME}},
            {"name": "images", "hostPath": {"path": folder(), "type": "DirectoryOrCreate"}},
        ],
    })
}
