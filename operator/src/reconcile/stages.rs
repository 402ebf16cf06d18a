//! What a look begins with, and what is left to do at its end.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use kube::Resource;
use planner::Memory;
use serde::Deserialize;

use super::{Error, Next, Session, chain, promised};
use crate::ages::soonest;
use crate::api::{self, ReplicatedStatefulSet};
use crate::children::ChildKind;
use crate::context::Context;
use crate::observe::{self, Objects};
use crate::promise;
use crate::report::{Told, Trouble, is_settled};

/// How often a set is looked at that is not settled: quick to a person, and a few execs a second for the API server.
const BUSY: Duration = Duration::from_millis(500);

/// What has not changed for a minute waits for the world, not for us.
const WAITING: Duration = Duration::from_secs(60);

/// How often such a set is looked at. Most of what it waits for raises an event as well.
const SLOW: Duration = Duration::from_secs(2);

/// The resource, if it is still the one that the task began with.
pub(super) fn current(
    context: &Context,
    session: &mut Session,
) -> Result<Option<Arc<ReplicatedStatefulSet>>, Error> {
    let Some(cached) = context.stores.set(&session.key) else { return Ok(None) };
    let uid = cached.meta().uid.clone();
    if *session.uid.get_or_insert_with(|| uid.clone().unwrap_or_default()) != uid.unwrap_or_default() {
        return Ok(None);
    }
    match &cached.0 {
        Ok(set) => Ok(Some(Arc::clone(set))),
        Err(invalid) => Err(Error::Resource(Box::new(invalid.clone()))),
    }
}

/// The time in whole seconds, as the status has it: with more than it keeps, what was promised would be written once
/// more in the same look.
pub(crate) fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

/// What was promised. None is only what was never written: what cannot be read is an error.
pub(super) fn remembered(set: &ReplicatedStatefulSet) -> Result<Memory, Error> {
    match set.status.as_ref().and_then(|status| status.memory.as_ref()) {
        Some(memory) => Memory::deserialize(&*memory.0).map_err(Error::Memory),
        None => Ok(Memory::default()),
    }
}

/// What keeps the whole set from being looked after: its StatefulSet's name is taken by somebody else's.
pub(super) fn stranger(context: &Context, objects: &Objects) -> Option<Trouble> {
    let (name, why) = context.stores.stranger(objects)?;
    let message = format!("{} {name}: {why}", ChildKind::StatefulSet);
    Some(Trouble { reason: api::Reason::ForeignObject, message })
}

/// Takes away from the resource the keys that were used or refused, once that is written down. What else a
/// person wrote there stays. If it fails, the next look tries again.
pub(super) async fn take_keys(
    context: &Context,
    session: &mut Session,
    objects: &mut Objects,
    told: &Told<'_>,
) {
    if told.target.paused || !context.leads() {
        return;
    }
    let used = &told.plan.memory.used_keys;
    let Some(left) = observe::without_keys(objects.set.metadata.annotations.as_ref(), used) else { return };
    match promise::write_allowed(&context.clients.writes, &objects.set, left, &mut session.written).await {
        Ok(new) => objects.set = new,
        Err(error) if promise::is_stale(&error) => {}
        Err(error) => {
            tracing::warn!(error = chain(&error), "used keys were not taken from the annotation");
        }
    }
}

/// How long nothing needs to be looked at unless something changes.
pub(super) fn rest(session: &Session, told: &Told<'_>) -> Next {
    // By now it is compared, and nothing that is watched tells of that.
    if told.observation.workload.as_ref().is_some_and(|workload| workload.current.is_none()) {
        return Next::Wait(promised::MOMENT);
    }
    let unchanged = session.said.as_ref().is_some_and(|(_, since)| since.elapsed() > WAITING);
    let longest = match is_settled(told.observation, told.plan) {
        true => told.target.interval,
        false if unchanged && told.plan.steps.is_empty() => SLOW,
        false => BUSY,
    };
    let ripens = soonest(&told.observation.ages).unwrap_or(longest);
    Next::Wait(longest.min(ripens).max(promised::MOMENT))
}
