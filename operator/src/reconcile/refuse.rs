//! What people are told when a set is not acted on at all.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::jiff::Timestamp;
use kube::Resource;
use tokio::time::Instant;

use super::unseen::{Why, say};
use super::{Error, Session, unreadable};
use crate::api::{Installation, Phase, ReplicatedStatefulSet, SetStatus};
use crate::context::Context;
use crate::{events, promise};

/// Tells in status and events why the set is left alone. What was known of it stays in its status.
/// False: it could not be told, and should be soon.
pub async fn refuse(context: &Context, session: &mut Session, error: &Error) -> bool {
    let why = Why::of(error);
    let lasts = session.failing.lasts(why.reason, Instant::now());
    let Some(cached) = context.stores.set(&session.key).filter(|_| context.leads()) else { return true };
    match (error, &cached.0) {
        // Of these the look tells itself, with how the members are.
        (Error::Audit(_) | Error::Confirm(_) | Error::Promise(_), _) => true,
        (Error::Enact(_) | Error::Report(_), _) => {
            tell(context, session, &cached.object_ref(&()), &why, lasts);
            true
        }
        (Error::Observe(_), _) if !lasts => true,
        (_, Err(_)) => unreadable::refuse(context, session).await,
        (_, Ok(set)) => {
            let claimed = set.status.as_ref().and_then(|status| status.installation.as_ref());
            if is_of_another(context, session, claimed).await {
                // It may turn out to be dead.
                return false;
            }
            tell(context, session, &cached.object_ref(&()), &why, true);
            write(context, session, set, &why).await
        }
    }
}

/// In an event, once for as long as it lasts.
fn tell(context: &Context, session: &mut Session, of: &ObjectReference, why: &Why, lasts: bool) {
    if lasts && session.failing.is_news(&why.note) {
        events::publish(&context.recorder, of, &[events::trouble(why.reason, why.note.clone())]);
    }
}

/// Whether another installation that is alive looks after it: what its status says is the other's to say.
pub(super) async fn is_of_another(
    context: &Context,
    session: &mut Session,
    claimed: Option<&Installation>,
) -> bool {
    session.foreign.look(&context.clients.reads, &context.installation, claimed).await.is_some()
}

async fn write(
    context: &Context,
    session: &mut Session,
    set: &Arc<ReplicatedStatefulSet>,
    why: &Why,
) -> bool {
    let set = session.written.newest_set(Arc::clone(set));
    let status = refused(&set, why, Timestamp::now());
    let writes = &context.clients.writes;
    set.status.as_ref() == Some(&status)
        || promise::write_status(writes, &set, status, &mut session.written).await.is_ok()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reconcile::unseen::invalid;
    use serde_json::json;

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
    fn the_same_refusal_later_changes_nothing() {
        let mut resource = ReplicatedStatefulSet::default();
        let status = refused(&resource, &invalid(), Timestamp::UNIX_EPOCH);
        resource.status = Some(status.clone());
        let later = Timestamp::from_second(99).unwrap();
        assert_eq!(refused(&resource, &invalid(), later), status);
    }
}
