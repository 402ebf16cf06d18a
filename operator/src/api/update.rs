//! Rollout, claims and disruption.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a changed pod template reaches the pods.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct UpdateStrategy {
    /// Who replaces the pods: RollingUpdate, the operator, one at a time, primaries last; OnDelete, whoever deletes
    /// them. Default: RollingUpdate.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<UpdateKind>,
}

/// Who replaces pods of an older template.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[schemars(transform = super::undescribed)]
pub enum UpdateKind {
    /// The operator: one at a time, primaries last.
    #[default]
    RollingUpdate,
    /// Whoever deletes them.
    OnDelete,
}

/// What becomes of the claims of replicas that are no longer wanted.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ClaimRetention {
    /// When the resource is deleted. Default: Retain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when_deleted: Option<Retention>,
    /// When the set is made smaller. Default: Retain. Delete means that growing again copies all data anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when_scaled: Option<Retention>,
}

/// Whether claims are kept.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[schemars(transform = super::undescribed)]
pub enum Retention {
    /// Claims and their data are kept.
    #[default]
    Retain,
    /// Claims are deleted, and with them usually the data.
    Delete,
}

/// How many members a node drain may take away at once.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct DisruptionBudget {
    /// Whether there is a PodDisruptionBudget. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// How many pods, or what share of them, may be evicted at once. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<IntOrString>,
}
