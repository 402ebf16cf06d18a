//! What the operator says of a set in its status.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use operator::api::SetStatus;

/// What is said of a condition.
#[must_use]
pub fn condition<'a>(status: &'a SetStatus, kind: &str) -> Option<&'a Condition> {
    status.conditions.iter().find(|condition| condition.type_ == kind)
}

/// Whether a condition has this status.
#[must_use]
pub fn is(status: &SetStatus, kind: &str, value: &str) -> bool {
    condition(status, kind).is_some_and(|condition| condition.status == value)
}

/// Whether so many members serve, of as many.
#[must_use]
pub fn all_serve(status: &SetStatus, count: u32) -> bool {
    status.ready.as_deref() == Some(&format!("{count}/{count}")) && is(status, "Ready", "True")
}

/// Whether so many members serve, of as many, and nothing is left to do.
#[must_use]
pub fn is_well(status: &SetStatus, count: u32) -> bool {
    all_serve(status, count) && is(status, "Reconciling", "False")
}

/// Whether this is said of a member: Primary, Stopped, Unknown and so on.
#[must_use]
pub fn in_state(status: &SetStatus, member: &str, state: &str) -> bool {
    let mut told = status.replica_states.iter().filter(|replica| replica.name == member);
    told.any(|replica| replica.app_state.as_deref() == Some(state))
}
