//! How many members a drain may take away at once. A pod counts as healthy only while its member serves.

use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::names::{metadata, pod_labels, workload_name};
use crate::target::Target;

/// The only copy of the newest data may be with a member that does not serve: the budget protects it too while fewer serve
/// than the budget asks for (docs/decisions/0025).
const UNHEALTHY: &str = "IfHealthyBudget";

/// `None` where the resource wants none.
#[must_use]
pub fn build(target: &Target) -> Option<PodDisruptionBudget> {
    let limit = target.disruption_budget.clone()?;
    Some(PodDisruptionBudget {
        metadata: metadata(target, workload_name(target)),
        spec: Some(PodDisruptionBudgetSpec {
            max_unavailable: Some(limit),
            selector: Some(LabelSelector {
                match_labels: Some(pod_labels(target)),
                ..LabelSelector::default()
            }),
            unhealthy_pod_eviction_policy: Some(UNHEALTHY.into()),
            ..PodDisruptionBudgetSpec::default()
        }),
        status: None,
    })
}
