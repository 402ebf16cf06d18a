//! What people are told when a set is not acted on at all.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use k8s_openapi::jiff::Timestamp;
use kube::Resource;

use super::error::chain;
use super::{Error, Session, unreadable};
use crate::api::condition::{ConditionType, Finding, Truth, get, set};
use crate::api::{Phase, Reason, ReplicatedStatefulSet, SetStatus};
use crate::context::Context;
use crate::{events, promise};

/// So many failures in a row on the way to the API server are told: by then they have lasted for some seconds.
pub(crate) const LASTING: u32 = 5;

/// Tells in status and events why the set is left alone, after so many failures in a row. What was known of it stays in its
/// status. False: it could not be told, and should be soon.
pub async fn refuse(context: &Context, session: &mut Session, error: &Error, failures: u32) -> bool {
    // With what the audit finds the status is told as the members are, by the look itself.
    let is_told = matches!(error, Error::Audit(_)) || !context.leads();
    if is_told || !(error.needs_a_person() || failures >= LASTING) {
        return true;
    }
    let Some(cached) = context.stores.set(&session.key) else { return true };
    let Ok(resource) = &cached.0 else { return unreadable::refuse(context, session).await };
    let why = Why { reason: error.reason(), note: chain(error), needs_a_person: error.needs_a_person() };
    let happened: Vec<_> = session.news_of(why.reason, &why.note).into_iter().collect();
    events::publish(&context.recorder, &cached.object_ref(&()), &happened);
    if !leaves_members_unseen(error) {
        return true;
    }
    let resource = session.written.newest_set(std::sync::Arc::clone(resource));
    let status = refused(&resource, &why, Timestamp::now());
    let writes = &context.clients.writes;
    resource.status.as_ref() == Some(&status)
        || promise::write_status(writes, &resource, status, &mut session.written).await.is_ok()
}

/// Whether the look ended before it could tell how the members are. Where a step failed it told that; where no status could
/// be written none can be.
fn leaves_members_unseen(error: &Error) -> bool {
    error.is_of_the_set() || matches!(error, Error::Observe(_))
}

/// Why a set is left alone.
pub(crate) struct Why {
    pub(crate) reason: Reason,
    pub(crate) note: String,
    /// It does not end by itself.
    pub(crate) needs_a_person: bool,
}

/// The status before, with what is wrong now.
fn refused(resource: &ReplicatedStatefulSet, why: &Why, now: Timestamp) -> SetStatus {
    let generation = resource.metadata.generation.unwrap_or_default();
    let mut status = resource.status.clone().unwrap_or_default();
    say(&mut status.conditions, why, generation, now);
    status.observed_generation = Some(generation);
    status.reason = Some(why.reason.as_str().to_owned());
    // How many serve nobody knows.
    status.ready = None;
    status.phase.get_or_insert(Phase::Creating);
    status
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

/// In the conditions: whether only a person can help, that nobody looks at the members, and whether it is the resource that
/// is wrong.
pub(crate) fn say(conditions: &mut Vec<Condition>, why: &Why, generation: i64, now: Timestamp) {
    let is_said = |kind: &ConditionType| get(conditions, *kind).is_some();
    let unknown: Vec<ConditionType> = OF_MEMBERS.into_iter().filter(is_said).collect();
    let mut say = |kind, truth| {
        let finding = Finding { kind, truth, reason: why.reason.as_str(), message: why.note.clone() };
        set(conditions, finding, generation, now);
    };
    unknown.into_iter().for_each(|kind| say(kind, Truth::Unknown));
    say(ConditionType::Stalled, why.needs_a_person.into());
    say(ConditionType::Reconciling, (!why.needs_a_person).into());
    if why.reason == Reason::InvalidSpec {
        say(ConditionType::Accepted, Truth::False);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn invalid() -> Why {
        Why { reason: Reason::InvalidSpec, note: "no".to_owned(), needs_a_person: true }
    }

    #[test]
    fn a_refusal_leaves_the_memory_and_what_was_known() {
        let mut resource = ReplicatedStatefulSet::default();
        resource.metadata.generation = Some(4);
        let memory = crate::api::Memory(json!({"epoch": {"number": 3}}).into());
        resource.status = Some(SetStatus {
            memory: Some(memory.clone()),
            replicas: 3,
            ready: Some("3/3".into()),
            ..SetStatus::default()
        });
        let status = refused(&resource, &invalid(), Timestamp::UNIX_EPOCH);
        assert_eq!((status.memory, status.replicas), (Some(memory), 3));
        assert_eq!(status.ready, None, "nobody knows how many serve");
        assert_eq!(status.observed_generation, Some(4));
        let is = |kind: &str| {
            let all = status.conditions.iter();
            all.filter(|c| c.type_ == kind).map(|c| c.status.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(
            (is("Accepted"), is("Stalled"), is("Reconciling")),
            (vec!["False"], vec!["True"], vec!["False"])
        );
    }

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

    #[test]
    fn the_same_refusal_later_changes_nothing() {
        let mut resource = ReplicatedStatefulSet::default();
        let status = refused(&resource, &invalid(), Timestamp::UNIX_EPOCH);
        resource.status = Some(status.clone());
        let later = Timestamp::from_second(99).unwrap();
        assert_eq!(refused(&resource, &invalid(), later), status);
    }
}
