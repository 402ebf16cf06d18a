//! How many members a drain may take away at once.

use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::names::{metadata, pod_labels, workload_name};
use crate::target::Target;

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
            ..PodDisruptionBudgetSpec::default()
        }),
        status: None,
    })
}
