//! Who is ordered, and who may be a primary.

use super::{is_headless, members, possible_primaries};
use crate::fixture::{memory, name, record, start, stopped_set};
use crate::look::Look;
use crate::observation::{Observation, Role, Status};
use crate::record::Record;
use crate::start::{Start, StartKind};

/// Two members that answer this, of a set with secondaries that was bootstrapped.
fn set(codes: [i32; 2]) -> Observation {
    let mut seen = stopped_set(2).answers(0, codes[0]).answers(1, codes[1]);
    (seen.target.has_secondary, seen.target.primaries) = (true, 1);
    seen
}

#[test]
fn a_set_has_no_head_if_secondaries_run_and_no_primary_that_is_wanted() {
    let bootstrapped = || memory([0, 1].map(|n| record(n).confirmed_in(1)));
    type Case = (&'static str, [i32; 2], fn(&mut Observation), bool);
    let cases: [Case; 7] = [
        ("secondaries alone run", [0, 0], |_| (), true),
        ("one of them", [0, 7], |_| (), true),
        ("a primary runs", [8, 0], |_| (), false),
        ("nobody runs", [7, 7], |_| (), false),
        ("it knows no secondaries", [0, 0], |seen| seen.target.has_secondary = false, false),
        ("no member is wanted", [0, 0], |seen| seen.target.replicas = 0, false),
        ("no primary is wanted", [0, 0], |seen| seen.target.primaries = 0, false),
    ];
    for (sentence, codes, change, expected) in cases {
        let mut seen = set(codes);
        change(&mut seen);
        assert_eq!(is_headless(&Look::new(&seen, bootstrapped())), expected, "{sentence}");
    }
    let seen = set([0, 0]);
    assert!(!is_headless(&Look::new(&seen, memory([record(0), record(1)]))), "it was never bootstrapped");
}

#[test]
fn members_beyond_the_wanted_size_are_not_ordered() {
    let mut seen = stopped_set(3);
    seen.target.replicas = 2;
    assert_eq!(members(&Look::new(&seen, memory([]))), [name(0), name(1)]);
}

#[test]
fn of_a_set_without_a_head_only_what_answered_since_its_last_start_counts() {
    let seen = set([0, 0]);
    let said = |number: u64, starts: u64| {
        let mut record = record(0).confirmed_in(1);
        record.running =
            record.clone().at(number).reading.map(|taken| crate::record::Taken { starts, ..taken });
        record
    };
    let ordered = |mine: Record| {
        let mut other = record(1).confirmed_in(1);
        other.running = other.clone().at(5).reading;
        members(&Look::new(&seen, memory([mine, other])))
    };
    assert_eq!(ordered(said(7, 1)), [name(0)], "it holds more");
    assert_eq!(ordered(said(7, 0)), [name(1)], "it said so before its last start");
}

/// How many may be primaries of a set of one that answers this.
fn count(code: Option<i32>, record: Record) -> usize {
    let mut seen = stopped_set(1).answers(0, code.unwrap_or(7));
    seen.target.has_secondary = true;
    if code.is_none() {
        seen.pod_mut(0).status = Status::Silent("no route".to_owned());
    }
    possible_primaries(&Look::new(&seen, memory([record])))
}

#[test]
fn another_one_has_the_place_of_who_was_given_up_by_name() {
    let mut seen = stopped_set(1).answers(0, 8);
    seen.target.has_secondary = true;
    let count =
        |seen: &crate::Observation| possible_primaries(&Look::new(seen, memory([record(0).confirmed_in(1)])));
    assert_eq!(count(&seen), 1);
    seen.workload.as_mut().unwrap().released.insert(name(0));
    assert_eq!(count(&seen), 0);
}

#[test]
fn a_member_may_be_a_primary_by_its_answer_a_command_under_way_or_its_last_answer() {
    let at_rest = |last: Option<Role>| Record { last, ..record(0).confirmed_in(1) };
    let started = |last: Option<Role>, kind: StartKind, confirmed: bool| {
        let mut record = at_rest(last);
        record.open.push(Start { kind, confirmed, ..start(0, "a") });
        record
    };
    let (primary, secondary) = (Some(Role::Primary), Some(Role::Secondary));
    let cases = [
        ("it says so", Some(8), at_rest(None), 1),
        ("it follows", Some(0), started(primary, StartKind::Follow, true), 0),
        ("it follows, and was told to lead", Some(0), started(secondary, StartKind::Promote, false), 1),
        (
            "it follows, and was told to lead and then to follow",
            Some(0),
            started(secondary, StartKind::Promote, true),
            0,
        ),
        ("it was primary, and its start is open", None, started(primary, StartKind::Join, true), 1),
        ("it followed, and its start is open", None, started(secondary, StartKind::Follow, true), 0),
        ("it is to lead for the first time", None, started(None, StartKind::Seed, false), 1),
        ("it is to follow for the first time", None, started(None, StartKind::Follow, false), 0),
        ("it was primary, and is at rest", Some(7), at_rest(primary), 0),
        ("it was primary, and its start is not over", Some(7), started(primary, StartKind::Join, true), 1),
    ];
    for (sentence, code, record, expected) in cases {
        assert_eq!(count(code, record), expected, "{sentence}");
    }
}
