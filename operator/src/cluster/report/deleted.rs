//! What people are told of a resource that is being deleted.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;

use crate::api::ClusterStatus;
use crate::api::condition::{ConditionType, Finding, Truth, set};

const DELETING: &str = "Deleting";

/// The status before, of one that is being deleted: nothing is done for it any more, and who keeps it is named.
pub(in crate::cluster) fn deleted(
    before: &ClusterStatus,
    meta: &ObjectMeta,
    now: Timestamp,
) -> ClusterStatus {
    let mut status = before.clone();
    let finalizers = meta.finalizers.clone().unwrap_or_default().join(", ");
    let message = format!("it is being deleted, once these finalizers are taken away: {finalizers}");
    for (kind, truth) in [
        (ConditionType::Ready, Truth::False),
        (ConditionType::Reconciling, Truth::True),
        (ConditionType::Stalled, Truth::False),
    ] {
        let finding = Finding { kind, truth, reason: DELETING, message: message.clone() };
        set(&mut status.conditions, finding, meta.generation.unwrap_or_default(), now);
    }
    status.observed_generation = meta.generation;
    status.reason = Some(DELETING.to_owned());
    status.holds.clear();
    status
}
