//! Sees everything, and asks the policy what the planner wants to know of it.

use planner::{AppState, Decisions, Memory, Observation, Readiness, Verdicts};
use tokio::time::Instant;

use super::{Error, Session};
use crate::context::Context;
use crate::observe::{self, Evidence, Objects};
use crate::policy::Judge;
use crate::target::Target;

/// Sees everything, and asks the policy what the planner wants to know of it.
pub(super) async fn look(
    context: &Context,
    session: &mut Session,
    objects: &mut Objects,
    target: &Target,
    memory: &Memory,
    policy: &Judge,
) -> Result<Observation, Error> {
    let reads = &context.clients.reads;
    observe::find_cluster(reads, objects).await.map_err(Error::Observe)?;
    let records = observe::records(objects, memory);
    observe::find_unseen(reads, objects, &records, &mut session.gone).await.map_err(Error::Observe)?;
    session.boots.look(reads, objects, &records).await.map_err(Error::Observe)?;
    let attachments = &mut session.attachments;
    let detached = attachments.find_detached(reads, objects, target, &records, Instant::now()).await;
    let absences = session.absences.look(reads, objects, Instant::now()).await;
    let claimed = objects.set.status.as_ref().and_then(|status| status.installation.as_ref());
    let foreign = session.foreign.look(reads, &context.installation, claimed).await;
    // Taken before the members are asked: what has ended by then has ended before their answers.
    let (attempts, fates) = (session.attempts.snapshot(), session.attempts.fates());
    let statuses = match &foreign {
        None => observe::ask_all(session.attempts.asker(), objects, target, &session.peers).await,
        Some(_) => Default::default(),
    };
    let evidence = Evidence {
        nonce: session.nonce(),
        foreign,
        statuses,
        absences,
        terminated: context.stores.ended.of(&session.key),
        attempts,
        fates,
        unanswered: session.attempts.unanswered(),
        detached,
        applied: session.applied.clone(),
        reader: policy.reader(),
    };
    let view = observe::target_view(target, objects.set.metadata.annotations.as_ref());
    let mut observation = observe::observation(objects, view, memory, evidence);
    let decisions = policy.decider.decisions();
    let began = Instant::now();
    if let Ok(decisions) = decisions {
        observation.verdicts.readings = observe::readings(&observation.attempts, decisions);
    }
    let timers = planner::timers(&observation, memory);
    observation.ages = session.ages.look(&timers, Instant::now(), target.commands.status.timeout);
    session.peers = primaries(&observation);
    match decisions {
        Ok(decisions) => ask(decisions, &mut observation, memory),
        Err(why) => observation.verdicts.unavailable = Some(why.to_owned()),
    }
    session.asked = began.elapsed();
    Ok(observation)
}

/// The policy's answers to what the planner wants to know of a look, beside the readings that it has.
fn ask(policy: &dyn Decisions, observation: &mut Observation, memory: &Memory) {
    let questions = planner::questions(observation, memory);
    let readings = std::mem::take(&mut observation.verdicts.readings);
    let verdicts = planner::judge(policy, &questions);
    observation.verdicts = Verdicts { readings, ..verdicts };
}

/// What would become of a lights-out now. What the policy is asked for that decides nothing, and leaves no record.
pub(super) fn readiness(observation: &Observation, memory: &Memory, policy: &Judge) -> Option<Readiness> {
    let readiness = planner::ready(observation, memory, policy.decider.decisions());
    drop(policy.decider.take_records());
    readiness
}

/// Those that answer Primary, lowest number first, or by name where there are no numbers.
fn primaries(observation: &Observation) -> Vec<planner::names::ReplicaName> {
    let is_primary = |replica: &planner::observation::Replica| {
        AppState::of(replica.pod.as_ref(), &observation.target) == AppState::Primary
    };
    let mut all: Vec<_> = observation.replicas.iter().filter(|(_, replica)| is_primary(replica)).collect();
    all.sort_by_key(|(_, replica)| replica.ordinal);
    all.into_iter().map(|(name, _)| name.clone()).collect()
}
