//! Conditions: one entry for each type, with the time of the last change of its status.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;

/// The server cuts nothing and refuses more than this many bytes of a message.
const LONGEST_MESSAGE: usize = 32 * 1024;

/// What a condition is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConditionType {
    /// As many members serve as are wanted. What `kubectl wait --for=condition=Ready` waits for.
    Ready,
    /// The operator is at work, or waits for something that comes by itself.
    Reconciling,
    /// Only a person can help.
    Stalled,
    /// At least one member serves.
    Available,
    /// Members are being brought back after a failure.
    Recovering,
    /// All members, stopped at once, would be brought back. Only where they are asked while they run.
    RecoveryReady,
    /// The number of members is being changed.
    Scaling,
    /// Pods are being replaced by those of a newer template.
    Upgrading,
    /// The resource was understood as it is written.
    Accepted,
    /// A policy decides that was found to behave.
    PolicyReady,
    /// Another policy decides than the one that the resource names.
    PolicyStale,
    /// The candidate is asked beside the policy. Only where the resource has one.
    CandidateReady,
}

impl ConditionType {
    /// Every type, in the order in which people read them.
    pub const ALL: [Self; 12] = [
        Self::Ready,
        Self::Available,
        Self::Reconciling,
        Self::Stalled,
        Self::Recovering,
        Self::RecoveryReady,
        Self::Scaling,
        Self::Upgrading,
        Self::Accepted,
        Self::PolicyReady,
        Self::PolicyStale,
        Self::CandidateReady,
    ];

    /// The word as it stands in the status.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "Ready",
            Self::Reconciling => "Reconciling",
            Self::Stalled => "Stalled",
            Self::Available => "Available",
            Self::Recovering => "Recovering",
            Self::RecoveryReady => "RecoveryReady",
            Self::Scaling => "Scaling",
            Self::Upgrading => "Upgrading",
            Self::Accepted => "Accepted",
            Self::PolicyReady => "PolicyReady",
            Self::PolicyStale => "PolicyStale",
            Self::CandidateReady => "CandidateReady",
        }
    }
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It holds.
    True,
    /// It does not.
    False,
    /// Nobody can say.
    Unknown,
}

impl Truth {
    /// The word as it stands in the status.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

/// What is to be said under one condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The condition.
    pub kind: ConditionType,
    /// Whether it holds.
    pub truth: Truth,
    /// `as_str()` of a [`super::Reason`] or of one of the planner's closed sets: never a text made up on the way.
    pub reason: &'static str,
    /// For people: who and what. Cut at 32 KiB, the limit of the API.
    pub message: String,
}

/// Writes a finding into its one entry. The time changes only with the status, as the API conventions ask.
pub fn set(conditions: &mut Vec<Condition>, finding: Finding, generation: i64, now: Timestamp) {
    let mut message = finding.message;
    if message.len() > LONGEST_MESSAGE {
        message.truncate(message.floor_char_boundary(LONGEST_MESSAGE));
    }
    let mut fresh = Condition {
        type_: finding.kind.as_str().to_owned(),
        status: finding.truth.as_str().to_owned(),
        reason: finding.reason.to_owned(),
        message,
        observed_generation: Some(generation),
        last_transition_time: Time(now),
    };
    let mut entries = conditions.iter().enumerate().filter(|(_, c)| c.type_ == fresh.type_).map(|(at, _)| at);
    let Some(first) = entries.next() else {
        conditions.push(fresh);
        return;
    };
    if conditions[first].status == fresh.status {
        fresh.last_transition_time = conditions[first].last_transition_time.clone();
    }
    let mut at = 0;
    conditions.retain(|condition| {
        at += 1;
        at - 1 <= first || condition.type_ != fresh.type_
    });
    conditions[first] = fresh;
}

/// Takes away what is said under a condition that means nothing for this resource any more.
pub fn clear(conditions: &mut Vec<Condition>, kind: ConditionType) {
    conditions.retain(|condition| condition.type_ != kind.as_str());
}

/// The entry of a type, if there is one.
#[must_use]
pub fn get(conditions: &[Condition], kind: ConditionType) -> Option<&Condition> {
    conditions.iter().find(|condition| condition.type_ == kind.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Reason;

    fn finding(truth: Truth, reason: Reason, message: &str) -> Finding {
        Finding { kind: ConditionType::Ready, truth, reason: reason.as_str(), message: message.into() }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn the_time_changes_with_the_status_and_with_nothing_else() {
        let mut all = Vec::new();
        set(&mut all, finding(Truth::False, Reason::Creating, "a"), 1, at(10));
        set(&mut all, finding(Truth::False, Reason::NoMemberServes, "b"), 2, at(20));
        assert_eq!(all[0].last_transition_time, Time(at(10)));
        assert_eq!((all[0].reason.as_str(), all[0].message.as_str()), ("NoMemberServes", "b"));
        assert_eq!(all[0].observed_generation, Some(2));
        set(&mut all, finding(Truth::True, Reason::AllMembersServe, "c"), 2, at(30));
        assert_eq!(all[0].last_transition_time, Time(at(30)));
    }

    #[test]
    fn there_is_one_entry_of_a_type_even_where_there_were_two() {
        let mut all = Vec::new();
        for kind in [ConditionType::Ready, ConditionType::Stalled] {
            set(&mut all, Finding { kind, ..finding(Truth::True, Reason::Settled, "") }, 1, at(1));
        }
        all.push(all[0].clone());
        set(&mut all, finding(Truth::False, Reason::Recovering, ""), 1, at(2));
        let types: Vec<_> = all.iter().map(|c| c.type_.as_str()).collect();
        assert_eq!(types, ["Ready", "Stalled"]);
        assert_eq!(get(&all, ConditionType::Ready).map(|c| c.status.as_str()), Some("False"));
    }

    #[test]
    fn a_message_is_cut_between_characters() {
        let mut all = Vec::new();
        set(&mut all, finding(Truth::True, Reason::Settled, &"ä".repeat(LONGEST_MESSAGE)), 1, at(1));
        assert!(all[0].message.len() <= LONGEST_MESSAGE);
    }
}
