//! Records from claims and from status made one, and records for data that is seen first.

use crate::look::Look;
use crate::memory::Epoch;
use crate::names::{AttemptId, ReplicaName};
use crate::observation::Claim;
use crate::plan::News;
use crate::record::{HolderId, Record, Taken};
use crate::start::{Lock, Start};
use std::collections::BTreeMap;

/// The greater (epoch that it was confirmed in, starts) wins, of equal ones that of a claim, which is written before the
/// status; open starts are united, because forgetting one is the error that cannot be mended.
pub(super) fn unite_records(look: &mut Look<'_>, _: &mut Vec<News>) {
    let seen = look.seen;
    for (name, replica) in &seen.replicas {
        let Some(holder) = look.holder(name).cloned() else { continue };
        let written = || replica.claims.iter().filter_map(|claim: &Claim| claim.record.as_ref());
        for record in written() {
            raise(&mut look.memory.epoch, &record.epoch);
            look.memory.outages = look.memory.outages.max(last_outage(record));
            if record.holder != holder {
                meet_copy(look, name, &holder, record);
            }
        }
        let own: Vec<Record> = written().filter(|record| record.holder == holder).cloned().collect();
        if !own.is_empty() {
            let all = look.memory.holders.remove(&holder).into_iter().chain(own).collect();
            look.memory.holders.extend(unite(all).map(|united| (holder, united)));
        }
    }
}

/// Every record at hand tells the newest epoch: if status is lost, any claim can say that there was one.
pub(super) fn stamp_epoch(look: &mut Look<'_>, _: &mut Vec<News>) {
    let epoch = look.memory.epoch.clone();
    for record in look.memory.holders.values_mut() {
        record.epoch = epoch.clone();
    }
}

/// The claim was made from another one (restored from a backup, say): what that one held is owed
/// until a reading shows that it is here.
fn meet_copy(look: &mut Look<'_>, name: &ReplicaName, holder: &HolderId, original: &Record) {
    let epoch = look.memory.epoch.clone();
    look.memory.holders.entry(original.holder.clone()).or_insert_with(|| original.clone());
    let copy = look
        .memory
        .holders
        .entry(holder.clone())
        .or_insert_with(|| Record::new(holder.clone(), name.clone(), epoch));
    copy.copied_from = Some(original.holder.clone());
}

/// A copy whose reading includes the last one of its original takes its place.
pub(super) fn recognise_copies(look: &mut Look<'_>, _: &mut Vec<News>) {
    let holds_all = |copy: &&Record| {
        let original = copy.copied_from.as_ref().and_then(|holder| look.memory.holders.get(holder));
        let last = original.and_then(|record| record.reading.as_ref());
        let gone = original.is_some_and(|record| look.home(&record.holder).is_none());
        gone && copy.standing().zip(last).is_some_and(|(mine, last)| is_all_of(mine, last))
    };
    let copies: Vec<Record> = look.memory.holders.values().filter(holds_all).cloned().collect();
    for mut copy in copies {
        let Some(original) = copy.copied_from.take().and_then(|holder| look.memory.holders.get_mut(&holder))
        else {
            continue;
        };
        copy.confirmed = original.confirmed;
        copy.parted.clone_from(&original.parted);
        original.ended = true;
        look.memory.holders.insert(copy.holder.clone(), copy);
    }
    look.memory.holders.retain(|_, record| !record.ended || !record.open.is_empty());
}

/// It is the data of the original as it was then: a bare number of another outage counts here, but not one of another
/// reader.
fn is_all_of(mine: &Taken, last: &Taken) -> bool {
    let (Some(here), Some(there)) = (mine.position(), last.position()) else { return false };
    let comparable = !here.is_ordinal() || mine.measure.has_reader_of(&last.measure);
    comparable && here.includes(there)
}

/// Data that no record knows gets one.
pub(super) fn meet_new_holders(look: &mut Look<'_>, _: &mut Vec<News>) {
    let seen = look.seen;
    for name in seen.replicas.keys() {
        let Some(holder) = look.holder(name).cloned() else { continue };
        let epoch = look.memory.epoch.clone();
        let record = look
            .memory
            .holders
            .entry(holder.clone())
            .or_insert_with(|| Record::new(holder, name.clone(), epoch.clone()));
        record.replica = name.clone();
        record.ended = false;
    }
}

fn raise(epoch: &mut Epoch, other: &Epoch) {
    if other.number > epoch.number {
        *epoch = other.clone();
    }
}

/// The newest outage that a record names: if status is lost, the next one must have another number than any in which a
/// bare number was read.
fn last_outage(record: &Record) -> u64 {
    let taken = [&record.reading, &record.running].into_iter().flatten().map(|taken| taken.measure.outage);
    let base = record.epoch.base.as_ref().map(|base| base.measure.outage);
    let starts = record.open.iter().map(|start| start.measure.outage);
    taken.chain(base).chain(starts).max().unwrap_or_default()
}

/// Of those that a pod with several claims has, too, in whatever order they were written.
fn unite(records: Vec<Record>) -> Option<Record> {
    let locks = locks(&records);
    let mut united = records.into_iter().reduce(unite_two)?;
    for start in &mut united.open {
        start.lock = locks.get(&start.attempt).map_or(start.lock, |(_, lock)| *lock);
    }
    Some(united)
}

/// A command that is sent makes a lock unknown again: the record with the most starts says how it is, and of several with
/// as many the one that asked.
fn locks(records: &[Record]) -> BTreeMap<AttemptId, (u64, Lock)> {
    let mut locks = BTreeMap::new();
    for (starts, start) in records.iter().flat_map(|r| r.open.iter().map(|start| (r.starts, start))) {
        let known = locks.entry(start.attempt.clone()).or_default();
        *known = (starts, start.lock).max(*known);
    }
    locks
}

fn unite_two(a: Record, b: Record) -> Record {
    let rank = |record: &Record| (record.confirmed, record.starts);
    let (mut newer, older) = if rank(&b) >= rank(&a) { (b, a) } else { (a, b) };
    newer.open = unite_starts(newer.open, older.open);
    newer.starts = newer.starts.max(older.starts);
    newer.parted = newer.parted.or(older.parted);
    raise(&mut newer.epoch, &older.epoch);
    newer
}

/// Each once, oldest first, with all that either record knows of it.
fn unite_starts(mut newer: Vec<Start>, older: Vec<Start>) -> Vec<Start> {
    let mut open = Vec::new();
    for before in older {
        let Some(start) = newer.iter_mut().find(|start| start.attempt == before.attempt) else {
            open.push(before);
            continue;
        };
        start.confirmed |= before.confirmed;
        start.began |= before.began;
        start.ended |= before.ended;
        if start.said.is_empty() {
            start.said = before.said;
        }
    }
    open.append(&mut newer);
    open
}

#[cfg(test)]
mod tests;
