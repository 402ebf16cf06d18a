//! What a look begins with, what it comes to, and how long nothing needs to be looked at after it.

use std::sync::Arc;
use std::time::Duration;

use kube::Resource;
use serde::Deserialize;
use stateful_cluster::{Memory, Observation, Plan, timers};
use tokio::time::Instant;

use super::{AGAIN, Error};
use crate::ages::soonest;
use crate::api::StatefulCluster;
use crate::cluster::objects::Objects;
use crate::cluster::report::Told;
use crate::cluster::session::{Session, Shared};
use crate::cluster::{Wanted, draw, pods};
use crate::observe::newest;
use crate::reconcile::now;
use planner::timer::Ripening;

/// How often it is looked at while an identity was given that the caches do not have.
const COMING: Duration = Duration::from_secs(2);

/// How often it is looked at when nothing happens: a change may be missed.
pub(super) const REST: Duration = Duration::from_secs(60);

/// Names that are drawn for one look: more pods are made in the next.
const AT_ONCE: usize = 20;

/// The resource, if it is still the one that the task began with, and not older than our last write.
pub(super) fn current(shared: &Shared, session: &mut Session) -> Result<Option<Arc<StatefulCluster>>, Error> {
    let Some(cached) = shared.stores.cluster(&session.key) else { return Ok(None) };
    let uid = cached.meta().uid.clone().unwrap_or_default();
    if *session.uid.get_or_insert_with(|| uid.clone()) != uid {
        return Ok(None);
    }
    match &cached.0 {
        Ok(cluster) => Ok(Some(newest(Arc::clone(cluster), &mut session.written))),
        Err(invalid) => Err(Error::Resource(Box::new(invalid.clone()))),
    }
}

/// Another installation of the operator that looks after it: nothing is done then, and nothing learned.
pub(super) async fn stranger(
    shared: &Shared,
    session: &mut Session,
    cluster: &StatefulCluster,
) -> Option<String> {
    let context = &shared.context;
    let claimed = cluster.status.as_ref().and_then(|status| status.installation.as_ref());
    let other = session.foreign.look(&context.clients.reads, &context.installation, claimed).await?;
    session.forget();
    Some(other)
}

/// What was promised. None is only what was never written: what cannot be read is an error.
pub(super) fn remembered(cluster: &StatefulCluster) -> Result<Memory, Error> {
    match cluster.status.as_ref().and_then(|status| status.memory.as_ref()) {
        Some(memory) => Memory::deserialize(&*memory.0).map_err(Error::Memory),
        None => Ok(Memory::default()),
    }
}

/// The look as the heart has it.
pub(super) fn look(
    shared: &Shared,
    session: &mut Session,
    objects: &Objects,
    wanted: &Wanted,
    memory: &Memory,
) -> Result<Observation, Error> {
    let replicas = usize::try_from(wanted.heart.replicas).unwrap_or(AT_ONCE);
    let fresh = draw::names(&wanted.name, AT_ONCE.min(replicas + 1)).map_err(Error::Draw)?;
    let mut seen = objects.observation(wanted, &shared.stores, now(), fresh);
    seen.births = session.answers.births.known(memory);
    let is_there = |identity: &_| objects.pods.contains_key(identity);
    seen.refused = session.answers.refusals.known(is_there);
    let is_kept = |of: &_| *of == wanted.heart.revision || memory.proven.as_ref() == Some(of);
    seen.rejected = session.answers.rejections.known(is_kept);
    let timers = timers(&seen, memory).into_iter();
    let timers = timers.map(|(timer, seconds)| (timer, Ripening { seconds, looks: 1 })).collect();
    seen.ages = session.ages.look(&timers, Instant::now(), Duration::ZERO);
    Ok(seen)
}

/// What the audit finds is written down whole, to be replayed, once for as long as it finds the same.
pub(super) fn audited(
    shared: &Shared,
    session: &mut Session,
    seen: &Observation,
    memory: &Memory,
    plan: &Plan,
) -> Option<String> {
    let breaches = (shared.audit)(seen, memory, plan).err();
    let found = breaches.map(|breaches| {
        let words = breaches.iter().map(|breach| match &breach.identity {
            Some(identity) => format!("{:?} ({identity})", breach.rule),
            None => format!("{:?}", breach.rule),
        });
        words.collect::<Vec<_>>().join("; ")
    });
    if found.is_some() && session.breach != found {
        let replay = serde_json::json!({"observation": seen, "memory": memory, "plan": plan});
        tracing::error!(breach = found, %replay, "the audit found the plan wrong; nothing is done");
    }
    session.breach.clone_from(&found);
    found
}

/// How long nothing needs to be looked at unless something changes.
pub(super) fn rest(told: &Told<'_>) -> Duration {
    let coming = !told.plan.memory.given.is_empty() || !told.plan.steps.is_empty();
    let longest = if coming { COMING } else { REST };
    let min_ready = told.wanted.min_ready;
    let available =
        told.objects.pods.values().filter_map(|pod| pods::until_available(pod, min_ready, told.now));
    let ripens = soonest(&told.seen.ages).into_iter().chain(available);
    ripens.min().unwrap_or(longest).min(longest).max(AGAIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{ClusterStatus, Memory as Stored, Reason};
    use serde_json::json;

    #[test]
    fn a_memory_that_cannot_be_read_is_never_taken_for_none() {
        let with = |memory: Option<serde_json::Value>| {
            let status = ClusterStatus {
                memory: memory.map(|memory| Stored(memory.into())),
                ..ClusterStatus::default()
            };
            remembered(&StatefulCluster { status: Some(status), ..StatefulCluster::default() })
        };
        assert_eq!(with(None).unwrap(), Memory::default());
        let error = with(Some(json!({"given": 7}))).unwrap_err();
        assert_eq!((error.reason(), error.is_of_the_look()), (Reason::ObservationFailed, true));
        assert!(with(Some(json!({"grown": 3}))).is_ok());
    }
}
