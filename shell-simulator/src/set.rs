//! The resource of a story.

use serde_json::{Value, json};
use simulator::Options;

/// As a person wrote it.
pub(crate) fn resource(options: &Options) -> Value {
    let command = |name: &str, timeout: &str| json!({"command": [name], "timeout": timeout});
    let mut commands = json!({"sequence": command("sequence", "10s"), "seed": command("seed", "30s"),
        "primary": command("primary", "60s"), "status": command("status", "10s"), "stop": command("stop", "20s")});
    if options.has_secondary {
        commands["secondary"] = command("secondary", "60s");
    }
    json!({
        "apiVersion": "clusterlabs.org/v1alpha1", "kind": "ReplicatedStatefulSet",
        "metadata": {"name": "x", "namespace": "shop", "uid": "set", "generation": 1},
        "spec": {"replicas": options.replicas, "primaries": options.primaries,
            "recovery": {"forcedDeletion": options.forced_deletion}, "pod": {
            "commands": commands, "terminationGracePeriodSeconds": 30,
            "containers": [{"name": "db", "image": "db",
                "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}]}},
    })
}
