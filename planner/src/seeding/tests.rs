//! Who owes what, and who may seed where nobody holds anything.

use super::{Owed, candidates, extras, leftovers, owed};
use crate::Memory;
use crate::fixture::{holder, memory, record, stopped_set};
use crate::look::Look;
use crate::memory::Outage;
use crate::observation::Observation;
use crate::record::{HolderId, Reading, Record};
use crate::target::Storage;

/// What the data of `x-0` owes.
fn owes(seen: &Observation, known: &Memory) -> String {
    let look = Look::new(seen, known.clone());
    let mine = known.holders.values().find(|record| record.replica.0 == "x-0").unwrap();
    match owed(&look, mine) {
        Owed::Nothing => "nothing".to_owned(),
        Owed::Reading => "a reading".to_owned(),
        Owed::NeverRead(_) => "never read".to_owned(),
        Owed::Lost(_) => "lost".to_owned(),
        Owed::WentBack(_) => "went back".to_owned(),
        Owed::Adds(position) => position.to_string(),
    }
}

fn unreadable() -> Reading {
    Reading::Unreadable("exit 1".to_owned())
}

/// The same record for the container of its pod, and a set that keeps its data there.
fn in_container(mut seen: Observation, records: [Record; 2]) -> (Observation, Memory) {
    seen.target.storage = Storage::Container;
    let moved = records.into_iter().enumerate().map(|(ordinal, mut record)| {
        record.holder = HolderId::Container(crate::fixture::container(ordinal as u32));
        record
    });
    (seen, memory(moved))
}

#[test]
fn what_a_member_owes_follows_from_its_record_and_its_reading() {
    let served = || record(1).confirmed_in(3).at(9);
    let cases = [
        ("it holds this much", record(0).confirmed_in(3).at(7), "7"),
        ("it served, and has nothing now", record(0).confirmed_in(3).reads(Reading::Empty), "lost"),
        ("it was started once, and has nothing", record(0).starts(1).reads(Reading::Empty), "nothing"),
        ("it was started once, and cannot be read", record(0).starts(1).reads(unreadable()), "lost"),
        (
            "it is new to a set that was bootstrapped, and cannot be read",
            record(0).reads(unreadable()),
            "lost",
        ),
        ("it is of an older epoch", record(0).confirmed_in(2).at(7), "nothing"),
        ("it is new, and says so by a number", record(0).starts(0).at(0), "nothing"),
        ("it was not read", record(0).confirmed_in(3), "a reading"),
    ];
    for (sentence, mine, expected) in cases {
        assert_eq!(owes(&stopped_set(2), &memory([mine, served()])), expected, "{sentence}");
    }
    let nobody_served = memory([record(0).reads(unreadable())]);
    assert_eq!(owes(&stopped_set(1), &nobody_served), "never read", "the command is wrong, rather");
}

#[test]
fn without_a_reader_a_number_counts_in_the_outage_in_which_it_was_read() {
    let mut seen = stopped_set(1);
    seen.reader = None;
    for (outage, expected) in [(1, "7"), (2, "a reading")] {
        let mut known = memory([record(0).confirmed_in(1).at(7)]);
        known.outages = outage;
        assert_eq!(owes(&seen, &known), expected, "read in outage 1, and now it is {outage}");
    }
}

#[test]
fn a_container_that_never_served_owes_nothing_once_somebody_did() {
    let new = || record(0).starts(1).at(4);
    let gone = |mut record: Record| {
        record.ended = true;
        record
    };
    for (sentence, other, expected) in [
        ("another served in this epoch", record(1).confirmed_in(2).at(9), "nothing"),
        ("whoever served is gone", gone(record(1).confirmed_in(2).at(9)), "4"),
        ("nobody ever served", record(1).starts(1).at(9), "4"),
    ] {
        let (seen, known) = in_container(stopped_set(2), [new(), other]);
        assert_eq!(owes(&seen, &known), expected, "{sentence}");
    }
    let (seen, known) = in_container(stopped_set(2), [record(0).starts(1).at(4), record(1).at(9)]);
    assert_eq!(owes(&seen, &known), "4", "the set was never bootstrapped");
    let (mut seen, known) = in_container(stopped_set(2), [new(), record(1).starts(1).at(9)]);
    seen.replicas.remove(&crate::fixture::name(0));
    assert_eq!(owes(&seen, &known), "nothing", "nothing is known of a member that is not there");
}

#[test]
fn where_nobody_holds_anything_a_member_that_was_read_and_is_wanted_may_seed() {
    let empty = || record(0).reads(Reading::Empty);
    let set = |change: fn(&mut Record)| {
        let mut mine = empty();
        change(&mut mine);
        mine
    };
    let cases = [
        ("it was read as empty", empty(), true),
        ("its data is gone", set(|record| record.ended = true), false),
        ("it was given up", set(|record| record.waived = true), false),
        ("it was not read", set(|record| record.reading = None), false),
    ];
    for (sentence, mine, may) in cases {
        let (seen, known) = (stopped_set(1), memory([mine]));
        assert_eq!(!candidates(&Look::new(&seen, known)).is_empty(), may, "{sentence}");
    }
    let (mut seen, known) = (stopped_set(1), memory([empty()]));
    seen.target.replicas = 0;
    assert!(candidates(&Look::new(&seen, known)).is_empty(), "it is not wanted");
}

#[test]
fn of_a_first_bootstrap_that_was_tried_the_one_that_was_tried_goes_on_until_there_is_a_list() {
    let seen = stopped_set(2);
    let mut known = memory([record(0).reads(Reading::Empty), record(1).starts(1).reads(Reading::Empty)]);
    let named = |known: &Memory| -> Vec<String> {
        candidates(&Look::new(&seen, known.clone())).iter().map(|record| record.replica.0.clone()).collect()
    };
    assert_eq!(named(&known), ["x-1"]);
    let list = Some([holder(0)].into());
    known.outage = Some(Outage { candidates: list, ..Outage::default() });
    assert_eq!(named(&known), ["x-0"], "it only shrinks");
}

#[test]
fn who_owes_nothing_and_may_still_be_worth_a_look_is_at_rest_and_there() {
    let of = |change: fn(&mut Record)| {
        let mut mine = record(0).confirmed_in(2).at(3);
        change(&mut mine);
        (stopped_set(2), memory([mine, record(1).confirmed_in(2)]))
    };
    type Case = (&'static str, fn(&mut Record), bool, bool);
    let cases: [Case; 6] = [
        ("it is of the epoch", |_| (), false, false),
        ("its join was under way", |record| record.joining = true, true, true),
        ("it was given up", |record| record.waived = true, true, true),
        ("it is of an older epoch", |record| record.confirmed = 1, false, true),
        ("its join was under way, and it is gone", |r| (r.joining, r.ended) = (true, true), false, false),
        (
            "its join may be under way",
            |r| {
                r.joining = true;
                r.open.push(crate::fixture::start(0, "join"));
            },
            false,
            false,
        ),
    ];
    for (sentence, change, is_extra, is_left) in cases {
        let (seen, known) = of(change);
        let look = Look::new(&seen, known);
        let has =
            |mut all: Box<dyn Iterator<Item = &Record> + '_>| all.any(|record| record.holder == holder(0));
        assert_eq!(has(Box::new(extras(&look))), is_extra, "{sentence}");
        assert_eq!(has(Box::new(leftovers(&look))), is_left, "{sentence}");
    }
}
