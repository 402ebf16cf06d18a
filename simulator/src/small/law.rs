//! The laws of safety, on one screen: asked of the world as it is, at the moment in which something is done
//! that cannot be undone, and of every state.

use super::member::{Phase, Process};
use super::{Rules, State};
use crate::options::Positions;
use planner::names::PodUid;
use planner::observation::Role;
use planner::plan::Cause;
use planner::target::Failover;
use std::collections::BTreeSet;

/// A seed begins a lineage: nothing may be alive beside it but followers, and it must hold every
/// acknowledged write that is owed.
pub(crate) fn may_seed(state: &mut State, rules: &Rules, seed: usize) {
    // One that broke since it was seen to follow leads nobody either.
    let follows = |process: &&Process| process.phase == Phase::Running && process.role == Role::Secondary;
    let alive = processes(state).find(|(_, process)| !follows(process)).map(|(at, process)| {
        format!("x-{seed} seeds while {:?} of x-{at} is alive ({:?})", process.role, process.phase)
    });
    alive.into_iter().for_each(|what| state.find_breach(|| what));
    lacks_nothing(state, rules, seed);
    begin_with(state, seed);
}

/// So does a promotion where no primary serves.
pub(crate) fn may_promote(state: &mut State, rules: &Rules, promoted: usize) {
    let own = state.members[promoted].process.as_ref().map(|process| process.container.clone());
    let rival = |process: &Process| process.role == Role::Primary && Some(&process.container) != own.as_ref();
    let rival = processes(state).find(|(_, process)| rival(process)).map(|(at, _)| at);
    if let Some(at) = rival {
        state.find_breach(|| format!("x-{promoted} is promoted while a primary of x-{at} is alive"));
    }
    if rules.options.failover != Failover::AllowLoss {
        lacks_nothing(state, rules, promoted);
    }
    begin_with(state, promoted);
}

/// A copy destroys what was there: everything that is owed must be with somebody who runs.
pub(crate) fn may_overwrite(state: &mut State, member: usize) {
    let with_others = |write: usize| {
        (0..state.members.len()).any(|at| {
            at != member && state.members[at].processes().any(Process::runs) && state.holds(at, write)
        })
    };
    let lost = (0..state.writes.len())
        .find(|write| state.holds(member, *write) && is_owed(state, *write) && !with_others(*write));
    if let Some(write) = lost {
        state.find_breach(|| {
            format!("a join of x-{member} destroys write {write}, which nobody who runs holds")
        });
    }
}

/// Neither a deletion nor a stop takes the last one that serves, where it served when that was decided: but for one that
/// runs in an epoch that is over, in whose place whoever is of the newest comes once it is gone.
pub(crate) fn may_end(state: &mut State, pod: &PodUid, cause: Cause) {
    let Some(at) = state.at_pod(pod) else { return };
    let well = |at: usize| state.members[at].process.as_ref().is_some_and(Process::runs);
    let alone =
        well(at) && state.life.served.contains(&at) && (0..state.members.len()).all(|o| o == at || !well(o));
    if alone && cause != Cause::Epoch {
        state.find_breach(|| format!("the last member that serves, x-{at}, is ended ({cause:?})"));
    }
}

/// Never two lineages at a time.
pub(crate) fn in_every_state(state: &mut State) {
    let lineages: BTreeSet<u8> = processes(state)
        .filter(|(_, process)| process.serves())
        .map(|(_, process)| process.lineage)
        .collect();
    if lineages.len() > 1 {
        state.find_breach(|| format!("lineages {lineages:?} take writes at the same time"));
    }
}

fn processes(state: &State) -> impl Iterator<Item = (usize, &Process)> {
    state.members.iter().enumerate().flat_map(|(at, member)| member.processes().map(move |p| (at, p)))
}

/// Nobody holds an acknowledged write that is not here, whatever is written down of its data: but for data into which a
/// copy began, unless its record says that the copy ended, for else nobody can tell whether it is whole.
fn lacks_nothing(state: &mut State, rules: &Rules, here: usize) {
    let missing =
        (0..state.writes.len()).filter(|write| !state.holds(here, *write) && is_owed(state, *write));
    let holder = |write: usize| {
        let mut holders = (0..state.members.len()).filter(|at| state.holds(*at, write));
        holders.find(|at| !state.members[*at].joining || counts(state, rules, *at))
    };
    if let Some((write, at)) = missing.filter_map(|write| Some((write, holder(write)?))).next() {
        let despite = if counts(state, rules, at) { "" } else { ", whatever its record says" };
        state.find_breach(|| format!("x-{here} begins without write {write}, which x-{at} holds{despite}"));
    }
}

/// It is written down that this data is of the newest epoch, and nothing was put in its place since.
fn counts(state: &State, rules: &Rules, at: usize) -> bool {
    let status = || state.status.iter().flat_map(|memory| memory.holders.values());
    let claims = || state.members.iter().filter_map(|member| member.record.as_deref());
    let epoch = status().chain(claims()).map(|record| record.epoch.number).max().unwrap_or(0);
    let claim = &state.members[at].claim;
    let is_its = |record: &&planner::Record| matches!(&record.holder, planner::HolderId::Claims(uids) if uids.contains(claim));
    let bare = rules.options.positions == Positions::Counter;
    let record = state.members[at].record.as_deref().or_else(|| status().find(is_its));
    record.is_some_and(|r| r.confirmed == epoch && !r.joining && !(r.left && bare))
}

fn is_owed(state: &State, write: usize) -> bool {
    state.writes[write].acknowledged && !state.writes[write].given_up
}

/// What is not in the data that a lineage begins with is lost for good: nobody owes it any more.
fn begin_with(state: &mut State, member: usize) {
    let held = state.members[member].data;
    for (at, write) in state.writes.iter_mut().enumerate() {
        write.given_up |= held & (1 << at) == 0;
    }
}
