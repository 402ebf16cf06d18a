//! What a look tells of containers, and of commands under way in them.

use super::Look;
use crate::fixture::{container, memory, name, record, start, stopped_set};
use crate::guarantees::attempt;
use crate::observation::{AttemptState, Command, Observation};
use crate::record::Record;
use crate::start::{Start, StartKind};
use crate::timer::{Age, Timer};

#[test]
fn a_container_is_alive_while_it_runs_and_its_pod_is_to_stay() {
    for (sentence, terminating, finished, lives) in [
        ("it is to stay", false, false, true),
        ("it is being deleted", true, false, false),
        ("it has ended", false, true, false),
    ] {
        let mut seen = stopped_set(1);
        (seen.pod_mut(0).terminating, seen.pod_mut(0).finished) = (terminating, finished);
        assert_eq!(seen.pod_mut(0).live_container().is_some(), lives, "{sentence}");
    }
}

fn is_under_way(command: Command, record: Record, ripe: bool) -> bool {
    let mut seen = stopped_set(1);
    seen.attempts.insert("a".into(), attempt(0, command, AttemptState::Running));
    if ripe {
        seen.ages.insert(Timer::Deadline("a".into()), Age::Ripe);
    }
    Look::new(&seen, memory([record])).under_way(&container(0)).is_some()
}

#[test]
fn a_command_is_under_way_until_it_ends_and_a_start_until_its_member_runs_or_its_time_is_over() {
    let with = |attempt: &str, confirmed: bool| {
        let mut record = record(0).confirmed_in(1);
        record.open.push(Start { confirmed, ..start(0, attempt) });
        record
    };
    let cases = [
        ("a start", Command::Join, with("a", false), false, true),
        ("a start whose member runs", Command::Join, with("a", true), false, false),
        ("a start beside an earlier one that runs", Command::Join, with("b", true), false, true),
        ("a start past its time", Command::Join, with("a", false), true, false),
        ("a reading", Command::Read, with("b", true), false, true),
        ("a reading past a time that is not its own", Command::Read, with("a", true), true, true),
    ];
    for (sentence, command, record, ripe, expected) in cases {
        assert_eq!(is_under_way(command, record, ripe), expected, "{sentence}");
    }
}

#[test]
fn a_member_runs_by_its_own_starts_if_all_that_are_open_are_of_its_container() {
    let seen = stopped_set(1);
    let of = |container: &str| {
        let mut record = record(0).confirmed_in(1).open_start("a");
        record.open.push(Start { container: container.into(), ..start(0, "b") });
        Look::new(&seen, memory([record])).runs_by_its_own(&name(0))
    };
    assert!(of("container-0"));
    assert!(!of("another"), "one of them may yet begin, or run, elsewhere");
}

#[test]
fn a_member_turns_from_the_moment_that_it_is_told_to_until_it_did_or_its_time_is_over() {
    let mut seen = stopped_set(1);
    seen.ages.insert(Timer::Deadline("late".into()), Age::Ripe);
    let told = |attempt: &str, kind: StartKind| Start { kind, confirmed: false, ..start(0, attempt) };
    for (sentence, start, expected) in [
        ("it was told to lead", told("a", StartKind::Promote), true),
        ("it was told to follow", told("a", StartKind::Demote), true),
        ("it does", Start { confirmed: true, ..told("a", StartKind::Promote) }, false),
        ("its time is over", told("late", StartKind::Promote), false),
        (
            "it was told so elsewhere",
            Start { container: container(1), ..told("a", StartKind::Demote) },
            false,
        ),
        ("it was told whom to follow", told("a", StartKind::Follow), false),
        ("it was told to join", told("a", StartKind::Join), false),
        ("it was told to begin", told("a", StartKind::Seed), false),
        ("it was found", told("a", StartKind::Found), false),
    ] {
        let mut record = record(0).confirmed_in(1);
        record.open.push(start);
        assert_eq!(Look::new(&seen, memory([record])).is_turning(&name(0)), expected, "{sentence}");
    }
}

#[test]
fn a_lock_tells_of_a_process_on_the_same_node_and_boot_only() {
    let shares = |change: fn(&mut Observation)| {
        let mut seen = stopped_set(2);
        change(&mut seen);
        let look = Look::new(&seen, memory([]));
        look.shares_kernel(&start(0, "a"), look.pod(&name(0)).unwrap())
    };
    assert!(shares(|_| ()));
    assert!(!shares(|seen| seen.pod_mut(0).node = Some("node-1".into())), "another node");
    assert!(
        !shares(|seen| seen.nodes.values_mut().for_each(|node| node.boot = "again".into())),
        "another boot"
    );
    assert!(!shares(|seen| seen.nodes.clear()), "a node that is not known");
}
