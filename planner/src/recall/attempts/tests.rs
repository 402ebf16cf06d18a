use super::OVERDUE;
use crate::decision::Judgement;
use crate::fixture::{container, memory, name, record, stopped_set};
use crate::guarantees::attempt;
use crate::names::ContainerId;
use crate::observation::{Attempt, AttemptState, Command, Fate, Output, Refusal};
use crate::position::{History, LONGEST, Position};
use crate::record::{Reading, Record};
use crate::start::{Lock, Start};
use crate::{Observation, decide};

fn ended(stdout: &str) -> AttemptState {
    AttemptState::Ended(Output {
        code: 0,
        stdout: stdout.to_owned(),
        stderr: String::new(),
        truncated: false,
    })
}

/// What is known of the one member after a look with this command of it.
fn after(known: Record, attempt: Attempt, reading: Option<Reading>) -> Record {
    let mut seen: Observation = stopped_set(1);
    seen.attempts.insert("r".into(), attempt);
    if let Some(reading) = reading {
        seen.verdicts.readings.insert("r".into(), Judgement::from(reading));
    }
    decide(&seen, &memory([known])).memory.of(&name(0)).next().unwrap().clone()
}

fn at(number: u64) -> Option<Reading> {
    Some(Reading::At(Position::Ordinal(number)))
}

#[test]
fn a_probe_that_ended_found_the_lock_free() {
    let mut known = record(0).confirmed_in(1).open_start("a");
    known.open[0].lock = Lock::Unasked;
    let known = after(known, attempt(0, Command::Probe, ended("")), None);
    assert_eq!(known.open[0].lock, Lock::NotHeld);
}

#[test]
fn a_lock_that_was_busy_is_so_until_a_reading_had_it() {
    let mut busy = record(0).confirmed_in(1);
    busy.lock_busy = true;
    let read = |state| attempt(0, Command::Read, state);
    assert!(!after(busy.clone(), read(ended("7")), at(7)).lock_busy, "it was had");
    assert!(after(busy, read(AttemptState::Overdue), None).lock_busy, "it may never have been asked for");
    assert!(!after(record(0).confirmed_in(1), read(AttemptState::Overdue), None).lock_busy);
}

#[test]
fn a_reading_that_does_not_end_says_that_nothing_can_be_read() {
    let known = after(record(0).confirmed_in(1), attempt(0, Command::Read, AttemptState::Overdue), None);
    assert_eq!(known.reading.unwrap().reading, Reading::Unreadable(OVERDUE.to_owned()));
}

#[test]
fn what_was_read_in_an_earlier_container_of_the_pod_is_not_of_this_one() {
    let mut earlier = attempt(0, Command::Read, ended("7"));
    assert_eq!(
        after(record(0).confirmed_in(1), earlier.clone(), at(7)).position(),
        Some(&Position::Ordinal(7))
    );
    earlier.container = ContainerId::from("before");
    assert_eq!(after(record(0).confirmed_in(1), earlier, at(7)).reading, None);
}

#[test]
fn a_position_of_just_the_bound_is_taken_and_a_longer_one_is_not() {
    let of = |source: usize| Position::History(History::up_to(&"s".repeat(source), 1));
    let frame = of(1).to_string().len() - 1;
    for (source, taken) in [(LONGEST - frame, true), (LONGEST - frame + 1, false)] {
        let reading = Some(Reading::At(of(source)));
        let known = after(record(0).confirmed_in(1), attempt(0, Command::Read, ended("long")), reading);
        assert_eq!(known.position().is_some(), taken, "{} bytes", of(source).to_string().len());
    }
}

#[test]
fn what_is_kept_of_an_output_ends_between_two_letters() {
    let printed = format!("x{}", "\u{e9}".repeat(600));
    let known = after(record(0).confirmed_in(1), attempt(0, Command::Read, ended(&printed)), at(7));
    assert_eq!(known.reading.unwrap().raw.len(), super::RAW - 1);
}

#[test]
fn a_lock_that_was_busy_for_an_earlier_container_or_pod_says_nothing_of_this_one() {
    let busy = || attempt(0, Command::Read, AttemptState::Refused(Refusal::LockBusy));
    let noted = |attempt: Attempt| after(record(0).confirmed_in(1), attempt, None).lock_busy;
    assert!(noted(busy()));
    assert!(!noted(Attempt { container: ContainerId::from("before"), ..busy() }), "of an earlier container");
    assert!(!noted(Attempt { pod: "before".into(), ..busy() }), "of an earlier pod");
}

/// The start of the one member, which was sent to a container of before and not seen to come up, after its guard said this.
fn told(fate: Fate, change: fn(&mut Start, &mut Observation)) -> Option<Start> {
    let mut known = record(0).confirmed_in(1).open_start("a");
    let start = &mut known.open[0];
    (start.container, start.boot) = ("before".into(), "earlier".into());
    (start.confirmed, start.began, start.ended) = (false, false, false);
    let mut seen = stopped_set(1);
    seen.fates.insert("a".into(), fate);
    change(start, &mut seen);
    let known = memory([known]);
    let plan = decide(&seen, &known);
    assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
    plan.memory.of(&name(0)).flat_map(|record| record.open.clone()).find(|start| start.attempt.0 == "a")
}

#[test]
fn what_began_where_another_container_runs_may_run_there_unless_its_guard_says_that_it_is_over() {
    let nothing: fn(&mut Start, &mut Observation) = |_, _| {};
    let came_up: fn(&mut Start, &mut Observation) =
        |start, _| (start.confirmed, start.boot) = (true, "boot-0".into());
    let other_pod: fn(&mut Start, &mut Observation) =
        |start, _| (start.pod, start.boot) = ("another".into(), "boot-0".into());
    let its_stream: fn(&mut Start, &mut Observation) = |_, seen| {
        let mut sent = attempt(0, Command::Seed, ended(""));
        sent.container = "before".into();
        seen.attempts.insert("a".into(), sent);
    };
    let here = Some(container(0));
    let before = Some(ContainerId::from("before"));
    for (sentence, fate, change, left) in [
        ("it began", Fate::Began, nothing, &here),
        ("it ended", Fate::Ended(1), nothing, &here),
        ("it began before, and is over", Fate::Over, nothing, &None),
        ("its member ran in the one of before", Fate::Began, came_up, &before),
        ("it was sent to another pod", Fate::Began, other_pod, &before),
        ("so its stream ended, wherever that was", Fate::Ended(0), its_stream, &before),
    ] {
        let start = told(fate, change);
        assert_eq!(start.as_ref().map(|start| &start.container), left.as_ref(), "{sentence}");
        let moved = start.filter(|start| start.container == container(0));
        assert!(moved.is_none_or(|start| start.boot == "boot-0".into()), "{sentence}");
    }
}

#[test]
fn an_output_that_is_too_long_is_told_apart_from_data_that_cannot_be_read() {
    let unreadable = || Some(Reading::Unreadable("no position".to_owned()));
    let long = Some(Reading::At(Position::History(History::up_to(&"x".repeat(LONGEST), 1))));
    for (sentence, code, truncated, reading, expected) in [
        ("it was cut", 0, true, unreadable(), true),
        ("it was cut, and the command failed", 1, true, unreadable(), false),
        ("it is whole", 0, false, unreadable(), false),
        ("a position was read out of what was cut", 0, true, at(7), false),
        ("the position is too long", 0, false, long, true),
    ] {
        let output = Output { code, stdout: String::new(), stderr: String::new(), truncated };
        let read = attempt(0, Command::Read, AttemptState::Ended(output));
        let known = after(record(0).confirmed_in(1), read, reading);
        assert_eq!(known.reading.unwrap().cut, expected, "{sentence}");
    }
}
