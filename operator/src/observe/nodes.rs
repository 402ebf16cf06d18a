//! Nodes: whether they answer, and which start of the machine it is.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1 as core;
use planner::memory::Memory;
use planner::names::{BootId, NodeName};
use planner::observation::{Node, Replica};

/// The taint by which an administrator vouches that a node is off.
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// What the API shows of a node.
pub(crate) fn node(node: &core::Node) -> Node {
    let status = node.status.as_ref();
    let ready = status.and_then(|s| s.conditions.as_ref()).into_iter().flatten();
    let taints = node.spec.as_ref().and_then(|spec| spec.taints.as_ref()).into_iter().flatten();
    Node {
        ready: ready.into_iter().any(|c| c.type_ == "Ready" && c.status == "True"),
        boot: boot(node),
        out_of_service: taints.into_iter().any(|taint| taint.key == OUT_OF_SERVICE),
    }
}

/// Which start of the machine it is; none before its kubelet told of it.
pub(crate) fn boot(node: &core::Node) -> BootId {
    let info = node.status.as_ref().and_then(|status| status.node_info.as_ref());
    BootId(info.map(|info| info.boot_id.clone()).unwrap_or_default())
}

/// A node that is not seen, or may not be: an operator with rights in its own namespaces only. Nothing is known of it
/// that could prove an end, its boot neither.
pub(crate) fn unseen() -> Node {
    Node { ready: false, boot: BootId::default(), out_of_service: false }
}

/// The nodes that matter to a set: where its pods are, and where a start may still be alive.
pub(crate) fn named(
    replicas: &BTreeMap<planner::names::ReplicaName, Replica>,
    memory: &Memory,
) -> BTreeSet<NodeName> {
    let pods = replicas.values().filter_map(|replica| replica.pod.as_ref()?.node.clone());
    let claims =
        replicas.values().flat_map(|replica| &replica.claims).filter_map(|claim| claim.record.as_ref());
    let starts = memory.holders.values().chain(claims).flat_map(|record| &record.open);
    pods.chain(starts.map(|start| start.node.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_node_is_ready_only_if_it_says_so() {
        for (status, ready) in [("True", true), ("False", false), ("Unknown", false)] {
            let seen = node(&serde_json::from_value(json!({
                "metadata": {"name": "n"},
                "status": {"conditions": [{"type": "MemoryPressure", "status": "True"}, {"type": "Ready", "status": status}]},
            })).unwrap());
            assert_eq!(seen.ready, ready, "{status}");
            assert!(!seen.out_of_service);
        }
    }

    #[test]
    fn the_taint_of_an_administrator_is_seen() {
        let seen = node(
            &serde_json::from_value(json!({
                "metadata": {"name": "n"},
                "spec": {"taints": [{"key": OUT_OF_SERVICE, "effect": "NoExecute"}]},
            }))
            .unwrap(),
        );
        assert!(seen.out_of_service && !seen.ready);
    }
}
