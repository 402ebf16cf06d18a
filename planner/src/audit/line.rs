//! Which line of history a member is of, when a new one begins.

use super::candidates::last_outage;
use super::evidence::{Evidence, Member, State};
use super::extent::{Extent, is_one_measure};
use super::loss::is_carried_over;
use super::owed::read_before;
use super::past::Past;
use super::readings::said_running;
use super::takeover;
use crate::measure::Measure;
use crate::memory::Base;
use crate::observation::Role;
use crate::position::Position;
use crate::record::Record;
use crate::start::{Start, StartKind};

/// 4.7: an epoch begins with what its first member held. Another that runs then is of it if that includes what it was
/// last read to hold; who could not be read follows, if all was read that its primaries held, and that goes on. So is
/// one that is heard only later. Data of an older epoch is of none of these, but where a person started it in a pause.
pub(super) fn is_another(evidence: &Evidence<'_>, record: &Record, past: &Past<'_>, begins: bool) -> bool {
    let now = &evidence.plan.memory.epoch;
    let old = now.number.saturating_sub(1);
    let rises = record.confirmed == now.number && (1..now.number).contains(&past.confirmed());
    // One that was joining is brought in by its own join.
    let joins = past.own().any(|record| record.joining);
    // One that stands on a claim already begins for the status when that takes note that the outage is over.
    let is_over = || evidence.memory.outage.is_some() && evidence.plan.memory.outage.is_none();
    let is_told = || takeover::is_ahead(evidence) && takeover::of_last(evidence).is_some();
    let begins = begins
        || is_told()
        || comes_up(evidence, now.base.as_ref())
        || is_over() && evidence.anybody(|state| state == State::Primary);
    let is_older = past.confirmed() < old;
    let is_carried = is_carried_over(evidence, record, past);
    if !rises || joins || is_carried || is_opener(record, past, now.base.as_ref(), begins && !is_older) {
        return false;
    }
    if is_older {
        return !(evidence.memory.paused && record.open.iter().any(is_by_hand));
    }
    let is_found = record.open.iter().any(|start| start.kind == StartKind::Found && !past.knew(start));
    let follows = evidence.place_of(&record.holder).is_some_and(|at| at.state == State::Secondary);
    if !begins && (is_found || !follows) {
        return true;
    }
    let Some(base) = now.base.as_ref() else { return !(begins || stood_elsewhere(evidence, past)) };
    let own = Extent { position: &base.position, measure: &base.measure };
    let measure = Measure { outage: last_outage(evidence), reader: evidence.seen.reader.clone() };
    let taken = newest_bound(evidence, record, past, &measure).filter(|_| !is_found);
    match taken.filter(|bound| is_comparable(own, *bound)) {
        Some(bound) => !own.includes(bound),
        None => (!begins || is_promoted(evidence, base)) && !is_led(evidence, own, old),
    }
}

/// Who opens it leads by a start that was not seen to take effect before: an operator died, or was denied, when the epoch
/// stood on a claim, and it begins for all others now as it did then.
fn comes_up(evidence: &Evidence<'_>, base: Option<&Base>) -> bool {
    let opens = |start: &Start| {
        let is_of_it = start.kind == StartKind::Seed || start.kind == StartKind::Promote && start.opens;
        is_of_it && !start.confirmed && start.base().as_ref() == base
    };
    let begun = |member: &Member<'_>| {
        member.holder.as_ref().is_some_and(|holder| evidence.past(holder).open().iter().any(opens))
    };
    takeover::is_ahead(evidence)
        && evidence.members.iter().any(|member| member.takes_writes() && begun(member))
}

/// A person started it in a pause.
fn is_by_hand(start: &Start) -> bool {
    start.kind == StartKind::Found && start.opens
}

/// The epoch stood on a claim of who leads in it, and on none of this follower's: an operator died between the two.
fn stood_elsewhere(evidence: &Evidence<'_>, past: &Past<'_>) -> bool {
    let now = evidence.plan.memory.epoch.number;
    let is_written = |member: &Member<'_>| {
        let of_leader = member.holder.as_ref().map_or(0, |holder| evidence.past(holder).confirmed());
        member.takes_writes() && of_leader == now
    };
    let follows = past.newest().is_some_and(|old| old.last == Some(Role::Secondary));
    takeover::is_ahead(evidence)
        && follows
        && past.own().all(|old| old.epoch.number < now)
        && evidence.members.iter().any(is_written)
}

/// What it held at least when it was last asked while it ran: in this look, or before.
pub(super) fn newest_bound<'a>(
    evidence: &Evidence<'a>,
    record: &Record,
    past: &Past<'a>,
    now: &'a Measure,
) -> Option<Extent<'a>> {
    let old = past.newest()?;
    let said = evidence.place_of(&record.holder).and_then(|at| said_running(evidence, at, old.starts));
    match said {
        Some(position) => position.map(|position| Extent { position, measure: now }),
        None => old.running.as_ref().filter(|taken| taken.starts == old.starts).and_then(Extent::of),
    }
}

/// It made the start that the epoch began with: a seed, or a promotion from what was read. By what came up by itself an
/// epoch begins only in this look, and only data of the epoch before: what is older may have held as much.
fn is_opener(record: &Record, past: &Past<'_>, base: Option<&Base>, by_itself: bool) -> bool {
    let before = past.open();
    let begins = |kind: StartKind| match base {
        Some(_) => by_itself || matches!(kind, StartKind::Seed | StartKind::Promote),
        None => kind == StartKind::Seed,
    };
    record.open.iter().chain(&before).any(|start| start.base().as_ref() == base && begins(start.kind))
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
        let held = read_before(evidence, record).and_then(Extent::of);
        let left = record.left && held.is_some_and(is_number);
        let led = record.last == Some(Role::Primary) && record.confirmed == old && !left;
        let serves = evidence.place_of(&record.holder).is_some_and(|at| at.state == State::Primary);
        if !led || serves {
            continue;
        }
        let goes_on = held.is_some_and(|held| own.includes(held));
        if record.waived || !goes_on {
            return false;
        }
        read += 1;
    }
    read > 0
}
