//! One look at a StatefulCluster, and what follows from it: observe, decide, audit, promise, enact, children. Each stage
//! is a module; this one only says their order.

mod deleted;
mod error;
mod stages;

use std::time::Duration;

use kube::Resource;
use stateful_cluster::names::Identity;
use stateful_cluster::{Plan, Step, decide, missing, until_next};

pub(super) use error::Error;

use super::children::Failure;
use super::confirm::confirm;
use super::enact::Enactment;
use super::next::next;
use super::objects::Objects;
use super::observe::{caches_are_new, gather};
use super::report::{Told, report};
use super::session::{Session, Shared};
use super::words::word;
use super::{Wanted, children, events, promise, revisions};
use crate::api::Reason;
use crate::promise::is_stale;
use crate::reconcile::{FOREIGN, Next, now};
use crate::telemetry::Kind;

/// Somebody else wrote first, or a cache is behind and shows it in a moment.
const AGAIN: Duration = Duration::from_millis(100);

/// Looks at a StatefulCluster once, and does what is to be done now.
pub(super) async fn reconcile(shared: &Shared, session: &mut Session) -> Result<Next, Error> {
    let Some(cluster) = stages::current(shared, session)? else { return Ok(Next::End) };
    if let Some(other) = stages::stranger(shared, session, &cluster).await {
        let note = format!("installation {other} looks after it");
        let to = cluster.object_ref(&());
        events::once(&shared.context, session, &to, Reason::NotOurs.as_str(), &note);
        return Ok(FOREIGN);
    }
    if cluster.metadata.deletion_timestamp.is_some() {
        return deleted::tell(shared, session, &cluster).await;
    }
    let wanted = Wanted::parse(&cluster).map_err(Error::Target)?;
    let memory = stages::remembered(&cluster)?;
    if !session.is_new {
        session.is_new = caches_are_new(shared, &wanted).await.map_err(Error::Observe)?;
        if !session.is_new {
            return Ok(Next::Wait(AGAIN));
        }
    }
    let mut objects = gather(shared, session, cluster, &wanted, &memory).await.map_err(Error::Observe)?;
    let (seen, plan) = loop {
        let seen = stages::look(shared, session, &objects, &wanted, &memory)?;
        let plan = decide(&seen, &memory);
        let is_asked = confirm(shared, &wanted, &mut objects, &memory, (&seen, &plan)).await;
        if !is_asked.map_err(Error::Observe)? {
            break (seen, plan);
        }
    };
    let is_free = missing(&seen, &memory) > 0;
    session.departures.look(&objects.pods, is_free, |identity| seen.keeps_its_place(identity));
    session.next = next(session.next, now(), until_next(&seen, &plan.memory));
    let previous = objects.cluster.status.clone().unwrap_or_default();
    let trouble = stages::audited(shared, session, &seen, &memory, &plan);
    if !shared.context.leads() {
        return Ok(Next::Wait(AGAIN));
    }
    let hands_off = wanted.heart.paused || trouble.is_some();
    let failed = if hands_off { Vec::new() } else { before(shared, &wanted, &objects).await };
    let is_idle = trouble.is_some() || failed.iter().any(Failure::stops);
    let idle = Plan { memory, holds: plan.holds.clone(), ..Plan::default() };
    let told = Told {
        wanted: &wanted,
        seen: &seen,
        objects: &objects,
        plan: if is_idle { &idle } else { &plan },
        previous: &previous,
        installation: &shared.context.installation,
        trouble: trouble.map(|message| (Reason::Breach, message)),
        failed: &failed,
        next: session.next,
        now: now(),
    };
    let next = follow(shared, session, &told).await?;
    match failed.into_iter().next() {
        Some(failure) => Err(Error::Children(failure)),
        None => Ok(next),
    }
}

/// Writes down what is planned, does it, and tells of it.
async fn follow(shared: &Shared, session: &mut Session, told: &Told<'_>) -> Result<Next, Error> {
    let (context, wanted, plan, objects) = (&shared.context, told.wanted, told.plan, told.objects);
    let holds = plan.holds.iter().map(word).collect();
    context.metrics.holding(Kind::StatefulCluster, &session.key.to_string(), holds);
    let status = report(told);
    if !plan.steps.is_empty() || status != *told.previous {
        match promise::write(shared, session, &objects.cluster, status).await {
            Ok(()) => {}
            Err(error) if is_stale(&error) => {
                promise::reread(shared, session).await;
                return Ok(Next::Wait(AGAIN));
            }
            Err(error) => return Err(Error::Promise(error)),
        }
    }
    if let Some((_, message)) = &told.trouble {
        return Err(Error::Audit(message.clone()));
    }
    let answers = std::sync::Mutex::new(&mut session.answers);
    let (done, enacted) = Enactment { shared, wanted, objects, answers }.enact(plan).await;
    let done = with_causes(session, told, done);
    let is_told = |hold: &_| told.known(hold).is_some();
    let happened = events::of_plan(&done, &plan.holds, |hold| told.sentence(hold), is_told);
    events::publish(&context.recorder, &objects.cluster.object_ref(&()), &happened);
    let after = if wanted.heart.paused { Ok(()) } else { after(shared, told).await };
    enacted.map_err(Error::Enact)?;
    after.map_err(Error::Children)?;
    if told.failed.is_empty() {
        session.told = None;
    }
    Ok(Next::Wait(stages::rest(told)))
}

/// Each step with why it was done, where that is more than the step itself says.
fn with_causes<'p>(
    session: &mut Session,
    told: &Told<'_>,
    done: Vec<&'p Step>,
) -> Vec<(&'p Step, Option<String>)> {
    let keeps = |identity: &Identity| told.seen.keeps_its_place(identity);
    let patience = &told.wanted.heart.patience;
    let mut why = |step| session.departures.why(step, &told.objects.pods, patience, keeps);
    let steps = done.into_iter();
    steps.map(|step| (step, why(step))).collect()
}

/// What pods need when they are made: all of it is tried.
async fn before(shared: &Shared, wanted: &Wanted, objects: &Objects) -> Vec<Failure> {
    let service = children::service(shared, wanted).await;
    let template = revisions::keep(shared, wanted, objects).await;
    [template, service].into_iter().filter_map(Result::err).collect()
}

/// What can wait: all of it is tried.
async fn after(shared: &Shared, told: &Told<'_>) -> Result<(), Failure> {
    let owners = children::owners(shared, told.wanted, told.objects).await;
    let former = revisions::trim(shared, told.wanted, told.objects, &told.plan.memory).await;
    owners.map_err(Failure::Owners).and(former.map_err(Failure::Former))
}
