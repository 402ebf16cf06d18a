//! Where readings come from.

use super::breach::{Breach, Rule};
use super::candidates::last_outage;
use super::evidence::{Evidence, Member};
use super::lock::has_lock;
use super::owed::standing;
use crate::decision::{Fact, Judgement};
use crate::observation::{Attempt, AttemptState, Command};
use crate::position::{LONGEST, Position};
use crate::record::{Reading, Record, Taken};

/// Section 2, Reading: it stands if taken of a stopped member after the last start on its data, all
/// starts closed; it is void when the member was seen running, the set was paused since, or another reader
/// reads. So each new one is what a `sequence` of ours in the present container said, and none stands of a member that
/// runs.
pub(super) fn come_from_a_command(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for record in evidence.plan.memory.holders.values() {
        let past = evidence.past(&record.holder);
        let place = evidence.place_of(&record.holder);
        let kept = |taken: &Taken| past.all().any(|old| old.reading.as_ref() == Some(taken));
        let what = match &record.reading {
            Some(taken) if !kept(taken) && !place.is_some_and(|at| was_said(evidence, at, taken, true)) => {
                Some("was not said")
            }
            Some(_) if place.is_some_and(|at| at.state.serves()) && record.standing().is_some() => {
                Some("is of a member that runs")
            }
            Some(_) if evidence.memory.paused && standing(evidence, record).is_some() => {
                Some("is from before the pause")
            }
            Some(taken) if is_anothers(evidence, taken) => Some("is of another reader than the one of now"),
            _ => None,
        };
        let bound =
            || record.running.as_ref().filter(|taken| past.all().all(|r| r.running.as_ref() != Some(taken)));
        let running = record.running.as_ref().filter(|taken| is_anothers(evidence, taken));
        let what = what.or_else(|| running.map(|_| "of the running member is of another reader"));
        let what = what.or_else(|| {
            let said = |taken: &Taken| place.is_some_and(|at| was_said(evidence, at, taken, false));
            bound().filter(|taken| !said(taken)).map(|_| "of the running member was not said")
        });
        if let Some(what) = what {
            found.push(Breach::at(Rule::Reading, &record.replica, format!("its reading {what}")));
        }
    }
    for run in evidence.runs().filter(|run| run.command == Command::Read) {
        let record = evidence.member(&run.replica).and_then(|member| evidence.record_of(member));
        if record.is_none_or(|record: &Record| record.starts != run.starts) {
            found.push(Breach::at(Rule::Reading, &run.replica, "is read under another count of starts"));
        }
    }
}

/// Somebody reads, and this is what somebody else read.
fn is_anothers(evidence: &Evidence<'_>, taken: &Taken) -> bool {
    evidence.seen.reader.as_ref().is_some_and(|now| taken.measure.reader.as_ref() != Some(now))
}

/// Whether a `sequence` that ended in the container of now said this.
fn was_said(evidence: &Evidence<'_>, member: &Member<'_>, taken: &Taken, at_rest: bool) -> bool {
    let locked = at_rest && has_lock(evidence, &taken.container);
    evidence.seen.attempts.iter().any(|(id, attempt)| {
        is_heard_here(member, attempt)
            && &attempt.replica == member.name
            && taken.container == attempt.container
            && taken.starts == attempt.starts
            && taken.measure.reader == evidence.seen.reader
            && taken.measure.outage == last_outage(evidence)
            && attempt.at_rest == at_rest
            && (attempt.locked || !locked)
            && match attempt.state {
                AttemptState::Overdue => matches!(taken.reading, Reading::Unreadable(_)),
                _ => evidence
                    .seen
                    .verdicts
                    .readings
                    .get(id)
                    .is_some_and(|judged| says(judged, &taken.reading, &taken.facts)),
            }
    })
}

/// It is a `sequence` that is over, in the container of now.
fn is_heard_here(member: &Member<'_>, attempt: &Attempt) -> bool {
    attempt.command == Command::Read
        && matches!(attempt.state, AttemptState::Ended(_) | AttemptState::Overdue)
        && member.pod().is_some_and(|pod| pod.uid == attempt.pod)
        && member.container() == Some(&attempt.container)
}

/// What a `sequence` that ended in this look said of a member that runs, and whether that is a position.
pub(super) fn said_running<'a>(
    evidence: &Evidence<'a>,
    member: &Member<'_>,
    starts: u64,
) -> Option<Option<&'a Position>> {
    let of_it = |attempt: &Attempt| {
        is_heard_here(member, attempt) && (attempt.starts, attempt.at_rest) == (starts, false)
    };
    let (readings, is_paused) = (&evidence.seen.verdicts.readings, evidence.memory.paused);
    let mut said = evidence.seen.attempts.iter().rev().filter(|(_, attempt)| of_it(attempt));
    said.find_map(|(id, attempt)| match attempt.state {
        AttemptState::Overdue => Some(None),
        _ => readings.get(id).map(|judged| match &judged.reading {
            Reading::At(position) if position.to_string().len() <= LONGEST => Some(position),
            _ => None,
        }),
    })
    .filter(|_| !is_paused)
}

/// Word by word; of a position for which no claim has room, that it is not known.
pub(super) fn says(judged: &Judgement, taken: &Reading, facts: &[Fact]) -> bool {
    match &judged.reading {
        Reading::At(position) if position.to_string().len() > LONGEST => {
            matches!(taken, Reading::Unreadable(_))
        }
        reading => reading == taken && judged.facts == facts,
    }
}
