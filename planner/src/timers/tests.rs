//! What is measured in which state, and for how long.

use crate::fixture::{container, memory, name, record, start, stopped_set};
use crate::guarantees::attempt;
use crate::memory::Memory;
use crate::names::{ContainerId, ReplicaName};
use crate::observation::{AttemptState, Command, ContainerState, Observation, Status};
use crate::record::{Reading, Record};
use crate::start::{Lock, Start, StartKind};
use crate::target::Identities;
use crate::timer::{Ripening, Timer};
use crate::timers;
use std::collections::BTreeMap;

fn so(seconds: u64, looks: u32) -> Option<Ripening> {
    Some(Ripening { seconds, looks })
}

fn measured(change: impl Fn(&mut Observation), record: Record) -> BTreeMap<Timer, Ripening> {
    let mut seen = stopped_set(1);
    change(&mut seen);
    timers(&seen, &memory([record]))
}

fn is_down(seen: &mut Observation) {
    let ended = ContainerState::Terminated("Error".to_owned());
    seen.pod_mut(0).container.as_mut().unwrap().state = ended;
}

fn hangs(shell_answers: bool) -> impl Fn(&mut Observation) {
    move |seen| seen.pod_mut(0).status = Status::Hung { shell_answers }
}

fn answers(code: i32) -> impl Fn(&mut Observation) {
    move |seen| seen.pod_mut(0).status = crate::fixture::answer(0, code)
}

#[test]
fn a_trouble_must_last_before_it_is_acted_on() {
    let of = |timer: fn(ReplicaName, ContainerId) -> Timer| timer(name(0), container(0));
    let rests = || record(0).confirmed_in(1);
    let failed = measured(answers(1), rests());
    assert_eq!(failed.get(&of(Timer::Failed)).copied(), so(5, 3));
    let silent = measured(|seen| seen.pod_mut(0).status = Status::Silent("lost".to_owned()), rests());
    assert_eq!(silent.get(&of(Timer::Silent)).copied(), so(2, 3));
    assert_eq!(silent.get(&of(Timer::Hung)), None);
}

#[test]
fn a_member_hangs_only_where_a_shell_beside_it_answers() {
    for (shell_answers, expected) in [(true, so(30, 3)), (false, None)] {
        let hung = measured(hangs(shell_answers), record(0).confirmed_in(1));
        let of =
            |timer: fn(ReplicaName, ContainerId) -> Timer| hung.get(&timer(name(0), container(0))).copied();
        assert_eq!(of(Timer::Silent), so(2, 3), "clients are sent elsewhere");
        assert_eq!(of(Timer::Hung), expected, "a shell answers: {shell_answers}");
    }
}

#[test]
fn a_pod_whose_container_does_not_start_is_given_time_if_it_is_to_stay() {
    let cannot = Timer::CannotStart("pod-0".into());
    let has = |change: fn(&mut Observation)| {
        let seen = |seen: &mut Observation| {
            is_down(seen);
            change(seen);
        };
        measured(seen, record(0).confirmed_in(1)).get(&cannot).copied()
    };
    assert_eq!(has(|_| ()), so(60, 3));
    assert_eq!(has(|seen| seen.pod_mut(0).finished = true), None, "it has ended");
    assert_eq!(has(|seen| seen.pod_mut(0).terminating = true), None, "it is being deleted");
}

#[test]
fn a_member_that_runs_is_well_after_a_while_and_is_asked_again_where_it_gave_no_position() {
    let again = Timer::Unreadable(name(0), container(0));
    let said = |reading: Reading| {
        let mut record = record(0).confirmed_in(1).open_start("a");
        record.running = Record { open: Vec::new(), ..record.clone() }.reads(reading).reading;
        record
    };
    let unreadable = || said(Reading::Unreadable("exit 1".to_owned()));
    let follows = |seen: &mut Observation| {
        answers(0)(seen);
        seen.target.has_secondary = true;
    };
    let timers = measured(follows, unreadable());
    assert_eq!(timers.get(&Timer::Well(name(0))).copied(), so(600, 1));
    assert_eq!(timers.get(&again).copied(), so(30, 1));
    let position = Reading::At(crate::Position::Ordinal(4));
    assert_eq!(measured(follows, said(position)).get(&again), None, "it gave one");
    for (command, of, expected) in
        [(Command::Read, 0, None), (Command::Stop, 0, so(30, 1)), (Command::Read, 1, so(30, 1))]
    {
        let asked = |seen: &mut Observation| {
            follows(seen);
            seen.attempts.insert("r".into(), attempt(of, command, AttemptState::Running));
        };
        let timers = measured(asked, unreadable());
        assert_eq!(timers.get(&again).copied(), expected, "{command:?} of member {of} is under way");
    }
}

#[test]
fn a_start_has_the_time_of_its_command_and_a_joiner_that_of_its_progress() {
    let with = |kind: StartKind, confirmed: bool, ended: bool| {
        let mut record = record(0).confirmed_in(1);
        record.open.push(Start { kind, confirmed, ended, lock: Lock::NotHeld, ..start(0, "a") });
        measured(answers(0), record)
    };
    let deadline = Timer::Deadline("a".into());
    for (kind, seconds) in [(StartKind::Promote, 600), (StartKind::Found, 600), (StartKind::Demote, 60)] {
        let timers = with(kind, true, false);
        assert_eq!(timers.get(&deadline).copied(), so(seconds, 1), "{kind:?}");
    }
    assert_eq!(with(StartKind::Found, true, true).get(&deadline), None, "it runs, and its command ended");
    let unconfirmed = |timers: BTreeMap<Timer, Ripening>| {
        let progress = timers.get(&Timer::NoProgress("a".into(), None)).copied();
        (timers.get(&deadline).copied(), progress)
    };
    let stopped = |kind: StartKind, ended: bool| {
        let mut record = record(0).confirmed_in(1);
        let lock = Lock::Held;
        record.open.push(Start {
            kind,
            confirmed: false,
            ended,
            lock,
            node: "node-9".into(),
            ..start(0, "a")
        });
        measured(answers(1), record)
    };
    for ended in [true, false] {
        assert_eq!(unconfirmed(stopped(StartKind::Join, ended)), (so(600, 1), so(60, 1)), "ended: {ended}");
        assert_eq!(unconfirmed(stopped(StartKind::Seed, ended)), (so(60, 1), so(60, 1)), "ended: {ended}");
        assert_eq!(unconfirmed(stopped(StartKind::Follow, ended)), (so(60, 1), so(60, 1)), "ended: {ended}");
    }
}

#[test]
fn the_pause_before_a_repair_is_doubled_up_to_ten_minutes() {
    for (count, seconds) in [(1, 10), (2, 20), (3, 40), (7, 600), (40, 600)] {
        let known = Memory { repairs: [(name(0), count)].into(), ..memory([record(0).confirmed_in(1)]) };
        let measured = timers(&stopped_set(1), &known);
        assert_eq!(measured.get(&Timer::Repaired(name(0), count)).copied(), so(seconds, 1), "{count} before");
    }
}

#[test]
fn who_leaves_has_the_time_of_its_stop_and_of_its_reading() {
    let mut seen = stopped_set(2).answers(0, 8).answers(1, 8);
    seen.target.replicas = 1;
    let known = memory([0, 1].map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
    assert_eq!(timers(&seen, &known).get(&Timer::Leaving(name(1))).copied(), so(40, 1));
}

#[test]
fn how_long_others_served_without_whose_claims_are_gone_is_measured_where_nobody_else_gets_its_name() {
    for (identities, serves, expected) in [
        (Identities::GivenOnce, true, so(3, 3)),
        (Identities::GivenOnce, false, None),
        (Identities::Numbered, true, None),
    ] {
        let mut seen = stopped_set(1).answers(0, if serves { 0 } else { 7 });
        seen.target.identities = identities;
        let mut here = record(0).confirmed_in(1);
        here.open.extend(serves.then(|| start(0, "a")));
        let measured = timers(&seen, &memory([here, record(7).confirmed_in(1)]));
        let behind = measured.get(&Timer::Behind(name(7))).copied();
        assert_eq!(behind, expected, "{identities:?}, another serves: {serves}");
    }
}
