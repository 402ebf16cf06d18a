//! What conditions say of members that nobody looks at.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use k8s_openapi::jiff::Timestamp;

use super::{Error, chain};
use crate::api::Reason;
use crate::api::condition::{ConditionType, Finding, Truth, get, set};

/// Why a set is left alone.
pub(crate) struct Why {
    pub(crate) reason: Reason,
    pub(crate) note: String,
    /// It does not end by itself.
    pub(crate) needs_a_person: bool,
}

impl Why {
    pub(super) fn of(error: &Error) -> Self {
        Self { reason: error.reason(), note: chain(error), needs_a_person: error.needs_a_person() }
    }
}

/// What a look says of members. While there is none nobody knows.
const OF_MEMBERS: [ConditionType; 6] = [
    ConditionType::Ready,
    ConditionType::Available,
    ConditionType::Recovering,
    ConditionType::RecoveryReady,
    ConditionType::Scaling,
    ConditionType::Upgrading,
];

/// What is so of members that nobody looks at. Where none served, or not all, that stays: since when it is so is not to be
/// lost by that.
fn unseen(kind: ConditionType, before: &str) -> Truth {
    match kind {
        ConditionType::Ready | ConditionType::Available if before == Truth::False.as_str() => Truth::False,
        _ => Truth::Unknown,
    }
}

/// In the conditions: whether only a person can help, that nobody looks at the members, and whether it is the resource that
/// is wrong.
pub(crate) fn say(conditions: &mut Vec<Condition>, why: &Why, generation: i64, now: Timestamp) {
    let said = |kind: &ConditionType| Some((*kind, unseen(*kind, &get(conditions, *kind)?.status)));
    let of_members: Vec<(ConditionType, Truth)> = OF_MEMBERS.iter().filter_map(said).collect();
    let mut say = |kind, truth| {
        let finding = Finding { kind, truth, reason: why.reason.as_str(), message: why.note.clone() };
        set(conditions, finding, generation, now);
    };
    of_members.into_iter().for_each(|(kind, truth)| say(kind, truth));
    say(ConditionType::Stalled, why.needs_a_person.into());
    say(ConditionType::Reconciling, (!why.needs_a_person).into());
    if why.reason == Reason::InvalidSpec {
        say(ConditionType::Accepted, Truth::False);
    }
}

#[cfg(test)]
pub(super) fn invalid() -> Why {
    Why { reason: Reason::InvalidSpec, note: "no".to_owned(), needs_a_person: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_of_members_that_nobody_looks_at_any_more_is_unknown() {
        let mut conditions = Vec::new();
        for kind in [ConditionType::Ready, ConditionType::RecoveryReady, ConditionType::PolicyReady] {
            let finding = Finding { kind, truth: Truth::True, reason: "Well", message: String::new() };
            set(&mut conditions, finding, 1, Timestamp::UNIX_EPOCH);
        }
        say(&mut conditions, &invalid(), 2, Timestamp::UNIX_EPOCH);
        let status = |kind| get(&conditions, kind).map(|condition| condition.status.as_str());
        assert_eq!(status(ConditionType::Ready), Some("Unknown"));
        assert_eq!(status(ConditionType::RecoveryReady), Some("Unknown"));
        assert_eq!(
            status(ConditionType::Available),
            None,
            "of what was never said there is nothing to take back"
        );
        assert_eq!(status(ConditionType::PolicyReady), Some("True"));
    }

    #[test]
    fn since_when_no_member_serves_is_not_lost_while_nobody_looks() {
        let mut conditions = Vec::new();
        let finding = Finding {
            kind: ConditionType::Available,
            truth: Truth::False,
            reason: "NoMemberServes",
            message: String::new(),
        };
        set(&mut conditions, finding, 1, Timestamp::UNIX_EPOCH);
        say(&mut conditions, &invalid(), 2, Timestamp::from_second(2400).unwrap());
        let available = get(&conditions, ConditionType::Available).unwrap();
        assert_eq!((&*available.status, &*available.reason), ("False", "InvalidSpec"));
        assert_eq!(available.last_transition_time.0, Timestamp::UNIX_EPOCH);
    }

    #[test]
    fn what_may_end_by_itself_is_not_said_to_need_a_person() {
        for (needs_a_person, stalled, reconciling) in [(false, "False", "True"), (true, "True", "False")] {
            let mut conditions = Vec::new();
            let why = Why { reason: Reason::ObservationFailed, note: "no".to_owned(), needs_a_person };
            say(&mut conditions, &why, 1, Timestamp::UNIX_EPOCH);
            let status = |kind| get(&conditions, kind).map(|condition| condition.status.as_str());
            assert_eq!(status(ConditionType::Stalled), Some(stalled));
            assert_eq!(status(ConditionType::Reconciling), Some(reconciling));
            assert_eq!(status(ConditionType::Accepted), None, "the resource is not what is wrong");
        }
    }
}
