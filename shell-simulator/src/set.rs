//! The resource of a story.

use serde_json::{Value, json};
use simulator::{Options, Positions};

/// As a person wrote it.
pub(crate) fn resource(options: &Options) -> Value {
    let command = |name: &str, timeout: &str| json!({"command": [name], "timeout": timeout});
    let mut commands = json!({"sequence": command("sequence", "30s"), "seed": command("seed", "30s"),
        "primary": command("primary", "60s"), "status": command("status", "10s"), "stop": command("stop", "20s")});
    if options.has_secondary {
        commands["secondary"] = command("secondary", "60s");
    }
    let mut set = json!({
        "apiVersion": "clusterlabs.org/v1alpha1", "kind": "ReplicatedStatefulSet",
        "metadata": {"name": "x", "namespace": "shop", "uid": "set", "generation": 1},
        "spec": {"replicas": options.replicas, "primaries": options.primaries,
            "recovery": {"forcedDeletion": options.forced_deletion, "failover": options.failover}, "pod": {
            "commands": commands, "terminationGracePeriodSeconds": 30,
            "containers": [{"name": "db", "image": "db",
                "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}]}},
    });
    if options.positions == Positions::Monotonic {
        set["spec"]["policy"] = json!({"builtin": "largest-integer", "settings": {"monotonic": true}});
    }
    set
}

/// The same on a StatefulCluster: who is lost for so many seconds is replaced.
pub(crate) fn on_identities(options: &Options, replace_after: u64) -> Value {
    let mut set = resource(options);
    set["spec"]["workload"] = json!("StatefulCluster");
    set["spec"]["recovery"]["replaceAfter"] = json!(format!("{replace_after}s"));
    set
}
