//! Whether what a set says that it waits for is so.

use super::member::{Member, Process};
use super::{Rules, State};
use crate::world::api::ordinal;
use planner::hold::Reason;
use planner::names::ReplicaName;
use planner::position::Position;
use planner::record::Reading;
use planner::{Hold, Record};

/// Whether this is true of a world at rest. What ends by itself is over there, and no reason any more.
pub(crate) fn is_true(state: &State, rules: &Rules, hold: &Hold) -> bool {
    let at = |name: &ReplicaName| state.members.get(ordinal(name) as usize);
    let data = |name: &ReplicaName| at(name).map_or(0, |member| member.data);
    let runs = |name: &ReplicaName| at(name).is_some_and(|m| m.process.as_ref().is_some_and(Process::runs));
    let serves = || state.members.iter().any(Member::serves);
    let lives = || state.members.iter().any(|member| member.processes().next().is_some());
    match &hold.reason {
        Reason::Failing(who, _) => at(who).is_some_and(|m| m.process.as_ref().is_some_and(|p| p.broken)),
        Reason::NotUp(who, ..) => !runs(who),
        Reason::Unread(who, _) => !runs(who) && at(who).is_some() && is_unread(state, rules, who),
        Reason::LockBusy(who) => at(who).is_some() && state.is_locked(rules, ordinal(who) as usize),
        Reason::LostData(who, _) => at(who).is_some_and(|member| member.torn || member.data == 0),
        Reason::PositionWentBack { name, .. } => !runs(name),
        Reason::Diverged(a, b) if rules.options.has_secondary => {
            data(a) & !data(b) != 0 && data(b) & !data(a) != 0
        }
        Reason::Diverged(a, b) => data(a) != data(b),
        // What an epoch began with are writes.
        Reason::BelowBase(who) => !serves() && data(who).count_ones() < written(state),
        Reason::SeedsExhausted(failed) => !lives() && failed.iter().all(|tried| at(&tried.replica).is_some()),
        Reason::NoneOfEpoch(left) => {
            !lives() && left.iter().all(|(who, read)| is_read(state, rules, who, read))
        }
        Reason::NoPrimary(who) => !serves() && !runs(who),
        Reason::JoinerAhead(who) => at(who).is_some_and(|joiner| is_ahead(state, joiner)),
        Reason::Errant(who) => at(who).is_some() && is_errant(state, rules, who),
        Reason::NoPromotion(..) => !serves(),
        // That nobody knows its end is what it says, and a record says the same.
        Reason::StartOpen { attempt, .. } => {
            records(state).flat_map(|record| &record.open).any(|start| start.attempt == *attempt)
        }
        Reason::Overdue(who, _) | Reason::LastServer(who) => runs(who),
        Reason::NotWell(_) => is_well(state, rules).is_err(),
        _ => false,
    }
}

fn records(state: &State) -> impl Iterator<Item = &Record> {
    let status = state.status.iter().flat_map(|memory| memory.holders.values());
    status.chain(state.members.iter().filter_map(|member| member.record.as_deref()))
}

fn written(state: &State) -> u32 {
    u32::try_from(state.writes.len()).unwrap_or(u32::MAX)
}

/// Something keeps `sequence` from being asked there, or it tells no position.
fn is_unread(state: &State, rules: &Rules, who: &ReplicaName) -> bool {
    let at = ordinal(who) as usize;
    let is_open = records(state).any(|record| record.replica == *who && !record.open.is_empty());
    let is_at_rest = state.members[at].container().is_some() && state.members[at].process.is_none();
    let may_be_asked = is_at_rest && !is_open && !state.is_locked(rules, at);
    !may_be_asked || !matches!(state.reading(rules, at), Reading::At(_))
}

/// What was read of it, if anything was, is what is there.
fn is_read(state: &State, rules: &Rules, who: &ReplicaName, read: &Option<Reading>) -> bool {
    let at = ordinal(who) as usize;
    let is_it = |read: &Reading| *read == state.reading(rules, at);
    at < state.members.len() && read.as_ref().is_none_or(is_it)
}

/// A copy into it began, or was to; and it holds what another one does not.
fn is_ahead(state: &State, joiner: &Member) -> bool {
    let is_joining = joiner.joining || joiner.record.as_deref().is_some_and(|record| record.joining);
    let lacks = |other: &Member| joiner.data & !other.data != 0;
    is_joining && joiner.process.is_none() && state.members.iter().any(lacks)
}

/// A join would destroy what not all who serve hold. Of bare numbers nobody knows whether they do: those of two outages are
/// not compared.
fn is_errant(state: &State, rules: &Rules, who: &ReplicaName) -> bool {
    let member = &state.members[ordinal(who) as usize];
    let lacks = |other: &Member| member.torn || member.data & !other.data != 0;
    let mut serving = state.members.iter().filter(|other| other.serves());
    let is_alone =
        serving.any(|other| if rules.options.has_secondary { lacks(other) } else { member.data != 0 });
    member.process.is_none() && (is_alone || is_unproven(state, rules, who))
}

/// It was never of the epoch, and nobody was told that this began with what it holds: whether it has more from who leads
/// by now, or of its own, is not known.
fn is_unproven(state: &State, rules: &Rules, who: &ReplicaName) -> bool {
    let at = ordinal(who) as usize;
    let Some(epoch) = state.status.as_deref().map(|memory| &memory.epoch) else { return false };
    let record = state.members[at].record.as_deref();
    let was_of_it = record.is_some_and(|record| record.confirmed == epoch.number);
    let began_with = |held: &Position| epoch.base.as_ref().is_some_and(|base| base.position.includes(held));
    !was_of_it && matches!(state.reading(rules, at), Reading::At(held) if !began_with(&held))
}

/// Every wanted member runs, in one lineage, under the right label.
pub(crate) fn is_well(state: &State, rules: &Rules) -> Result<(), String> {
    let mut primaries = 0;
    let mut lineage = None;
    for (at, member) in state.members.iter().enumerate() {
        let Some(process) = member.process.as_ref().filter(|process| process.runs()) else {
            return Err(format!("x-{at} does not run"));
        };
        if *lineage.get_or_insert(process.lineage) != process.lineage {
            return Err(format!("x-{at} is of another lineage"));
        }
        primaries += u32::from(process.serves());
        let labels = member.pod.as_ref().map(|pod| (pod.active, pod.role));
        if labels != Some((Some(true), Some(process.role))) {
            return Err(format!("x-{at} has the wrong label"));
        }
    }
    let wanted = rules.options.primaries;
    if primaries == wanted { Ok(()) } else { Err(format!("there are {primaries} primaries of {wanted}")) }
}
