//! Labels and annotations of what is made for a set.

use std::collections::BTreeMap;

use kube::KubeSchema;
use serde::{Deserialize, Serialize};

/// Labels and annotations of what is made for a set.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct SetMetadata {
    /// Labels of the pods, the services, the StatefulSet and the PodDisruptionBudget. The keys `app`, `rss*` and
    /// `clusterlabs.org/*` are the operator's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations of the pods and the StatefulSet. The keys `clusterlabs.org/*` are the operator's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// Whether labels and annotations of the resource itself are copied too. Tools such as `kubectl apply --prune` find the
    /// objects of a release by labels of theirs, and delete a copy that is in no manifest. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_from_resource: Option<bool>,
}
