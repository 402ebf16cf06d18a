//! Data that ends with its pod.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, State};
use super::extent::Extent;
use super::owed::{is_of_now, standing};
use crate::plan::Cause;
use crate::position::Position;
use crate::record::{Reading, Record, Taken};
use crate::start::StartKind;
use crate::target::Storage;

/// 4.8: where there are no claims a pod takes its data with it. While no primary lives from whom it could be had, what is
/// of the newest epoch goes only if another such member was read to hold it, or a person gave it up.
pub(super) fn goes_only_if_held_elsewhere(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let target = &evidence.seen.target;
    let has_claims = matches!(target.storage, Storage::Claims { .. });
    if has_claims || target.has_secondary && target.primaries == 0 || evidence.has_live_primary() {
        return;
    }
    let ending = evidence.endings().filter(|ending| ending.deletes);
    for ending in ending.filter(|ending| !matches!(ending.cause, Cause::Finished | Cause::Size)) {
        let Some(member) = evidence.member(ending.replica) else { continue };
        let Some(mine) = evidence.record_of(member).filter(|record| counts(evidence, record)) else {
            continue;
        };
        let others = evidence.plan.memory.holders.values().filter(|other| other.holder != mine.holder);
        let there = others.filter(|other| counts(evidence, other) && is_there(evidence, other));
        let mut held = there.filter_map(|other| extent(evidence, other));
        let owned = owned(evidence, mine);
        let is_empty = standing(evidence, mine).is_some_and(|taken| taken.reading == Reading::Empty);
        if !is_empty && !owned.is_some_and(|owned| held.any(|held| held.includes(owned))) {
            let what = "alone holds what would end with its pod";
            found.push(Breach::at(Rule::DataAlone, ending.replica, what));
        }
    }
}

fn counts(evidence: &Evidence<'_>, record: &Record) -> bool {
    let epoch = evidence.plan.memory.epoch.number;
    epoch > 0 && record.confirmed == epoch && !(record.joining || record.waived || record.ended)
}

/// Its pod is there, is not about to go, and answers: of no other one it is said that it runs or is stopped.
fn is_there(evidence: &Evidence<'_>, record: &Record) -> bool {
    let member = evidence.place_of(&record.holder);
    member.is_some_and(|member| member.state.serves() || member.state == State::Stopped)
}

/// What it holds at rest, or held at least when it was asked while it ran.
fn extent<'a>(evidence: &Evidence<'a>, record: &'a Record) -> Option<Extent<'a>> {
    let still = |taken: &&Taken| {
        let is_number = matches!(taken.reading, Reading::At(Position::Ordinal(_)));
        taken.starts == record.starts && (!is_number || is_of_now(evidence, &taken.measure))
    };
    let said = || record.running.as_ref().filter(still);
    standing(evidence, record).or_else(said).and_then(Extent::of)
}

/// What it was read to hold; or what it held before the only thing that was started on it: a seed that did not come up.
fn owned<'a>(evidence: &Evidence<'a>, record: &'a Record) -> Option<Extent<'a>> {
    let before = || match record.open.as_slice() {
        [start] if start.kind == StartKind::Seed && !start.confirmed => {
            Some(Extent { position: start.from.as_ref()?, measure: &start.measure })
        }
        _ => None,
    };
    standing(evidence, record).and_then(Extent::of).or_else(before)
}
