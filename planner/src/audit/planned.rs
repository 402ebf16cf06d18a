//! The only primary, stopped for a change that the resource asks for.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, Member};
use super::fence::{includes, lost_primaries};
use super::least::may_go;
use super::led::last_role;
use super::repair::Ending;
use crate::observation::{AttemptState, Command, Role};
use crate::plan::{Cause, Run};
use crate::record::Record;

/// 4.10: that a member was stopped for a change is written with that stop, and forgotten once the member runs on.
pub(super) fn is_a_stop_of_now(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for record in evidence.plan.memory.holders.values().filter(|record| record.planned_stop.is_some()) {
        if evidence.endings().any(|ending| is_change(&ending, record)) {
            continue;
        }
        let past = evidence.past(&record.holder);
        let is_known = past.own().any(|old| old.planned_stop == record.planned_stop);
        let runs_on = evidence.place_of(&record.holder).is_some_and(|member| runs_on(evidence, member));
        if !is_known || runs_on {
            let what = "is said to have been stopped for a change, and was not";
            found.push(Breach::at(Rule::Consent, &record.replica, what));
        }
    }
}

fn is_change(ending: &Ending<'_>, record: &Record) -> bool {
    let is_asked_for = matches!(ending.cause, Cause::Template | Cause::Size | Cause::Unguarded);
    is_asked_for && *ending.replica == record.replica
}

/// It serves, and no `stop` runs there.
fn runs_on(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let stops = evidence.seen.attempts.values().any(|attempt| {
        let is_here = Some(&attempt.container) == member.container();
        is_here && attempt.command == Command::Stop && attempt.state == AttemptState::Running
    });
    member.state.serves() && !stops
}

/// 4.10: after such a stop a set goes on by itself from the same data while all others run, or from a secondary that holds
/// all of it.
pub(super) fn goes_on(evidence: &Evidence<'_>, run: &Run) -> bool {
    let Some(member) = evidence.member(&run.replica) else { return false };
    let Some(own) = evidence.record_of(member) else { return false };
    match run.command {
        Command::Seed => was_stopped(evidence, own) && others_serve(evidence, own),
        Command::Promote => {
            let away: Vec<&Record> = of_epoch(evidence, own).filter(|other| led(evidence, other)).collect();
            let is_planned = !away.is_empty() && away.iter().all(|other| was_stopped(evidence, other));
            is_planned && lost_primaries(evidence, member).iter().all(|lost| includes(evidence, own, lost))
        }
        _ => false,
    }
}

/// Others of the newest epoch that nobody gave up.
fn of_epoch<'a>(evidence: &Evidence<'a>, own: &'a Record) -> impl Iterator<Item = &'a Record> {
    let newest = evidence.plan.memory.epoch.number;
    evidence.plan.memory.holders.values().filter(move |other| {
        let is_given_up = other.joining || other.waived || other.ended;
        other.confirmed == newest && !is_given_up && other.holder != own.holder
    })
}

fn led(evidence: &Evidence<'_>, record: &Record) -> bool {
    !evidence.serves(&record.holder) && last_role(evidence, &record.holder) == Some(Role::Primary)
}

/// It was written before this look, and nothing was started on the data since.
fn was_stopped(evidence: &Evidence<'_>, record: &Record) -> bool {
    let past = evidence.past(&record.holder);
    past.own().any(|old| old.planned_stop == Some(past.starts()))
}

fn others_serve(evidence: &Evidence<'_>, own: &Record) -> bool {
    of_epoch(evidence, own).all(|other| {
        let place = evidence.place_of(&other.holder);
        place.is_some_and(|member| may_go(evidence, member) || member.state.serves())
    })
}
