//! Who has left, and who may, one condition at a time.

use super::{has_left, is_at_rest, leave, may_leave};
use crate::draft::Draft;
use crate::fixture::{memory, name, record, start, stopped_set};
use crate::guarantees::attempt;
use crate::look::Look;
use crate::memory::{Memory, Outage};
use crate::observation::{AttemptState, Command, Observation};
use crate::record::{Reading, Record};
use crate::timer::{Age, Timer};
use crate::{Plan, Step};

/// What there is of the member that leaves.
type Change = fn(&mut Observation, &mut Record);

/// The last of three leaves: it is stopped, and was read.
fn leaving(change: Change) -> (Observation, Memory) {
    let mut seen = stopped_set(3).answers(0, 8);
    seen.target.replicas = 2;
    let mut last = record(2).confirmed_in(1).at(5);
    change(&mut seen, &mut last);
    (seen, memory([record(0).confirmed_in(1).open_start("a"), record(1).confirmed_in(1), last]))
}

fn unread(_: &mut Observation, last: &mut Record) {
    last.reading = None;
}

fn away(seen: &mut Observation, _: &mut Record) {
    seen.replicas.get_mut(&name(2)).unwrap().pod = None;
}

fn open(_: &mut Observation, last: &mut Record) {
    last.open.push(start(2, "b"));
}

fn silent(seen: &mut Observation, _: &mut Record) {
    *seen = seen.clone().answers(2, 137);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn who_leaves_is_stopped_closed_and_read_or_took_too_long() {
    let stop = Some(Command::Stop);
    let cases: [(&str, Change, bool, Option<Command>); 12] = [
        ("it is stopped, and was read", |_, _| {}, true, None),
        ("it runs", |seen, _| *seen = seen.clone().answers(2, 8), false, stop),
        ("it says that it failed", |seen, _| *seen = seen.clone().answers(2, 1), false, stop),
        ("it was not read", unread, false, Some(Command::Read)),
        ("something of it may be alive", open, false, None),
        ("it is not heard", silent, false, None),
        (
            "it is not heard for longer than it may take",
            |seen, last| {
                silent(seen, last);
                seen.ages.insert(Timer::Leaving(name(2)), Age::Ripe);
            },
            true,
            None,
        ),
        ("it is away, and was read", away, true, None),
        (
            "it is away, and something of it may be alive",
            |seen, last| {
                away(seen, last);
                open(seen, last);
            },
            false,
            None,
        ),
        (
            "it is away, and was not read",
            |seen, last| {
                away(seen, last);
                unread(seen, last);
            },
            false,
            None,
        ),
        (
            "it is away, was not read, and never served",
            |seen, last| {
                away(seen, last);
                (last.confirmed, last.reading) = (0, None);
            },
            true,
            None,
        ),
        (
            "the same, and something of it may be alive",
            |seen, last| {
                away(seen, last);
                open(seen, last);
                (last.confirmed, last.reading) = (0, None);
            },
            false,
            None,
        ),
    ];
    for (sentence, change, expected, command) in cases {
        let (seen, known) = leaving(change);
        let look = Look::new(&seen, known);
        let mut draft = Draft::new(&look, Vec::new());
        assert_eq!(has_left(&mut draft, &name(2)), expected, "{sentence}");
        let sent = draft.plan.steps.iter().find_map(|step| match step {
            Step::Run(run) => Some(run.command),
            _ => None,
        });
        assert_eq!(sent, command, "{sentence}");
    }
    let (seen, _) = leaving(|_, _| {});
    let look = Look::new(&seen, memory([record(0).confirmed_in(1)]));
    assert!(has_left(&mut Draft::new(&look, Vec::new()), &name(2)), "it has no data");
}

#[test]
fn who_loses_its_pod_at_once_is_stopped_was_read_and_is_left_alone() {
    let rests = |change: Change| {
        let (seen, known) = leaving(change);
        is_at_rest(&Look::new(&seen, known), &name(2))
    };
    assert!(rests(|_, _| {}));
    assert!(!rests(unread), "it was not read");
    assert!(!rests(silent), "it is not heard");
    assert!(!rests(away), "it has no pod");
    assert!(
        !rests(|seen, _| {
            seen.attempts.insert("r".into(), attempt(2, Command::Read, AttemptState::Running));
        }),
        "a command runs there"
    );
}

/// Three members run, or those of them that are named; the set is to have so many.
fn shrinking(running: &[u32], to: u32) -> (Observation, Memory) {
    let mut seen = running.iter().fold(stopped_set(3), |seen, ordinal| seen.answers(*ordinal, 8));
    (seen.target.replicas, seen.target.primaries) = (to, to);
    (seen, memory((0..3).map(|n| record(n).confirmed_in(1).at(5))))
}

#[test]
fn somebody_may_leave_while_one_that_stays_serves_or_all_go() {
    let may = |running: &[u32], to: u32, change: fn(&mut Memory)| {
        let (seen, mut known) = shrinking(running, to);
        change(&mut known);
        may_leave(&Look::new(&seen, known))
    };
    assert!(may(&[1], 2, |_| {}));
    assert!(!may(&[2], 2, |_| {}), "who serves is one of those that leave");
    assert!(!may(&[], 2, |_| {}), "nobody serves");
    assert!(!may(&[1], 2, |known| known.epoch.number = 2), "who runs is of an older epoch");
    assert!(may(&[], 0, |_| {}), "all leave");
}

fn said(seen: &Observation, known: Memory) -> Plan {
    let look = Look::new(seen, known);
    let mut draft = Draft::new(&look, Vec::new());
    let _ = leave(&mut draft);
    draft.plan
}

#[test]
fn the_last_that_serves_is_named_outside_of_an_outage_only() {
    let names = |plan: &Plan| plan.holds.iter().any(|hold| hold.reason.name() == "LastServer");
    let (seen, mut known) = shrinking(&[2], 2);
    assert!(names(&said(&seen, known.clone())));
    known.outage = Some(Outage::default());
    assert!(!names(&said(&seen, known)), "in an outage nobody serves");
    let (seen, known) = shrinking(&[2], 3);
    assert!(!names(&said(&seen, known)), "nobody is to leave");
}

#[test]
fn nobody_leaves_whose_reading_is_waited_for() {
    let (seen, mut known) = shrinking(&[0], 2);
    let resizes = |known: &Memory| {
        said(&seen, known.clone()).steps.iter().any(|step| matches!(step, Step::Resize { .. }))
    };
    assert!(resizes(&known));
    known.outage = Some(Outage::default());
    known.holders.get_mut(&crate::fixture::holder(2)).unwrap().reading =
        record(2).confirmed_in(1).reads(Reading::Unreadable("exit 1".to_owned())).reading;
    assert!(!resizes(&known));
}

#[test]
fn the_size_of_before_is_kept_once_of_a_set_that_had_data_and_goes_to_zero() {
    let kept = |to: u32, change: fn(&mut Memory)| {
        let (seen, mut known) = shrinking(&[0], to);
        change(&mut known);
        said(&seen, known).memory.restore_replicas
    };
    assert_eq!(kept(0, |_| {}), Some(3));
    assert_eq!(kept(2, |_| {}), None, "not to zero");
    assert_eq!(kept(0, |known| known.epoch.number = 0), None, "it never had data");
    assert_eq!(kept(0, |known| known.restore_replicas = Some(5)), Some(5), "it is known");
}
