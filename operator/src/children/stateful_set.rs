//! The StatefulSet: it makes pods and claims, and decides nothing.

use std::fmt;

use k8s_openapi::api::apps::v1::{
    StatefulSet, StatefulSetPersistentVolumeClaimRetentionPolicy, StatefulSetSpec, StatefulSetUpdateStrategy,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::fingerprint::includes;
use super::names::{headless_service_name, metadata, pod_labels, workload_name};
use super::pod_template;
use crate::api::Retention;
use crate::target::Target;

/// The StatefulSet as it is wanted, without a number of replicas: that is never applied.
#[must_use]
pub fn build(target: &Target) -> StatefulSet {
    let mut meta = metadata(target, workload_name(target));
    meta.annotations = (!target.annotations.is_empty()).then(|| target.annotations.clone());
    let claims = &target.template.claims;
    StatefulSet {
        metadata: meta,
        spec: Some(StatefulSetSpec {
            service_name: Some(headless_service_name(target)),
            pod_management_policy: Some("Parallel".into()),
            update_strategy: Some(StatefulSetUpdateStrategy {
                type_: Some("OnDelete".into()),
                rolling_update: None,
            }),
            persistent_volume_claim_retention_policy: Some(retention(target)),
            selector: LabelSelector { match_labels: Some(pod_labels(target)), ..LabelSelector::default() },
            template: pod_template::build(target),
            volume_claim_templates: (!claims.is_empty()).then(|| claims.clone()),
            ..StatefulSetSpec::default()
        }),
        status: None,
    }
}

/// What becomes of claims.
pub(super) fn retention(target: &Target) -> StatefulSetPersistentVolumeClaimRetentionPolicy {
    StatefulSetPersistentVolumeClaimRetentionPolicy {
        when_deleted: Some(word(target.retention.when_deleted)),
        when_scaled: Some(word(target.retention.when_scaled)),
    }
}

fn word(retention: Retention) -> String {
    match retention {
        Retention::Retain => "Retain".into(),
        Retention::Delete => "Delete".into(),
    }
}

/// A field of a StatefulSet that cannot be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImmutableField {
    /// `spec.serviceName`.
    ServiceName,
    /// `spec.podManagementPolicy`.
    PodManagementPolicy,
    /// `spec.selector`.
    Selector,
    /// `spec.volumeClaimTemplates`.
    VolumeClaimTemplates,
}

impl ImmutableField {
    /// The path of the field.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ServiceName => "spec.serviceName",
            Self::PodManagementPolicy => "spec.podManagementPolicy",
            Self::Selector => "spec.selector",
            Self::VolumeClaimTemplates => "spec.volumeClaimTemplates",
        }
    }
}

impl fmt::Display for ImmutableField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Puts what cannot be changed back to what it is, and says where that made a difference.
pub(super) fn keep_immutable(wanted: &mut StatefulSet, live: &StatefulSet) -> Vec<ImmutableField> {
    let mut kept = Vec::new();
    let (Some(wanted), Some(live)) = (wanted.spec.as_mut(), live.spec.as_ref()) else { return kept };
    if wanted.service_name != live.service_name {
        wanted.service_name.clone_from(&live.service_name);
        kept.push(ImmutableField::ServiceName);
    }
    if wanted.pod_management_policy != live.pod_management_policy {
        wanted.pod_management_policy.clone_from(&live.pod_management_policy);
        kept.push(ImmutableField::PodManagementPolicy);
    }
    if wanted.selector != live.selector {
        wanted.selector = live.selector.clone();
        // A template that its own selector does not find is refused.
        let labels = wanted.template.metadata.get_or_insert_default().labels.get_or_insert_default();
        labels.extend(live.selector.match_labels.clone().unwrap_or_default());
        kept.push(ImmutableField::Selector);
    }
    let (ours, theirs) = (&wanted.volume_claim_templates, &live.volume_claim_templates);
    let as_json = |claims| serde_json::to_value(claims).expect("claims are plain JSON");
    if ours.is_some() != theirs.is_some() || !includes(&as_json(theirs), &as_json(ours)) {
        wanted.volume_claim_templates.clone_from(theirs);
        kept.push(ImmutableField::VolumeClaimTemplates);
    }
    kept
}
