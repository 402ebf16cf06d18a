//! Which line of history a member is of, when a new one begins.

use super::evidence::{Evidence, State};
use super::extent::{Extent, is_one_measure};
use super::owed::standing;
use super::past::Past;
use crate::memory::Base;
use crate::observation::Role;
use crate::position::Position;
use crate::record::Record;
use crate::start::StartKind;

/// 4.7: an epoch begins with what its first member held. Another that runs then is of it if that includes what it was
/// last read to hold; who could not be read follows, if all was read that its primaries held, and that goes on.
pub(super) fn is_another(evidence: &Evidence<'_>, record: &Record, past: &Past<'_>) -> bool {
    let now = &evidence.plan.memory.epoch;
    let Some(base) = now.base.as_ref() else { return false };
    let old = now.number.saturating_sub(1);
    if record.confirmed != now.number || past.confirmed() != old || old == 0 || is_opener(record, past, base)
    {
        return false;
    }
    // One that was joining is brought in by its own join.
    if past.own().any(|record| record.joining) {
        return false;
    }
    let own = Extent { position: &base.position, measure: &base.measure };
    let is_found = record.open.iter().any(|start| start.kind == StartKind::Found && !past.knew(start));
    let taken = past.newest().and_then(|old| old.running.as_ref().filter(|taken| taken.starts == old.starts));
    let taken = taken.filter(|_| !is_found);
    match taken.and_then(Extent::of).filter(|bound| is_comparable(own, *bound)) {
        Some(bound) => !own.includes(bound),
        None => is_promoted(evidence, base) && !is_led(evidence, own, old),
    }
}

fn is_opener(record: &Record, past: &Past<'_>, base: &Base) -> bool {
    let before = past.open();
    record.open.iter().chain(&before).any(|start| start.base().as_ref() == Some(base))
}

fn is_promoted(evidence: &Evidence<'_>, base: &Base) -> bool {
    let starts = evidence.remembered().flat_map(|record| evidence.past(&record.holder).open());
    let mut begun = starts.filter(|start| start.base().as_ref() == Some(base)).peekable();
    begun.peek().is_some() && begun.all(|start| start.kind == StartKind::Promote)
}

fn is_comparable(a: Extent<'_>, b: Extent<'_>) -> bool {
    let is_number = |extent: Extent<'_>| matches!(extent.position, Position::Ordinal(_));
    is_number(a) == is_number(b) && (!is_number(a) || is_one_measure(a.measure, b.measure))
}

/// The primaries of the epoch before were read at rest, and the new one begins with all of that.
fn is_led(evidence: &Evidence<'_>, own: Extent<'_>, old: u64) -> bool {
    let mut read = 0;
    for record in evidence.plan.memory.holders.values() {
        let is_number = |held: Extent<'_>| matches!(held.position, Position::Ordinal(_));
        let left = record.left && record.reading.as_ref().and_then(Extent::of).is_some_and(is_number);
        let led = record.last == Some(Role::Primary) && record.confirmed == old && !left;
        let serves = evidence.place_of(&record.holder).is_some_and(|at| at.state == State::Primary);
        if !led || serves {
            continue;
        }
        let goes_on = standing(evidence, record).and_then(Extent::of).is_some_and(|held| own.includes(held));
        if record.waived || !goes_on {
            return false;
        }
        read += 1;
    }
    read > 0
}
