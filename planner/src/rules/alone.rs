//! Where there are no claims, data ends with its pod: one that alone holds the newest data keeps it.

use crate::app_state::AppState;
use crate::draft::Draft;
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::measure::Measure;
use crate::names::ReplicaName;
use crate::ordering;
use crate::plan::Cause;
use crate::position::Position;
use crate::record::{Reading, Record, Taken};
use crate::rules::renew::is_stale;
use crate::start::{Start, StartKind};
use std::collections::BTreeSet;

/// Whether a new pod, for this cause, would end data of the newest epoch that nobody else is known to hold, while no
/// primary lives from whom it could be had. A person may give it up. A pod that has ended holds nothing any more.
pub(crate) fn holds_alone(look: &Look<'_>, name: &ReplicaName, cause: Cause) -> bool {
    let is_lasting = look.target().has_claims() || matches!(cause, Cause::Finished | Cause::Size);
    if is_lasting || !has_primaries(look) || look.live_primaries().next().is_some() {
        return false;
    }
    let Some(mine) = look.record(name).filter(|record| counts(look, record)) else { return false };
    let is_empty = mine.standing().is_some_and(|taken| taken.reading == Reading::Empty);
    !is_empty && !look.memory.holders.values().any(|other| holds_too(look, other, mine))
}

/// Its data may be given up, or a start that came to nothing be vouched for, which keeps what it holds.
pub(crate) fn keep(draft: &mut Draft<'_>, name: &ReplicaName, cause: Cause) {
    let open = draft.look.record(name).into_iter().flat_map(|record| &record.open);
    let pods: BTreeSet<String> = open.map(|start| start.pod.to_string()).collect();
    let vouched = pods.into_iter().map(|pod| (KeyKind::AssertFenced, pod));
    let keys: Vec<_> = std::iter::once((KeyKind::AcceptLoss, name.to_string())).chain(vouched).collect();
    draft.hold_replica(name, Reason::DataAlone(name.clone(), cause), &keys);
}

/// Whether a rollout would stop the only member that runs, or a primary that had to be begun again where it was: its data
/// could be had from nobody. Who is given up for that stays so until its pod is gone.
pub(crate) fn is_last_before_rollout(look: &Look<'_>, name: &ReplicaName) -> bool {
    let is_alone = !look.running().any(|other| other != name) || was_begun_again(look, name);
    let ends = !look.target().has_claims() && has_primaries(look);
    ends && is_alone && look.pod(name).is_some_and(|pod| is_stale(look, pod))
}

/// It alone leads, by a seed that was not the first start of this data: it was stopped before, and nobody had it all.
fn was_begun_again(look: &Look<'_>, name: &ReplicaName) -> bool {
    let is_again = |record: &Record| {
        let seeded = |start: &Start| start.kind == StartKind::Seed && look.is_here(start, name);
        record.starts > 1 && record.open.iter().any(seeded)
    };
    look.live_primaries().eq([name]) && look.record(name).is_some_and(is_again)
}

/// Where nobody is to lead, all that was written is elsewhere.
fn has_primaries(look: &Look<'_>) -> bool {
    look.target().all_primaries() || look.target().primaries > 0
}

fn counts(look: &Look<'_>, record: &Record) -> bool {
    let of_epoch = look.epoch() > 0 && record.confirmed == look.epoch() && !record.joining;
    of_epoch && !record.waived && !record.ended
}

fn holds_too(look: &Look<'_>, other: &Record, mine: &Record) -> bool {
    let said = other.standing().or_else(|| ordering::said(look, other));
    let held = said.and_then(extent).zip(mine.standing().and_then(extent).or_else(|| before_seed(mine)));
    other.holder != mine.holder
        && counts(look, other)
        && is_there(look, other)
        && held.is_some_and(|((here, by), (there, at))| by.includes(here, at, there))
}

/// Its pod is there to stay and says so: one that ends, or is silent, may take its data with it.
fn is_there(look: &Look<'_>, other: &Record) -> bool {
    matches!(look.state(&other.replica), AppState::Stopped | AppState::Primary | AppState::Secondary)
}

fn extent(taken: &Taken) -> Option<(&Position, &Measure)> {
    Some((taken.position()?, &taken.measure))
}

/// What it held before a seed that nobody saw come up: no client wrote to that.
fn before_seed(record: &Record) -> Option<(&Position, &Measure)> {
    match &record.open[..] {
        [start] if start.kind == StartKind::Seed && !start.confirmed => {
            Some((start.from.as_ref()?, &start.measure))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
