//! What is done about a start that is open, and what is said of it, one condition at a time.

use super::ripens;
use crate::fixture::{container, memory, name, record, running, stopped_set};
use crate::guarantees::attempt;
use crate::key::KeyKind;
use crate::look::Look;
use crate::names::{ContainerId, PodUid, ReplicaName};
use crate::observation::{AttemptState, Command, Status};
use crate::start::{Lock, Start, StartKind};
use crate::timer::{Age, Timer};
use crate::{Memory, Observation, Plan, Step, decide};
use std::collections::BTreeSet;

type Change = fn(&mut Start, &mut Observation, &mut Memory);
type Seen = fn(&mut Observation);

/// A start that ended and brought nobody up, its lock known to be free, long enough ago for a new pod; changed.
fn world(change: Change) -> (Observation, Memory) {
    let mut seen = stopped_set(1);
    seen.ages.insert(Timer::StoppedOpen("a".into()), Age::Ripe);
    let mut known = memory([record(0).confirmed_in(1).open_start("a")]);
    let holder = known.holders.keys().next().unwrap().clone();
    let mut start = known.holders[&holder].open[0].clone();
    (start.confirmed, start.lock) = (false, Lock::NotHeld);
    change(&mut start, &mut seen, &mut known);
    known.holders.get_mut(&holder).unwrap().open[0] = start;
    (seen, known)
}

#[test]
fn a_start_that_came_to_nothing_costs_its_pod_only_where_all_of_this_is_so() {
    let cases: [(&str, Change, bool); 8] = [
        ("all of it", |_, _, _| {}, true),
        ("its member was not heard", |_, seen, _| seen.pod_mut(0).status = Status::NotAsked, false),
        ("its member ran", |start, _, _| start.confirmed = true, false),
        ("it goes on, within its time", |start, _, _| start.ended = false, false),
        (
            "a command is under way there",
            |_, seen, _| {
                _ = seen.attempts.insert("r".into(), attempt(0, Command::Read, AttemptState::Running))
            },
            false,
        ),
        ("its lock was not asked for", |start, _, _| start.lock = Lock::Unasked, false),
        ("it was seen once", |_, seen, _| seen.ages.clear(), false),
        ("its pod was replaced just now", |_, _, known| _ = known.repairs.insert(name(0), 1), false),
    ];
    for (sentence, change, expected) in cases {
        let (seen, known) = world(change);
        let recycled = decide(&seen, &known).steps.iter().any(|step| matches!(step, Step::Recycle { .. }));
        assert_eq!(recycled, expected, "{sentence}");
    }
}

#[test]
fn what_is_said_of_an_open_start_is_what_is_known_of_it() {
    let cases: [(Change, &str); 5] = [
        (|start, _, _| start.ended = false, "UnderWay"),
        (|_, _, _| {}, "NotUp"),
        (
            |start, seen, _| {
                start.ended = false;
                seen.ages.insert(Timer::Deadline("a".into()), Age::Ripe);
            },
            "Overdue",
        ),
        (|start, _, _| (start.confirmed, start.ended) = (true, false), "StartOpen"),
        (
            |start, _, _| {
                (start.pod, start.container) = (PodUid::from("before"), ContainerId::from("before"));
            },
            "StartOpen",
        ),
    ];
    for (number, (change, expected)) in cases.into_iter().enumerate() {
        let (mut seen, known) = world(change);
        seen.ages.remove(&Timer::StoppedOpen("a".into()));
        let plan = decide(&seen, &known);
        let said: Vec<&str> = plan.holds.iter().map(|hold| hold.reason.name()).collect();
        let others = ["UnderWay", "NotUp", "Overdue", "StartOpen"];
        let said: Vec<&str> = said.into_iter().filter(|name| others.contains(name)).collect();
        assert_eq!(said, [expected], "case {number}");
    }
}

#[test]
fn a_start_that_failed_is_held_with_the_last_words_of_its_command() {
    let cases: [(Change, &str); 2] = [
        (
            |start, _, _| start.said = "exit 1: Duplicate entry '3'".to_owned(),
            "is over (exit 1: Duplicate entry '3') and",
        ),
        (|start, _, _| start.said.clear(), "is over and"),
    ];
    for (change, expected) in cases {
        let (mut seen, known) = world(change);
        seen.ages.remove(&Timer::StoppedOpen("a".into()));
        let held: Vec<String> =
            decide(&seen, &known).holds.iter().map(|hold| hold.reason.to_string()).collect();
        assert!(held.iter().any(|text| text.contains(expected)), "{held:?}");
    }
}

#[test]
fn of_a_running_member_a_start_in_another_pod_is_named_and_the_one_that_it_runs_by_is_not() {
    let seen = stopped_set(1).answers(0, 8);
    let named = |known| decide(&seen, &known).holds.iter().any(|hold| hold.reason.name() == "StartOpen");
    let here = record(0).confirmed_in(1).open_start("a");
    assert!(!named(memory([here.clone()])));
    let mut both = here.open_start("b");
    (both.open[1].pod, both.open[1].container) = (PodUid::from("before"), ContainerId::from("before"));
    assert!(named(memory([both])));
}

#[test]
fn of_a_running_member_it_is_named_that_it_did_not_turn_where_it_was_told_to_in_this_container() {
    for (before, expected) in [(false, "NotTurned"), (true, "StartOpen")] {
        let mut told = record(0).confirmed_in(1).open_start("a").open_start("b");
        (told.open[1].kind, told.open[1].confirmed) = (StartKind::Demote, false);
        if before {
            (told.open[1].pod, told.open[1].container) =
                (PodUid::from("before"), ContainerId::from("before"));
        }
        let plan = decide(&stopped_set(1).answers(0, 8), &memory([told]));
        let named = plan.holds.iter().map(|hold| hold.reason.name());
        let named: Vec<&str> = named.filter(|name| ["NotTurned", "StartOpen"].contains(name)).collect();
        assert_eq!(named, [expected], "in the pod before: {before}");
    }
}

#[test]
fn each_stopped_member_whose_volume_somebody_uses_is_asked_again_and_named() {
    let busy = [0, 1].map(|ordinal| {
        let mut record = record(ordinal).confirmed_in(1);
        record.lock_busy = true;
        record
    });
    let plan = decide(&stopped_set(2), &memory(busy));
    assert_eq!(plan.holds.iter().filter(|hold| hold.reason.name() == "LockBusy").count(), 2);
}

#[test]
fn only_what_may_cost_a_pod_ripens_towards_it() {
    let cases: [(Change, bool); 4] = [
        (|_, _, _| {}, true),
        (|start, _, _| start.confirmed = true, false),
        (|start, _, _| start.container = ContainerId::from("before"), false),
        (|_, seen, _| seen.pod_mut(0).status = Status::NotAsked, false),
    ];
    for (number, (change, expected)) in cases.into_iter().enumerate() {
        let (seen, known) = world(change);
        let look = Look::new(&seen, known);
        let record = look.memory.holders.values().next().unwrap();
        assert_eq!(ripens(&look, record, &record.open[0]), expected, "case {number}");
    }
}

/// A start of the pod before on the same node, whose lock was seen held.
fn of_the_pod_before(start: &mut Start) {
    (start.pod, start.container) = (PodUid::from("before"), ContainerId::from("before"));
    (start.lock, start.confirmed) = (Lock::Held, true);
}

/// The pods that a person may vouch for.
fn vouchable(plan: &Plan) -> Vec<&str> {
    let keys = plan.holds.iter().flat_map(|hold| &hold.keys);
    keys.filter(|key| key.kind == KeyKind::AssertFenced).map(|key| key.subject.as_str()).collect()
}

#[test]
fn who_vouches_for_the_pod_that_is_there_and_for_the_one_before_ends_what_their_locks_cannot_tell() {
    let (mut seen, mut known) = world(|start, _, known| {
        of_the_pod_before(start);
        known.holders.values_mut().for_each(|record| record.lock_busy = true);
    });
    for pod in ["pod-0", "before"] {
        let plan = decide(&seen, &known);
        let mut offered = plan.holds.iter().flat_map(|hold| &hold.keys);
        let key = offered.find(|key| key.subject == pod).unwrap_or_else(|| panic!("{pod}: {:?}", plan.holds));
        seen.target.keys = vec![key.clone()];
        known = plan.memory;
        let plan = decide(&seen, &known);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
        known = plan.memory;
    }
    assert!(known.holders.values().all(|record| record.open.is_empty()));
}

#[test]
fn a_start_whose_lock_was_seen_held_has_its_key_and_is_read_for_where_a_reading_takes_the_lock() {
    let cases: [(&str, Change, bool); 2] = [
        ("a reading takes the lock", |start, _, _| of_the_pod_before(start), true),
        (
            "no lock is to be had in this container",
            |start, _, known| {
                of_the_pod_before(start);
                known.lockless.insert(container(0));
            },
            false,
        ),
    ];
    for (sentence, change, reads) in cases {
        let (seen, known) = world(change);
        let plan = decide(&seen, &known);
        assert_eq!(vouchable(&plan), ["before"], "{sentence}: {:?}", plan.holds);
        assert_eq!(!plan.steps.is_empty(), reads, "{sentence}: {:?}", plan.steps);
    }
}

#[test]
fn a_question_for_the_lock_that_does_not_end_leaves_a_person_a_key() {
    let hangs: Change = |start, seen, _| {
        start.lock = Lock::Unasked;
        seen.attempts.insert("p".into(), attempt(0, Command::Probe, AttemptState::Overdue));
    };
    for (late, offered) in [(false, &[][..]), (true, &["pod-0"])] {
        let (mut seen, known) = world(hangs);
        if late {
            seen.ages.insert(Timer::Deadline("a".into()), Age::Ripe);
        }
        assert_eq!(vouchable(&decide(&seen, &known)), offered, "past its deadline: {late}");
    }
}

#[test]
fn a_start_of_who_was_given_up_is_named_wherever_nobody_is_known_to_serve() {
    let cases: [(&str, Seen, bool); 4] = [
        ("another one leads", |_| {}, false),
        ("another one leads, and who has the start is wanted", |seen| given_up(seen).clear(), true),
        ("the other one is not heard", |seen| seen.pod_mut(0).status = Status::Silent("".into()), true),
        ("the other one has failed", |seen| *seen = seen.clone().answers(0, 9), true),
    ];
    for (sentence, change, expected) in cases {
        let mut seen = running(2);
        seen.replicas.get_mut(&name(1)).unwrap().pod = None;
        given_up(&mut seen).insert(name(1));
        change(&mut seen);
        let mut gone = record(1).confirmed_in(1).open_start("b");
        of_the_pod_before(&mut gone.open[0]);
        let plan = decide(&seen, &memory([record(0).confirmed_in(1).open_start("a"), gone]));
        assert_eq!(vouchable(&plan).contains(&"before"), expected, "{sentence}: {:?}", plan.holds);
    }
}

/// Of whom nobody makes another pod.
fn given_up(seen: &mut Observation) -> &mut BTreeSet<ReplicaName> {
    &mut seen.workload.as_mut().unwrap().released
}
