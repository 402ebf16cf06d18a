use super::places;
use crate::fixture::{memory, name, record, stopped_set};
use crate::look::Look;
use crate::names::Reader;
use crate::position::{History, Position};
use crate::target::Identities;
use crate::{Memory, Observation, Reading};

type Change = fn(&mut Observation, &mut Memory);

/// Who has which place, of four that rest and were read as 4, 3, 2 and 1.
fn order(change: Change) -> Vec<u32> {
    let mut seen = stopped_set(4);
    seen.target.identities = Identities::GivenOnce;
    // Their numbers say nothing.
    seen.replicas.values_mut().for_each(|replica| replica.ordinal = 0);
    let mut known = memory((0..4).map(|n| record(n).confirmed_in(1).at(u64::from(4 - n))));
    change(&mut seen, &mut known);
    let found = places(&Look::new(&seen, known));
    let mut order: Vec<u32> = (0..4).collect();
    order.sort_by_key(|ordinal| found[&name(*ordinal)]);
    order
}

fn reads(known: &mut Memory, ordinal: u32, reading: Reading) {
    let read = record(ordinal).confirmed_in(1).reads(reading);
    known.holders.insert(read.holder.clone(), read);
}

fn history(source: &str, last: u64) -> Reading {
    Reading::At(Position::History(History::up_to(source, last)))
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn who_serves_comes_first_and_of_those_that_rest_who_is_known_to_hold_less_comes_later() {
    let cases: [(&str, Change, [u32; 4]); 14] = [
        ("all rest", |_, _| {}, [0, 1, 2, 3]),
        ("who holds least serves", |seen, _| *seen = seen.clone().answers(3, 0), [3, 0, 1, 2]),
        (
            "all serve, and what they held is over",
            |seen, known| {
                *seen = (0..4).fold(seen.clone(), |seen, n| seen.answers(n, 0));
                reads(known, 0, Reading::At(Position::Ordinal(0)));
            },
            [0, 1, 2, 3],
        ),
        (
            "one of two that serve takes writes",
            |seen, _| {
                seen.target.has_secondary = true;
                *seen = seen.clone().answers(1, 0).answers(3, 8);
            },
            [3, 1, 0, 2],
        ),
        (
            "it was given up, and is not gone",
            |seen, _| {
                *seen = seen.clone().answers(0, 0);
                seen.workload.as_mut().unwrap().released.insert(name(0));
            },
            [1, 2, 3, 0],
        ),
        (
            "its claim is being deleted, and its pod is gone",
            |seen, _| {
                let first = seen.replicas.get_mut(&name(0)).unwrap();
                first.pod = None;
                first.claims.iter_mut().for_each(|claim| claim.terminating = true);
            },
            [1, 2, 3, 0],
        ),
        (
            "its claim and its pod are being deleted",
            |seen, _| {
                let first = seen.replicas.get_mut(&name(0)).unwrap();
                first.pod.as_mut().unwrap().terminating = true;
                first.claims.iter_mut().for_each(|claim| claim.terminating = true);
            },
            [1, 2, 3, 0],
        ),
        (
            "its claim is being deleted, and its pod is there",
            |seen, _| {
                let first = seen.replicas.get_mut(&name(0)).unwrap();
                first.claims.iter_mut().for_each(|claim| claim.terminating = true);
            },
            [0, 1, 2, 3],
        ),
        (
            "one was not read",
            |_, known| known.holders.values_mut().last().unwrap().reading = None,
            [0, 3, 1, 2],
        ),
        (
            "one was read in another outage",
            |_, known| {
                known.holders.values_mut().last().unwrap().reading.as_mut().unwrap().measure.outage = 0;
            },
            [0, 3, 1, 2],
        ),
        (
            "one was read by another policy",
            |_, known| {
                let taken = known.holders.values_mut().last().unwrap().reading.as_mut().unwrap();
                taken.measure.reader = Some(Reader::from("another"));
            },
            [0, 3, 1, 2],
        ),
        ("one lost its data", |_, known| reads(known, 0, Reading::Empty), [1, 2, 3, 0]),
        (
            "one is new, and one lost its data",
            |_, known| {
                let new = record(1).starts(0).reads(Reading::Empty);
                known.holders.insert(new.holder.clone(), new);
                reads(known, 2, Reading::Empty);
            },
            [0, 3, 2, 1],
        ),
        (
            "two have parted, and one has less than one of them",
            |_, known| {
                reads(known, 0, history("b", 3));
                reads(known, 1, history("a", 5));
                reads(known, 2, history("a", 9));
                reads(known, 3, history("c", 1));
            },
            [0, 2, 3, 1],
        ),
    ];
    for (sentence, change, expected) in cases {
        assert_eq!(order(change), expected, "{sentence}");
    }
}

#[test]
fn a_number_is_a_place() {
    let seen = stopped_set(3);
    let look = Look::new(&seen, memory([record(0).confirmed_in(1).at(1), record(1).confirmed_in(1).at(9)]));
    let found = places(&look);
    assert_eq!([0, 1, 2].map(|ordinal| found[&name(ordinal)]), [0, 1, 2]);
}

#[test]
fn who_was_given_up_has_no_place_that_is_wanted_though_nobody_else_is_there() {
    let mut seen = stopped_set(2);
    seen.target.identities = Identities::GivenOnce;
    seen.workload.as_mut().unwrap().released.insert(name(0));
    let found = places(&Look::new(&seen, memory((0..2).map(|n| record(n).confirmed_in(1)))));
    assert_eq!([found[&name(0)], found[&name(1)]], [3, 0]);
}
