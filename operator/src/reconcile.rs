//! One look at a set, and what follows from it: target, observe, judge, decide, audit, promise, enact,
//! children, report. Each stage is a module; this one only says their order.

mod chain;
mod error;
mod failing;
mod gates;
mod look;
mod news;
mod offspring;
mod promised;
mod refuse;
mod session;
mod stages;
mod succession;
mod unreadable;
mod unseen;

pub use chain::chain;
pub use error::{Error, Retry};
pub(crate) use failing::Failing;
pub use refuse::refuse;
pub use session::Session;
pub(crate) use stages::now;
pub(crate) use unseen::{Why, say};

use std::sync::Arc;
use std::time::Duration;

use planner::Plan;
use tokio::time::Instant;

use crate::api::SetStatus;
use crate::context::Context;
use crate::enact::Enactment;
use crate::observe::Objects;
use crate::report::{Told, is_decided};
use crate::rollout;
use crate::target::Target;

/// What the task of a resource does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It waits for a change, and no longer than this.
    Wait(Duration),
    /// The resource is gone, and its task ends.
    End,
}

/// How often it is asked whether another installation still looks after the set.
pub(crate) const FOREIGN: Next = Next::Wait(Duration::from_secs(10));

/// Looks at a set once, and does what is to be done now.
pub async fn reconcile(context: &Context, session: &mut Session) -> Result<Next, Error> {
    let Some(set) = stages::current(context, session)? else { return Ok(Next::End) };
    let mut objects = context.stores.objects(set, &mut session.written);
    let target = Target::parse(&objects.set).map_err(Error::Target)?;
    let memory = stages::remembered(&objects.set)?;
    let templates = &mut session.templates;
    rollout::adopt(context, templates, &mut objects, &target).await.map_err(Error::Observe)?;
    let mut told = objects.set.status.as_ref().and_then(|status| status.policy.clone());
    let beside = told.as_mut().and_then(|told| told.candidate.take());
    let policy = session.policy.look(&target.policy, target.generation, told.as_ref());
    let observation = look::look(context, session, &mut objects, &target, &memory, &policy).await?;
    let records = policy.decider.take_records();
    let before = (told.as_ref(), beside.as_deref());
    let candidate = session.candidate.look(target.candidate.as_ref(), target.generation, before, &policy);
    let readiness = look::readiness(&observation, &memory, &policy);
    let successions = succession::look(session, &observation, &memory);
    let (seen, unseen) = (Arc::clone(&objects.set), SetStatus::default());
    let previous = seen.status.as_ref().unwrap_or(&unseen);
    let idle = Plan { memory: memory.clone(), ..Plan::default() };
    let told = Told {
        target: &target,
        observation: &observation,
        plan: &idle,
        previous,
        remembered: &memory,
        policy: &policy,
        candidate: candidate.as_ref(),
        readiness: readiness.as_ref(),
        successions: &successions,
        records: &records,
        installation: &context.installation,
        trouble: None,
        now: stages::now(),
    };
    let is_leaving = objects.set.metadata.deletion_timestamp.is_some();
    let strange =
        stages::stranger(context, &objects).filter(|_| !is_leaving && observation.foreign.is_none());
    if let Some(trouble) = &strange {
        news::tell(context, session, &objects, &Told { trouble: Some(trouble), ..told }).await?;
        return Ok(FOREIGN);
    }
    let plan = planner::decide(&observation, &memory);
    news::say(session, &plan, policy.active.as_ref());
    if let Some(other) = &observation.foreign {
        news::tell_whose(context, session, &objects, other);
        return Ok(FOREIGN);
    }
    if is_leaving {
        return Ok(FOREIGN);
    }
    let told = Told { plan: &plan, ..told };
    if let Err(breach) = promised::audit(context, session, &told) {
        news::tell_of_nothing_done(context, session, &objects, &told, &breach).await?;
        return Err(breach);
    }
    follow(context, session, &mut objects, &told).await
}

/// Promises what is planned, does it, and tells of it.
async fn follow(
    context: &Context,
    session: &mut Session,
    objects: &mut Objects,
    told: &Told<'_>,
) -> Result<Next, Error> {
    match promised::promise(context, session, objects, told).await {
        Ok(true) => {}
        Ok(false) => {
            session.conflicts += 1;
            return Ok(Next::Wait(promised::until_caches_move(session.conflicts)));
        }
        Err(error) => {
            let lasts = session.failing.lasts(error.reason(), Instant::now());
            if lasts || error.needs_a_person() {
                // What failed is told by who called; that it cannot be told adds nothing to it.
                let _ = news::tell_of_nothing_done(context, session, objects, told, &error).await;
            }
            return Err(error);
        }
    }
    session.conflicts = 0;
    session.forget(told.observation, Instant::now());
    let enactment = Enactment { context, attempts: &session.attempts, objects, target: told.target };
    let enacted = enactment.enact(told.plan).await;
    offspring::apply(context, session, objects, told).await;
    gates::write(context, session, objects, told).await;
    stages::take_keys(context, session, objects, told).await;
    session.candidate.put(told.records.iter().filter(|record| is_decided(record, told.plan)));
    let trouble = session.trouble.clone();
    news::tell(context, session, objects, &Told { trouble: trouble.as_ref(), ..*told }).await?;
    enacted.map_err(Error::Enact)?;
    if trouble.is_none() {
        session.told = None;
    }
    Ok(stages::rest(session, told))
}
