//! Nodes: whether they answer, and which start of the machine it is.

use std::collections::{BTreeMap, BTreeSet};

use planner::memory::Memory;
use planner::names::{BootId, NodeName};
use planner::observation::{Node, Replica};

use super::WatchedNode;

/// A Node as the planner sees it. A node is ready only if its kubelet says so.
pub(crate) fn node(node: &WatchedNode) -> Node {
    let facts = &node.facts;
    Node {
        ready: facts.ready.as_deref() == Some("True"),
        boot: facts.boot.clone(),
        out_of_service: facts.out_of_service,
    }
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
}
