//! What the operator says about a StatefulCluster.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{HoldStatus, Installation, Memory};

/// What the operator says about a StatefulCluster: a StatefulSet's status, and what is waited for.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ClusterStatus {
    /// The generation of the resource that this status speaks of; -1 until the operator has seen it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Pods that nobody has told to end.
    #[serde(default)]
    pub replicas: i32,
    /// Those of them that are ready.
    #[serde(default)]
    pub ready_replicas: i32,
    /// Those of them that are ready for `minReadySeconds`, on nodes that are heard of.
    #[serde(default)]
    pub available_replicas: i32,
    /// Those of them that have the template of `currentRevision`.
    #[serde(default)]
    pub current_replicas: i32,
    /// Those of them that have the template of `updateRevision`.
    #[serde(default)]
    pub updated_replicas: i32,
    /// The ControllerRevision with which all pods were available last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_revision: Option<String>,
    /// The ControllerRevision that is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_revision: Option<String>,
    /// Always 0: where another resource has the name of a ControllerRevision, ours ends in its own UID.
    #[serde(default)]
    pub collision_count: i32,
    /// Pods that are available, of those wanted, as "2/3".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<String>,
    /// What counts: the reason of the condition Stalled where that is True, else of Ready. One word of a closed set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The labels of the pods, as the scale subresource wants them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// One entry for each type: Ready, Available, Reconciling, Stalled, Scaling, Upgrading, Accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// What is waited for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<HoldStatus>,
    /// The installation of the operator that looks after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installation: Option<Installation>,
    /// What the operator has promised itself. Not for people and not to be edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}
