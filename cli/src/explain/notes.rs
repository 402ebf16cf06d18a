//! What is wrong, or under way, and what a person said, where no hold tells of it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use operator::api::condition::ConditionType;
use operator::api::{Reason, ReplicatedStatefulSet, SetStatus};

use super::data::Data;
use super::unblock::says_unseen;

/// Of the conditions those that say more than the holds do.
pub(super) fn notes(set: &ReplicatedStatefulSet, status: &SetStatus, data: &Data) -> Vec<String> {
    let mut notes = Vec::new();
    if status.observed_generation < set.metadata.generation {
        notes.push("the operator has not seen the newest change of the resource yet".to_owned());
    }
    notes.extend(data.trouble().map(str::to_owned));
    let named = data.named();
    notes
        .extend(named.map(|named| format!("a person named {named} as the seed of this outage (AcceptSeed)")));
    let told = status.conditions.iter().filter(|condition| {
        let is = |kind: ConditionType| condition.type_ == kind.as_str();
        let policies = is(ConditionType::PolicyReady) || is(ConditionType::CandidateReady);
        let wrong = is(ConditionType::Accepted) || policies;
        let busy = is(ConditionType::Reconciling) && status.holds.is_empty();
        let is_told = status.holds.iter().any(|hold| hold.reason == condition.reason)
            || status
                .conditions
                .iter()
                .any(|other| other.status == "False" && other.reason == condition.reason);
        let stuck = is(ConditionType::Stalled) && !is_told;
        let stale = is(ConditionType::PolicyStale) && condition.status != "False";
        let unkept = is(ConditionType::PolicyReady) && condition.reason == Reason::PolicyNotKept.as_str();
        is(ConditionType::RecoveryReady)
            || stale
            || unkept
            || (wrong && condition.status != "True")
            // All that is told of the members is of before then.
            || says_unseen(condition)
            || ((busy || stuck) && condition.status == "True")
    });
    notes.extend(told.map(|condition| {
        let Condition { type_, status, reason, message, .. } = condition;
        format!("{type_}={status} {reason}: {message}")
    }));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn that_nobody_can_look_at_the_set_is_told_once_beside_the_holds_of_before() {
        for (stalled, reconciling, told) in [("True", "False", "Stalled"), ("False", "True", "Reconciling")] {
            let said = |kind: ConditionType, status: &str| {
                json!({"type": kind.as_str(), "status": status, "reason": "ObservationFailed", "message": "forbidden",
                    "lastTransitionTime": "2026-01-01T00:00:00Z"})
            };
            let status: SetStatus = serde_json::from_value(json!({
                "conditions": [said(ConditionType::Ready, "Unknown"), said(ConditionType::Stalled, stalled),
                    said(ConditionType::Reconciling, reconciling)],
                "holds": [{"scope": "set", "reason": "WorkloadPending", "message": ""}],
            }))
            .unwrap();
            let notes = notes(&ReplicatedStatefulSet::default(), &status, &Data::of(&status, true));
            assert_eq!(notes, [format!("{told}=True ObservationFailed: forbidden")]);
        }
    }
}
