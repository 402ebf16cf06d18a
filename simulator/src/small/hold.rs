//! Whether what a set says that it waits for is so.

use super::member::Process;
use super::{Rules, State};
use crate::world::api::ordinal;
use planner::Hold;
use planner::hold::Reason;
use planner::names::ReplicaName;

/// Whether this is true of a world at rest. What ends by itself is over there, and no reason any more.
pub(crate) fn is_true(state: &State, rules: &Rules, hold: &Hold) -> bool {
    let at = |name: &ReplicaName| state.members.get(ordinal(name) as usize);
    let data = |name: &ReplicaName| at(name).map_or(0, |member| member.data);
    let runs = |name: &ReplicaName| at(name).is_some_and(|m| m.process.as_ref().is_some_and(Process::runs));
    let serves = || state.members.iter().any(|m| m.process.as_ref().is_some_and(Process::serves));
    let record = |name: &ReplicaName| at(name).and_then(|member| member.record.as_deref());
    match &hold.reason {
        Reason::Failing(who, _) => at(who).is_some_and(|m| m.process.as_ref().is_some_and(|p| p.broken)),
        Reason::Unread(who, _) | Reason::NotUp(who, _) | Reason::LockBusy(who) => !runs(who),
        Reason::LostData(who, _) => at(who).is_some_and(|member| member.torn || member.data == 0),
        Reason::Diverged(a, b) if rules.options.has_secondary => {
            data(a) & !data(b) != 0 && data(b) & !data(a) != 0
        }
        Reason::Diverged(a, b) => data(a) != data(b),
        Reason::BelowBase(_) | Reason::SeedsExhausted(_) | Reason::NoneOfEpoch(_) => !serves(),
        Reason::NoPrimary(who) => !serves() && !runs(who),
        Reason::JoinerAhead(who) => record(who).is_some_and(|record| record.joining),
        Reason::Errant(who) => !runs(who) && data(who) != 0,
        Reason::NoPromotion(..) => !serves(),
        // That nobody knows its end is what it says, and a record says the same.
        Reason::StartOpen { attempt, .. } => {
            let status = state.status.iter().flat_map(|memory| memory.holders.values());
            let claims = state.members.iter().filter_map(|member| member.record.as_deref());
            status.chain(claims).flat_map(|record| &record.open).any(|start| start.attempt == *attempt)
        }
        Reason::Overdue(who, _) | Reason::LastServer(who) => runs(who),
        Reason::NotWell(_) => is_well(state, rules).is_err(),
        _ => false,
    }
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
