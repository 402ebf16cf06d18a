//! A Node of Kubernetes, reduced to what the operator reads of it. The caches hold nothing else of a Node, so the
//! operator cannot read a field that is not compared.

use std::borrow::Cow;

use k8s_openapi::ClusterResourceScope;
use k8s_openapi::api::core::v1 as core;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use planner::names::BootId;
use serde::Deserialize;

/// The taint by which an administrator vouches that a node is off.
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// All that the operator reads of a Node. A change of the Node that leaves its facts equal wakes no set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeFacts {
    /// The status of the condition `Ready`: `True`, `False` or `Unknown`. It is `None` without such a condition.
    pub ready: Option<String>,
    /// The current boot of the machine. It is empty until the kubelet reports it.
    pub boot: BootId,
    /// An administrator vouches that the machine is off.
    pub out_of_service: bool,
}

/// The name of a Node and its facts.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "core::Node")]
pub struct WatchedNode {
    /// The name, and what a watch needs: UID and resource version.
    metadata: ObjectMeta,
    /// The facts that the operator reads.
    pub facts: NodeFacts,
}

// === impl NodeFacts ===

impl NodeFacts {
    fn of(node: &core::Node) -> Self {
        let status = node.status.as_ref();
        let mut conditions = status.and_then(|status| status.conditions.as_ref()).into_iter().flatten();
        let mut taints = node.spec.as_ref().and_then(|spec| spec.taints.as_ref()).into_iter().flatten();
        let info = status.and_then(|status| status.node_info.as_ref());
        Self {
            ready: conditions.find(|one| one.type_ == "Ready").map(|ready| ready.status.clone()),
            boot: BootId(info.map(|info| info.boot_id.clone()).unwrap_or_default()),
            out_of_service: taints.any(|taint| taint.key == OUT_OF_SERVICE),
        }
    }
}

// === impl WatchedNode ===

impl From<core::Node> for WatchedNode {
    fn from(node: core::Node) -> Self {
        let facts = NodeFacts::of(&node);
        let ObjectMeta { name, uid, resource_version, .. } = node.metadata;
        Self { metadata: ObjectMeta { name, uid, resource_version, ..ObjectMeta::default() }, facts }
    }
}

impl Resource for WatchedNode {
    type DynamicType = ();
    type Scope = ClusterResourceScope;

    fn kind(kind: &()) -> Cow<'_, str> {
        <core::Node as Resource>::kind(kind)
    }

    fn group(kind: &()) -> Cow<'_, str> {
        <core::Node as Resource>::group(kind)
    }

    fn version(kind: &()) -> Cow<'_, str> {
        <core::Node as Resource>::version(kind)
    }

    fn plural(kind: &()) -> Cow<'_, str> {
        <core::Node as Resource>::plural(kind)
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_taint_of_an_administrator_is_read() {
        for (key, expected) in [(OUT_OF_SERVICE, true), ("node.kubernetes.io/unreachable", false)] {
            let node =
                json!({"metadata": {"name": "n"}, "spec": {"taints": [{"key": key, "effect": "NoExecute"}]}});
            let node: WatchedNode = serde_json::from_value(node).unwrap();
            assert_eq!(node.facts, NodeFacts { out_of_service: expected, ..NodeFacts::default() }, "{key}");
        }
    }
}
