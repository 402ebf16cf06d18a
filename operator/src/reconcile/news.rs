//! People are told: by the status, by events, and by one line of the log when the plan changes.

use kube::Resource;
use planner::Plan;
use tokio::time::Instant;

use super::{Error, Session, chain};
use crate::api::{self, PolicyStatus};
use crate::context::Context;
use crate::events::{self, Happened};
use crate::observe::{self, Objects};
use crate::promise;
use crate::report::{Told, Trouble, report, words};
use crate::telemetry::Kind;

/// One line when the plan changes, in the words of the status.
pub(super) fn say(session: &mut Session, plan: &Plan, policy: Option<&PolicyStatus>) {
    if session.say(words::gist(plan), Instant::now()) {
        let said = words::plan(plan, policy);
        tracing::info!(plan = if said.is_empty() { "nothing is left to do" } else { &said }, "plan");
    }
}

/// Tells people: the status if it changed, and events of what is new.
pub(super) async fn tell(
    context: &Context,
    session: &mut Session,
    objects: &Objects,
    told: &Told<'_>,
) -> Result<(), Error> {
    let holds = told.plan.holds.iter().map(|hold| hold.reason.name()).collect();
    context.metrics.holding(Kind::ReplicatedStatefulSet, &session.key.to_string(), holds);
    let happened = news(session, objects, told);
    events::publish(&context.recorder, &objects.set.object_ref(&()), &happened);
    let status = report(told);
    if objects.set.status.as_ref() == Some(&status) || !context.leads() {
        return Ok(());
    }
    let writes = &context.clients.writes;
    match promise::write_status(writes, &objects.set, status, &mut session.written).await {
        Err(error) if !error.is_conflict() => Err(Error::Report(error)),
        _ => Ok(()),
    }
}

/// Tells people why nothing is done and nothing promised; what is seen of the set is told as ever.
pub(super) async fn tell_of_nothing_done(
    context: &Context,
    session: &mut Session,
    objects: &Objects,
    told: &Told<'_>,
    why: &Error,
) -> Result<(), Error> {
    let holds = told.plan.holds.clone();
    let seen = Plan { holds, memory: told.remembered.clone(), ..Plan::default() };
    let trouble = Trouble { reason: why.reason(), message: chain(why) };
    tell(context, session, objects, &Told { plan: &seen, trouble: Some(&trouble), ..*told }).await
}

/// Says once, by an event alone, that another installation looks after the set: the status is the other's.
pub(super) fn tell_whose(context: &Context, session: &mut Session, objects: &Objects, other: &str) {
    let note = planner::plan::Reason::NotOurs(other.to_owned()).to_string();
    if let Some(happened) = session.news_of(api::Reason::NotOurs, &note) {
        events::publish(&context.recorder, &objects.set.object_ref(&()), &[happened]);
    }
}

/// Everything that people have not been told yet.
fn news(session: &mut Session, objects: &Objects, told: &Told<'_>) -> Vec<Happened> {
    let mut happened = events::transitions(told.plan, told.policy.active.as_ref(), &told.previous.holds);
    if session.noticed != Some(told.target.generation) {
        happened.extend(told.target.notices.iter().map(events::notice));
        session.noticed = Some(told.target.generation);
    }
    let no_keys = observe::no_keys(objects.set.metadata.annotations.as_ref());
    if session.no_keys != no_keys {
        happened.extend(no_keys.iter().map(|text| events::no_key(text)));
        session.no_keys = no_keys;
    }
    happened.extend(events::of_policy(told.policy, told.previous));
    happened.extend(events::of_candidate(told.candidate, told.previous));
    happened.extend(events::of_readiness(told));
    happened.extend(session.refused.news(told.policy, told.records));
    happened.extend(session.order.news(told.plan, told.records, &told.previous.decisions));
    if let Some(trouble) = told.trouble {
        happened.extend(session.news_of(trouble.reason, &trouble.message));
    }
    happened
}
