//! The stages of a look, each with what it needs of the session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use k8s_openapi::jiff::Timestamp;
use kube::Resource;
use largest_integer::LargestInteger;
use planner::{AppState, Decisions, Memory, Observation, Plan, Verdicts};

use super::{AGAIN, Error, Next, Session, chain};
use crate::ages::soonest;
use crate::api::{PolicyStatus, ReplicatedStatefulSet};
use crate::children::ChildKind;
use crate::context::Context;
use crate::events::Happened;
use crate::observe::{self, Evidence, Objects};
use crate::policy::{Decider, Judge, Obstacle};
use crate::report::{Told, Trouble, is_settled, report, words};
use crate::target::{Policy, Target};
use crate::{api, events, promise};

/// How often a set is looked at that is not settled: quick to a person, and a few execs a second for the API server.
const BUSY: Duration = Duration::from_millis(500);

/// What has not changed for a minute waits for the world, not for us.
const WAITING: Duration = Duration::from_secs(60);

/// How often such a set is looked at. Most of what it waits for raises an event as well.
const SLOW: Duration = Duration::from_secs(2);

/// Refused answers that are remembered: a policy may make up new ones for ever.
const MOST_REFUSED: usize = 64;

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
        Ok(set) => Ok(Some(Arc::new(set.clone()))),
        Err(invalid) => Err(Error::Resource(Box::new(invalid.clone()))),
    }
}

/// The time in whole seconds, as the status has it: with more than it keeps, what was promised would be written once
/// more in the same look.
pub(super) fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

/// What was promised. None is only what was never written: what cannot be read is an error.
pub(super) fn remembered(set: &ReplicatedStatefulSet) -> Result<Memory, Error> {
    match set.status.as_ref().and_then(|status| status.memory.as_ref()) {
        Some(memory) => serde_json::from_value(memory.0.clone()).map_err(Error::Memory),
        None => Ok(Memory::default()),
    }
}

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
    observe::find_unseen(reads, objects, memory, &mut session.gone).await.map_err(Error::Observe)?;
    let attachments = &mut session.attachments;
    let detached = attachments.find_detached(reads, objects, target, memory, Instant::now()).await;
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
        terminated: context.stores.ended.of(&session.key),
        attempts,
        fates,
        unanswered: session.attempts.unanswered(),
        detached,
        applied: session.applied.clone(),
    };
    let view = observe::target_view(target, objects.set.metadata.annotations.as_ref());
    let mut observation = observe::observation(objects, view, memory, evidence);
    let decisions = policy.decider.decisions();
    let began = Instant::now();
    if let Ok(decisions) = decisions {
        observation.verdicts.readings = observe::readings(&observation.attempts, decisions);
    }
    observation.ages = session.ages.look(&planner::timers(&observation, memory), Instant::now());
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

/// What was promised, as the policy that decides now may use it. What another policy read may mean something else by
/// this one, so it is read anew, as it is after a pause, and numbers of before are compared with none of now, as after
/// an outage. The status has the policy beside the memory in one write.
pub(super) fn judged_by(policy: &Judge, told: Option<&PolicyStatus>, mut memory: Memory) -> Memory {
    if policy.decides() && is_another(policy, told) {
        memory.paused = true;
        memory.outages += 1;
    }
    memory
}

/// Who judges in this look: nobody, as long as something that began by the word of another policy is not seen to run.
/// It opens an epoch from what that policy read.
pub(super) fn in_turn(policy: Judge, told: Option<&PolicyStatus>, memory: &Memory) -> Judge {
    let mut starts = memory.holders.values().flat_map(|record| &record.open);
    let begun = starts.find(|start| !start.confirmed);
    let Some(start) = begun.filter(|_| policy.decides() && is_another(&policy, told)) else { return policy };
    let message = format!("what {} began is to be over before another policy decides", start.attempt);
    Judge {
        decider: Decider::Nobody(message.clone()),
        active: told.cloned(),
        obstacle: Some(Obstacle { reason: api::Reason::PolicyLoading, message }),
        is_named: false,
    }
}

fn is_another(policy: &Judge, told: Option<&PolicyStatus>) -> bool {
    // An operator that did not tell of policies knew this one alone.
    let before = told.cloned().unwrap_or_else(|| Policy::told(LargestInteger::default()));
    policy.active.as_ref().is_some_and(|active| !active.answers_as(&before))
}

/// Those that answer Primary, lowest number first.
fn primaries(observation: &Observation) -> Vec<planner::names::ReplicaName> {
    let is_primary = |replica: &planner::observation::Replica| {
        AppState::of(replica.pod.as_ref(), &observation.target) == AppState::Primary
    };
    let mut all: Vec<_> = observation.replicas.iter().filter(|(_, replica)| is_primary(replica)).collect();
    all.sort_by_key(|(_, replica)| replica.ordinal);
    all.into_iter().map(|(name, _)| name.clone()).collect()
}

/// One line when the plan changes, in the words of the status.
pub(super) fn say(session: &mut Session, plan: &Plan) {
    if session.say(words::gist(plan), Instant::now()) {
        let said = words::plan(plan);
        tracing::info!(plan = if said.is_empty() { "nothing is left to do" } else { &said }, "plan");
    }
}

/// The check that knows none of the rules. What it finds is written down whole, to be replayed, once
/// for as long as it finds the same.
pub(super) fn audit(
    context: &Context,
    session: &mut Session,
    told: &Told<'_>,
    memory: &Memory,
) -> Result<(), Error> {
    let (observation, plan) = (told.observation, told.plan);
    let Err(breaches) = (context.audit)(observation, memory, plan) else {
        session.breach = None;
        return Ok(());
    };
    let found = breaches.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    if session.breach.as_ref() != Some(&found) {
        let replay = serde_json::json!({"observation": observation, "memory": memory, "plan": plan});
        tracing::error!(breach = found, %replay, "the audit found the plan wrong; the set is not acted on");
        session.breach = Some(found.clone());
    }
    Err(Error::Audit(found))
}

/// Writes down what is about to be done, if it is new. False: somebody else wrote first.
pub(super) async fn promise(
    context: &Context,
    session: &mut Session,
    objects: &mut Objects,
    told: &Told<'_>,
) -> Result<bool, Error> {
    if !context.leads() {
        return Ok(false);
    }
    let client = &context.clients.writes;
    let writes = promise::claim_writes(objects, told.observation, told.plan);
    let kept = async {
        promise::write_claims(client, writes, &mut session.written).await?;
        let status = report(&Told { trouble: session.trouble.as_ref(), ..*told });
        if status.memory != told.previous.memory {
            objects.set = promise::write_status(client, &objects.set, status, &mut session.written).await?;
        }
        Ok(())
    };
    match kept.await {
        Ok(()) => Ok(true),
        Err(error) if promise::Error::is_conflict(&error) => Ok(false),
        Err(error) => Err(Error::Promise(error)),
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

/// Tells people: the status if it changed, and events of what is new.
pub(super) async fn tell(
    context: &Context,
    session: &mut Session,
    objects: &Objects,
    told: &Told<'_>,
) -> Result<(), Error> {
    let holds = &told.plan.holds;
    context.metrics.holding(&session.key.to_string(), holds);
    let happened = news(session, objects, told);
    events::publish(&context.recorder, &objects.set.object_ref(&()), &happened).await;
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

/// Says once, by an event alone, that another installation looks after the set: the status is the other's.
pub(super) async fn tell_whose(context: &Context, session: &mut Session, objects: &Objects, other: &str) {
    let note = planner::plan::Reason::NotOurs(other.to_owned()).to_string();
    if let Some(happened) = session.news_of(api::Reason::NotOurs, &note) {
        events::publish(&context.recorder, &objects.set.object_ref(&()), &[happened]).await;
    }
}

/// Everything that people have not been told yet.
fn news(session: &mut Session, objects: &Objects, told: &Told<'_>) -> Vec<Happened> {
    let mut happened = events::transitions(told.plan, &told.previous.holds);
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
    happened.extend(refusals(session, told));
    if let Some(trouble) = told.trouble {
        happened.extend(session.news_of(trouble.reason, &trouble.message));
    }
    happened
}

/// Answers of the policy that count for nothing, each told once: most are given again in every look.
fn refusals(session: &mut Session, told: &Told<'_>) -> Vec<Happened> {
    let all = events::refusals(told.records);
    if session.refused.len() > MOST_REFUSED {
        session.refused.clear();
    }
    all.into_iter().filter(|happened| session.refused.insert(happened.note.clone())).collect()
}

/// How long nothing needs to be looked at unless something changes.
pub(super) fn rest(session: &Session, told: &Told<'_>) -> Next {
    let unchanged = session.said.as_ref().is_some_and(|(_, since)| since.elapsed() > WAITING);
    let longest = match is_settled(told.observation, told.plan) {
        true => told.target.interval,
        false if unchanged && told.plan.steps.is_empty() => SLOW,
        false => BUSY,
    };
    let ripens = soonest(&told.observation.ages).unwrap_or(longest);
    let Next::Wait(shortest) = AGAIN else { return AGAIN };
    Next::Wait(longest.min(ripens).max(shortest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Digest;

    #[test]
    fn what_another_policy_read_is_read_anew_and_what_the_same_one_read_is_not() {
        let builtin = Judge::builtin(LargestInteger::default());
        let monotonic = Judge::builtin(LargestInteger { monotonic: true });
        let component = PolicyStatus { digest: Some(Digest::of(b"")), ..PolicyStatus::default() };
        let nobody = Judge { decider: Decider::Nobody(String::new()), ..monotonic.clone() };
        for (sentence, policy, told, expected) in [
            ("the same", &builtin, builtin.active.clone(), false),
            ("an operator that did not tell knew one only", &builtin, None, false),
            ("other settings", &monotonic, builtin.active.clone(), true),
            ("a component before", &builtin, Some(component), true),
            ("nobody reads now", &nobody, builtin.active.clone(), false),
        ] {
            let memory = judged_by(policy, told.as_ref(), Memory::default());
            assert_eq!(memory.paused, expected, "{sentence}");
            assert_eq!(
                memory.outages,
                u64::from(expected),
                "{sentence}: numbers of before count for nothing"
            );
        }
        let paused = Memory { paused: true, ..Memory::default() };
        assert!(judged_by(&builtin, None, paused).paused, "what is void stays so");
    }

    #[test]
    fn another_policy_waits_for_what_began_by_the_word_of_the_one_before() {
        let (builtin, other) =
            (Judge::builtin(LargestInteger::default()), Judge::builtin(LargestInteger { monotonic: true }));
        let mut record = observe::fixture::with_start("p0", "n0");
        for (confirmed, policy, decides) in
            [(false, &other, false), (true, &other, true), (false, &builtin, true)]
        {
            record.open[0].confirmed = confirmed;
            let holders = [(record.holder.clone(), record.clone())].into();
            let memory = Memory { holders, ..Memory::default() };
            let judge = in_turn(policy.clone(), builtin.active.as_ref(), &memory);
            assert_eq!(judge.decides(), decides);
            if !decides {
                assert_eq!(judge.active, builtin.active, "the status goes on naming the one before");
                assert!(judge.obstacle.is_some());
            }
        }
    }
}
