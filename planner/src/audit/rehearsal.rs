//! Members that are asked while they run: where that is allowed, and what may come of it.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, Member, State};
use super::least::may_stay;
use super::readings::says;
use super::went_back::held_before;
use crate::names::{AttemptId, ReplicaName};
use crate::observation::{Attempt, AttemptState, Command};
use crate::plan::{Run, Step};
use crate::position::Position;
use crate::rehearsal::{Heard, Rehearsal};
use crate::timer::Timer;

/// Section 2, Rehearsal: it is asked of members that run, of a set that is well and has nothing else to do, only where
/// the resource says so, and not again before its time. What is remembered of it was said; no reading comes of it, for
/// that is the word of a `Read` (`readings`).
pub(super) fn asks_nothing_of_a_set_in_need(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let asked: Vec<&Run> = evidence.runs().filter(|run| run.command == Command::Rehearse).collect();
    for run in &asked {
        if let Some(what) = not_to_be_asked(evidence, run) {
            found.push(Breach::at(Rule::Rehearsal, &run.replica, what));
        }
    }
    if let Some(what) = unwanted(evidence).filter(|_| !asked.is_empty()) {
        found.push(Breach::of_set(Rule::Rehearsal, what));
    }
    for (name, rehearsal) in &evidence.plan.memory.rehearsals {
        let kept = evidence.memory.rehearsals.get(name) == Some(rehearsal);
        if let Some(what) = not_said(evidence, name, rehearsal, kept) {
            found.push(Breach::at(Rule::Rehearsal, name, what));
        }
    }
}

/// What is wrong with asking this one.
fn not_to_be_asked(evidence: &Evidence<'_>, run: &Run) -> Option<&'static str> {
    let member = evidence.member(&run.replica)?;
    let record = evidence.record_of(member);
    match () {
        () if !member.state.serves() || run.at_rest => Some("is asked though it does not run"),
        () if record.is_none_or(|record| record.starts != run.starts) => {
            Some("is asked under another count of starts")
        }
        () => None,
    }
}

/// What is wrong with asking anybody now.
fn unwanted(evidence: &Evidence<'_>) -> Option<&'static str> {
    let target = &evidence.seen.target;
    let memory = &evidence.plan.memory;
    let is_wanted = |member: &&Member<'_>| may_stay(evidence, member);
    let all = evidence.members.iter().filter(is_wanted).count() as u64 == u64::from(target.replicas);
    let well = evidence.members.iter().filter(is_wanted).all(|member| is_well(evidence, member));
    let is_asked = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Rehearse);
    match () {
        () if target.rehearsal_interval.is_none() => Some("nobody wants to know"),
        () if memory.outage.is_some() => Some("an outage goes on"),
        () if !all || !well => Some("not all members run"),
        () if !evidence.plan.steps.iter().all(is_asked) => Some("there is something else to do"),
        () if memory.holders.values().flat_map(|record| &record.open).any(|start| !start.confirmed) => {
            Some("a start is not confirmed")
        }
        () if !is_due(evidence) => Some("all answered not long ago"),
        () => None,
    }
}

fn is_well(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let epoch = evidence.plan.memory.epoch.number;
    let record = evidence.record_of(member);
    member.state.serves() && record.is_some_and(|record| record.confirmed == epoch && !record.joining)
}

fn is_due(evidence: &Evidence<'_>) -> bool {
    let known = &evidence.plan.memory.rehearsals;
    let runs = evidence.members.iter().filter(|member| State::serves(member.state));
    let is_old = |last: &Rehearsal| evidence.ripe(&Timer::Rehearsed(last.attempt.clone()));
    runs.into_iter().any(|member| known.get(member.name).is_none_or(is_old))
}

/// What is wrong with what is remembered of an answer.
fn not_said(
    evidence: &Evidence<'_>,
    name: &ReplicaName,
    rehearsal: &Rehearsal,
    kept: bool,
) -> Option<&'static str> {
    let record = evidence.after(&rehearsal.holder);
    let now = &evidence.seen.reader;
    match () {
        () if record.is_none_or(|record| record.starts != rehearsal.starts) => {
            Some("is said to hold what it did before a start")
        }
        () if now.is_some() && rehearsal.reader != *now => Some("is said to hold what another reader read"),
        () if kept && evidence.memory.paused => Some("is said to hold what it did before the pause"),
        () if !kept && !was_said(evidence, name, rehearsal) => Some("is said to hold what it did not say"),
        () if !kept && rehearsal.held.as_ref() != shown_before(evidence, rehearsal) => {
            Some("is not remembered with what it showed before")
        }
        () => None,
    }
}

/// What the member showed before by the same start, where the new answer lacks some of it. After a pause, or with another reader,
/// nothing of before counts.
fn shown_before<'a>(evidence: &Evidence<'a>, rehearsal: &Rehearsal) -> Option<&'a Position> {
    let before = &evidence.memory.rehearsals;
    let before = before.values().find(|before| before.holder == rehearsal.holder)?;
    held_before(before, rehearsal)
}

fn was_said(evidence: &Evidence<'_>, name: &ReplicaName, rehearsal: &Rehearsal) -> bool {
    let here = |member: &&Member<'_>| member.holder.as_ref() == Some(&rehearsal.holder);
    let Some(member) = evidence.member(name).filter(here) else { return false };
    evidence.seen.attempts.get(&rehearsal.attempt).is_some_and(|attempt| {
        attempt.command == Command::Rehearse
            && &attempt.replica == name
            && attempt.starts == rehearsal.starts
            && member.container() == Some(&attempt.container)
            && attempt.container == rehearsal.container
            && answered(evidence, &rehearsal.attempt, attempt, rehearsal)
    })
}

fn answered(evidence: &Evidence<'_>, id: &AttemptId, attempt: &Attempt, rehearsal: &Rehearsal) -> bool {
    let judged = evidence.seen.verdicts.readings.get(id);
    match (&attempt.state, &rehearsal.heard) {
        (AttemptState::Ended(_), Heard::Said(said)) => {
            judged.is_some_and(|judged| says(judged, &said.reading, &said.facts))
        }
        (AttemptState::Ended(_) | AttemptState::Running, _) => false,
        (_, heard) => matches!(heard, Heard::Nothing(_)),
    }
}
