//! When an epoch begins: by a seed, by a promotion after a lost primary, by who leads in its place unbidden, or by a set
//! that is found running after an outage.

use crate::app_state::AppState;
use crate::look::Look;
use crate::memory::Epoch;
use crate::names::ReplicaName;
use crate::plan::News;
use crate::recall::line::of_the_new_line;
use crate::recall::takeover::{is_clear, taken_over};
use crate::record::Record;
use crate::start::{Start, StartKind};

/// Who begins an epoch, and by which start.
struct Opening {
    name: ReplicaName,
    start: Start,
    /// It stands on a claim already: an operator died, or was denied, before it stood in the status.
    is_written: bool,
}

/// Its base is by the measure by which it was read: another policy may decide by now.
pub(super) fn open_epoch(look: &mut Look<'_>, running: &[ReplicaName], news: &mut Vec<News>) {
    let Some(Opening { name, start, is_written }) = opening(look, running) else { return };
    let number = look.epoch() + u64::from(!is_written);
    let former = number - 1;
    let candidates: Vec<ReplicaName> =
        running.iter().filter(|other| **other == name || has_been_of(look, other, former)).cloned().collect();
    let members = of_the_new_line(look, &candidates, &name, &start, former);
    look.memory.epoch = Epoch { number, base: start.base(), ..Epoch::default() };
    look.memory.outage = None;
    look.memory.restore_replicas = None;
    news.push(News::EpochOpened(number, name.clone()));
    if start.kind == StartKind::Found {
        news.push(News::Adopted(name));
    }
    for (_, record) in look.memory.holders.iter_mut().filter(|(holder, _)| members.contains(holder)) {
        record.confirmed = number;
        record.joining = false;
    }
}

fn opening(look: &Look<'_>, running: &[ReplicaName]) -> Option<Opening> {
    let begun = |name: &ReplicaName, is_written: bool| {
        let start = last_start(look, name)?.clone();
        Some(Opening { name: name.clone(), start, is_written })
    };
    if let Some(name) = running.iter().find(|name| opens(look, name)) {
        return begun(name, is_promised_before(look, name));
    }
    let newest = told_everywhere(look);
    if let Some(name) = taken_over(look, running, newest) {
        let last = last_start(look, name)?.clone();
        // A seed may follow for a moment before it leads: it is what it was read to hold.
        let from = last.from.clone().filter(|_| look.memory.outage.is_some() && is_seed_of_now(look, &last));
        let start = Start { from, ..last };
        let is_written = newest < look.epoch() && look.memory.epoch.base == start.base();
        return Some(Opening { name: name.clone(), start, is_written });
    }
    if look.memory.outage.is_none() && look.epoch() > 0 || !is_pause_over(look) {
        return None;
    }
    if let Some(name) = running.iter().find(|name| has_opened(look, name)) {
        return begun(name, true);
    }
    let adopts =
        |name: &&ReplicaName| leads(look, name) && has_been_of(look, name, newest) && !is_joined(look, name);
    begun(running.iter().find(adopts)?, false)
}

/// What a person started in a pause is not judged before all of it is known.
fn is_pause_over(look: &Look<'_>) -> bool {
    !look.was_paused || is_clear(look)
}

/// Where the claims are ahead of the status by one, those who run and those who opened that one have parted.
fn told_everywhere(look: &Look<'_>) -> u64 {
    look.epoch() - u64::from(is_ahead(look))
}

/// Followers alone take no writes, and begin nothing, whoever started them: who led them may come back, or hold more than
/// they do. But nobody of a set that was never brought up leads.
fn leads(look: &Look<'_>, name: &ReplicaName) -> bool {
    *look.state(name) == AppState::Primary || look.epoch() == 0
}

/// Where nobody is to lead, an outage is over once a member follows: all that was written is elsewhere.
pub(super) fn end_outage_of_followers(look: &mut Look<'_>) {
    let follows = |name: &ReplicaName| is_of(look, name, look.epoch());
    if look.target().primaries == 0 && look.running().any(follows) {
        look.memory.outage = None;
    }
}

/// The epoch goes on where a join that was promised in it brings up one that leads. Whether it ends the outage so: its member
/// is confirmed once the status knows that, for beside an outage a confirmed one would be taken for one that was found.
pub(super) fn joined_ends_outage(look: &mut Look<'_>) -> bool {
    let goes_on = look.memory.outage.is_some() && is_pause_over(look);
    let ends = goes_on && look.running().any(|name| is_joined(look, name));
    if ends {
        look.memory.outage = None;
    }
    ends
}

/// It leads by a join that was promised while another led: that one may lead on unseen, and is owed as before.
fn is_joined(look: &Look<'_>, name: &ReplicaName) -> bool {
    let is_join = |start: &Start| start.kind == StartKind::Join && !start.confirmed;
    look.epoch() > 0 && *look.state(name) == AppState::Primary && last_start(look, name).is_some_and(is_join)
}

fn last_start<'a>(look: &'a Look<'_>, name: &ReplicaName) -> Option<&'a Start> {
    let container = look.pod(name)?.live_container()?;
    look.record(name)?.open.iter().rev().find(|start| start.container == *container)
}

fn opens(look: &Look<'_>, name: &ReplicaName) -> bool {
    let new = |start: &Start| match start.kind {
        StartKind::Seed => !start.confirmed,
        StartKind::Promote => !start.confirmed && start.opens,
        _ => false,
    };
    *look.state(name) == AppState::Primary
        && last_start(look, name).is_some_and(new)
        && !is_overtaken(look, name)
}

/// It came up so late that an epoch has begun without it, in which another leads by now.
fn is_overtaken(look: &Look<'_>, name: &ReplicaName) -> bool {
    let newest = told_everywhere(look);
    let is_older = look.record(name).is_some_and(|record| (1..newest).contains(&record.confirmed));
    is_older && look.live_primaries().any(|other| other != name)
}

/// It runs by the start that the newest epoch began with, and the status knows of the outage before; it may name the
/// epoch too, where that was written while its opener was not heard.
fn has_opened(look: &Look<'_>, name: &ReplicaName) -> bool {
    let is_of_it = look.record(name).is_some_and(|record| record.confirmed == look.epoch());
    let begun = |start: &Start| start.confirmed && start.base() == look.memory.epoch.base;
    let by = last_start(look, name).filter(|start| is_of_it && begun(start));
    by.is_some_and(|start| is_ahead(look) || look.told == look.epoch() && is_seed_of_now(look, start))
}

/// It was seeded by what was read in the last outage.
fn is_seed_of_now(look: &Look<'_>, start: &Start) -> bool {
    start.kind == StartKind::Seed && start.measure.outage == look.memory.outages
}

/// Its start was promised in the epoch before, and is what this one began with: only its own claim does not tell yet.
fn is_promised_before(look: &Look<'_>, name: &ReplicaName) -> bool {
    let base = last_start(look, name).and_then(Start::base);
    let is_of_former = look.record(name).is_some_and(|record| record.confirmed + 1 == look.epoch());
    is_of_former && base == look.memory.epoch.base && (base.is_some() || is_ahead(look))
}

/// The claims name the epoch after the one that the status names. A status that was lost names none, and no outage.
pub(super) fn is_ahead(look: &Look<'_>) -> bool {
    look.told + 1 == look.epoch() && (look.told > 0 || look.memory.outage.is_some())
}

/// Whether the data of a member is of this epoch: it was confirmed in it, is being brought into it, or nothing is known
/// of its past.
pub(super) fn is_of(look: &Look<'_>, name: &ReplicaName, epoch: u64) -> bool {
    let ours = |record: &Record| record.joining || record.confirmed >= epoch || record.confirmed == 0;
    look.record(name).is_some_and(ours)
}

/// Only data of the newest epoch begins another, or is carried into it: what is older lacks what was written since, and
/// is stopped as it is without an outage. What a person started in a pause goes on, for that one knows why; what ran before
/// it was not started in it.
fn has_been_of(look: &Look<'_>, name: &ReplicaName, epoch: u64) -> bool {
    let by_hand = |start: &Start| start.kind == StartKind::Found && start.opens;
    let was_started = || look.was_paused && last_start(look, name).is_some_and(by_hand);
    is_of(look, name, epoch) || was_started()
}

#[cfg(test)]
mod half_told;
#[cfg(test)]
mod joined;
#[cfg(test)]
mod tests;
