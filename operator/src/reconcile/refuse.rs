//! What people are told when a set is not acted on at all.

use std::sync::Arc;

use k8s_openapi::jiff::Timestamp;
use kube::Resource;
use tokio::time::Instant;

use super::unseen::{Why, say};
use super::{Error, Session, unreadable};
use crate::api::{Phase, ReplicatedStatefulSet, SetStatus};
use crate::context::Context;
use crate::{events, promise};

/// Tells in status and events why the set is left alone. What was known of it stays in its status.
/// False: it could not be told, and should be soon.
pub async fn refuse(context: &Context, session: &mut Session, error: &Error) -> bool {
    let Some(cached) = context.stores.set(&session.key).filter(|_| context.leads()) else { return true };
    let (why, of_it) = (Why::of(error), cached.object_ref(&()));
    match (&cached.0, error) {
        // Of these the look tells itself, with how the members are.
        (_, Error::Audit(_) | Error::Confirm(_)) => true,
        (_, Error::Promise(_)) if !error.is_of_the_set() => true,
        (Err(_), _) if error.is_of_the_set() => unreadable::refuse(context, session).await,
        (Ok(set), _) if error.is_of_the_set() => {
            let happened: Vec<_> = session.news_of(why.reason, &why.note).into_iter().collect();
            events::publish(&context.recorder, &of_it, &happened);
            write(context, session, set, &why).await
        }
        (Ok(set), _) => {
            if !session.failing.lasts(why.reason, Instant::now()) || is_of_another(context, set) {
                return true;
            }
            if session.failing.is_news(&why.note) {
                let happened = events::trouble(why.reason, why.note.clone());
                events::publish(&context.recorder, &of_it, &[happened]);
            }
            // Where a step failed, or telling, the look had seen the members.
            !matches!(error, Error::Observe(_)) || write(context, session, set, &why).await
        }
        (Err(_), _) => true,
    }
}

/// Whether another installation looks after it, or did: what its status says is the other's to say.
fn is_of_another(context: &Context, set: &ReplicatedStatefulSet) -> bool {
    let installation = set.status.as_ref().and_then(|status| status.installation.as_ref());
    installation.is_some_and(|known| known.lease != context.installation.lease)
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
