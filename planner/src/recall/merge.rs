//! Records from claims and from status made one, and records for data that is seen first.

use crate::look::Look;
use crate::memory::Epoch;
use crate::names::ReplicaName;
use crate::observation::Claim;
use crate::plan::News;
use crate::record::{HolderId, Record, Taken};
use crate::start::Start;

/// The greater (epoch, starts) wins; open starts are united, oldest first, because forgetting one is
/// the error that cannot be mended.
pub(super) fn unite_records(look: &mut Look<'_>, _: &mut Vec<News>) {
    let seen = look.seen;
    for (name, replica) in &seen.replicas {
        let Some(holder) = look.holder(name).cloned() else { continue };
        let written = replica.claims.iter().filter_map(|claim: &Claim| claim.record.as_ref());
        for record in written {
            raise(&mut look.memory.epoch, &record.epoch);
            look.memory.outages = look.memory.outages.max(last_outage(record));
            if record.holder == holder {
                let here = look.memory.holders.remove(&holder);
                let mut united = here.map_or_else(|| record.clone(), |known| unite(known, record.clone()));
                united.replica = name.clone();
                look.memory.holders.insert(holder.clone(), united);
            } else {
                meet_copy(look, name, &holder, record);
            }
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

fn unite(a: Record, b: Record) -> Record {
    let rank = |record: &Record| (record.confirmed, record.starts);
    let (mut newer, older) = if rank(&b) >= rank(&a) { (b, a) } else { (a, b) };
    let known = |start: &Start| newer.open.iter().any(|other| other.attempt == start.attempt);
    let mut open: Vec<Start> = older.open.into_iter().filter(|start| !known(start)).collect();
    open.append(&mut newer.open);
    newer.open = open;
    newer.parted = newer.parted.or(older.parted);
    raise(&mut newer.epoch, &older.epoch);
    newer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::memory::Base;
    use crate::names::ReplicaName;
    use crate::position::Position;

    #[test]
    fn the_record_with_more_starts_wins_and_no_open_start_is_forgotten() {
        let status = fixture::record(0).confirmed_in(2).starts(4).open_start("a");
        let claim = fixture::record(0).confirmed_in(2).starts(5).open_start("b");
        for (one, other) in [(status.clone(), claim.clone()), (claim, status)] {
            let united = unite(one, other);
            assert_eq!(united.starts, 5);
            let open: Vec<&str> = united.open.iter().map(|start| start.attempt.0.as_str()).collect();
            assert_eq!(open, ["a", "b"]);
        }
    }

    #[test]
    fn an_epoch_that_only_a_claim_knows_is_believed() {
        let mut world = fixture::stopped_set(3);
        let name = ReplicaName::from("x-1");
        let mut record = fixture::record(1).confirmed_in(7);
        record.epoch.number = 7;
        world.replicas.get_mut(&name).unwrap().claims[0].record = Some(record);
        let (look, _) = super::super::recall(&world, &crate::Memory::default());
        assert_eq!(look.epoch(), 7);
    }

    #[test]
    fn of_two_that_name_the_same_epoch_the_status_says_what_it_began_with() {
        let base = |number| Some(Base { position: Position::Ordinal(number), measure: fixture::measure(1) });
        let mut known = fixture::memory([fixture::record(0).confirmed_in(3)]);
        known.epoch = Epoch { number: 3, base: base(7), ..Epoch::default() };
        for (number, expected) in [(3, base(7)), (2, base(7)), (4, base(9))] {
            let mut world = fixture::stopped_set(1);
            let mut record = fixture::record(0).confirmed_in(2);
            record.epoch = Epoch { number, base: base(9), ..Epoch::default() };
            world.replicas.get_mut(&fixture::name(0)).unwrap().claims[0].record = Some(record);
            let (look, _) = super::super::recall(&world, &known);
            assert_eq!(look.memory.epoch.base, expected, "a claim of epoch {number}");
        }
    }

    #[test]
    fn a_claim_with_the_record_of_another_is_its_copy_and_what_that_one_held_is_not_forgotten() {
        let mut world = fixture::stopped_set(1);
        let original = fixture::record(7).confirmed_in(1).at(9);
        world.replicas.get_mut(&fixture::name(0)).unwrap().claims[0].record = Some(original.clone());
        let (look, _) = super::super::recall(&world, &crate::Memory::default());
        let copy = &look.memory.holders[&fixture::holder(0)];
        assert_eq!(copy.copied_from, Some(original.holder.clone()));
        assert_eq!(look.memory.holders[&original.holder].confirmed, 1);
    }

    #[test]
    fn no_outage_has_the_number_of_one_in_which_a_claim_says_that_it_was_read() {
        let mut world = fixture::stopped_set(2);
        let mut record = fixture::record(1).confirmed_in(1).at(9);
        record.reading.as_mut().unwrap().measure.outage = 6;
        world.replicas.get_mut(&fixture::name(1)).unwrap().claims[0].record = Some(record);
        let plan = crate::decide(&world, &crate::Memory::default());
        assert_eq!(plan.memory.outages, 7);
        assert_eq!(crate::audit(&world, &crate::Memory::default(), &plan), Ok(()));
        let mut starting = fixture::record(1).confirmed_in(1).open_start("a");
        starting.open[0].measure.outage = 8;
        world.replicas.get_mut(&fixture::name(1)).unwrap().claims[0].record = Some(starting);
        let plan = crate::decide(&world, &crate::Memory::default());
        assert_eq!(plan.memory.outages, 9, "what it began from was read in that one");
        assert_eq!(crate::audit(&world, &crate::Memory::default(), &plan), Ok(()));
    }

    #[test]
    fn a_restored_claim_takes_its_originals_place_only_if_it_holds_what_that_held() {
        for (at, reader, recognised) in [(9, "reader", true), (8, "reader", false), (9, "another", false)] {
            let mut world = fixture::stopped_set(1);
            // While nobody reads, what two have read stands side by side.
            world.reader = None;
            let mut original = fixture::record(7).confirmed_in(1).at(9);
            original.reading.as_mut().unwrap().measure.reader = Some(reader.into());
            original.replica = fixture::name(0);
            world.replicas.get_mut(&fixture::name(0)).unwrap().claims[0].record = Some(original.clone());
            let mut copy = fixture::record(0).at(at);
            copy.copied_from = Some(original.holder.clone());
            let known = fixture::memory([copy, original.clone()]);
            let (look, _) = super::super::recall(&world, &known);
            assert_eq!(
                look.memory.holders[&fixture::holder(0)].confirmed == 1,
                recognised,
                "at {at} by {reader}"
            );
            assert_eq!(
                look.memory.holders.contains_key(&original.holder),
                !recognised,
                "at {at} by {reader}"
            );
        }
    }
}
