//! 4.1: where a command begins, beside what, and under which lock.

use super::{attempt, ended, holds, in_outage, ordered, runs, sends, serving};
use crate::app_state::AppState;
use crate::fixture::{answer, container, memory, name, record, stopped_set};
use crate::key::KeyKind;
use crate::observation::{AttemptState, Command, Refusal, Status};
use crate::start::Lock;
use crate::timer::{Age, Timer};
use crate::{Step, decide};

#[test]
fn a_container_takes_no_second_command_unless_the_first_is_a_start_that_is_confirmed() {
    let mut seen = stopped_set(1);
    let known = in_outage(memory([record(0).confirmed_in(1)]));
    assert!(sends(&decide(&seen, &known), Command::Read, 0));
    seen.attempts.insert("r".into(), attempt(0, Command::Read, AttemptState::Running));
    let plan = decide(&seen, &known);
    assert!(runs(&plan).next().is_none() && holds(&plan, "UnderWay"), "{:?}", plan.steps);

    let mut seen = serving(2, 2);
    seen.target.replicas = 1;
    let known = memory([0, 1].map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
    seen.attempts.insert("a1".into(), attempt(1, Command::Join, AttemptState::Running));
    assert!(sends(&decide(&seen, &known), Command::Stop, 1), "a database in the foreground");
}

#[test]
fn nothing_but_status_runs_in_a_pod_without_the_guard() {
    let mut seen = serving(2, 2);
    seen.target.replicas = 1;
    let known = memory([0, 1].map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
    assert!(sends(&decide(&seen, &known), Command::Stop, 1));
    seen.pod_mut(1).guarded = false;
    let plan = decide(&seen, &known);
    assert!(runs(&plan).next().is_none() && holds(&plan, "GuardMissing"));
}

#[test]
fn a_running_pod_without_the_guard_is_replaced_in_a_rollout_with_all_its_grace() {
    let mut seen = serving(2, 2);
    let known = memory([0, 1].map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
    let pod = seen.pod_mut(1);
    (pod.guarded, pod.revision) = (false, "r0".into());
    let plan = decide(&seen, &known);
    assert!(matches!(&plan.steps[..], [Step::Recycle { grace_seconds: None, .. }]), "{:?}", plan.steps);
}

#[test]
fn where_no_lock_can_be_had_none_is_asked_for_again() {
    let mut seen = stopped_set(1);
    let known = in_outage(memory([record(0).confirmed_in(1)]));
    let lock = |plan: &crate::Plan| runs(plan).next().map(|run| run.lock);
    assert_eq!(lock(&decide(&seen, &known)), Some(true));
    seen.attempts.insert("r".into(), attempt(0, Command::Read, AttemptState::Refused(Refusal::NoLock)));
    assert_eq!(lock(&decide(&seen, &known)), Some(false));
}

#[test]
fn a_busy_lock_of_a_stopped_member_costs_its_pod_once_and_then_needs_a_person() {
    let mut seen = stopped_set(1);
    seen.attempts.insert("r".into(), attempt(0, Command::Read, AttemptState::Refused(Refusal::LockBusy)));
    let plan = decide(&seen, &in_outage(memory([record(0).confirmed_in(1)])));
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == "LockBusy").unwrap();
    assert_eq!(hold.keys[0].kind, KeyKind::AssertFenced);
    assert!(!plan.steps.iter().any(|step| matches!(step, Step::Recycle { .. })), "one look is not enough");
    seen.ages.insert(Timer::LockBusy(name(0), container(0)), Age::Ripe);
    let first = decide(&seen, &plan.memory);
    assert!(matches!(&first.steps[..], [Step::Recycle { .. }]), "{:?}", first.steps);
    seen.ages.insert(Timer::Repaired(name(0), 1), Age::Ripe);
    let second = decide(&seen, &first.memory);
    assert!(!second.steps.iter().any(|step| matches!(step, Step::Recycle { .. })), "{:?}", second.steps);
}

#[test]
fn nobody_joins_on_a_volume_that_another_process_locks() {
    let seen = ordered(serving(2, 1), &[0, 1]);
    let mut waiting = record(1).confirmed_in(1);
    let served = record(0).confirmed_in(1).open_start("a");
    assert!(sends(&decide(&seen, &memory([served.clone(), waiting.clone()])), Command::Join, 1));
    waiting.lock_busy = true;
    assert!(!sends(&decide(&seen, &memory([served, waiting])), Command::Join, 1));
}

#[test]
fn a_lock_is_seen_held_only_by_a_probe_that_came_after_the_commands_end() {
    for (over, expected) in [(true, Lock::Held), (false, Lock::Unasked)] {
        let mut seen = serving(1, 1);
        let probe = attempt(0, Command::Probe, AttemptState::Refused(Refusal::LockBusy));
        seen.attempts.insert("p".into(), probe);
        let mut known = record(0).confirmed_in(1).open_start("a");
        (known.open[0].lock, known.open[0].ended) = (Lock::Unasked, over);
        let plan = decide(&seen, &memory([known]));
        assert_eq!(plan.memory.of(&name(0)).next().unwrap().open[0].lock, expected, "ended: {over}");
    }
}

#[test]
fn a_command_that_turns_a_running_member_makes_its_lock_unknown_again() {
    let mut seen = ordered(serving(2, 2), &[1, 0]);
    (seen.target.has_secondary, seen.target.primaries) = (true, 1);
    let known = memory([0, 1].map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
    let plan = decide(&seen, &known);
    assert!(sends(&plan, Command::Demote, 0));
    let record = plan.memory.of(&name(0)).next().cloned().unwrap();
    assert!(record.open.iter().all(|start| start.lock == Lock::Unasked), "{:?}", record.open);
}

fn state(change: impl Fn(&mut crate::observation::Pod)) -> &'static str {
    let mut seen = stopped_set(1);
    change(seen.pod_mut(0));
    AppState::of(seen.replicas[&name(0)].pod.as_ref(), &seen.target).name()
}

#[test]
fn only_an_answer_of_the_present_container_says_how_a_member_is() {
    assert_eq!(state(|_| {}), "Stopped");
    assert_eq!(state(|pod| pod.status = answer(0, 1)), "Failed");
    for code in [126, 127, 137, -1] {
        assert_eq!(state(|pod| pod.status = answer(0, code)), "Unknown", "exit {code}");
    }
    assert_eq!(state(|pod| pod.status = answer(1, 7)), "Unknown", "an earlier container");
    assert_eq!(state(|pod| pod.terminating = true), "Unknown", "it is being deleted");
    assert_eq!(state(|pod| pod.status = Status::Silent(String::new())), "Unknown");
    assert_eq!(state(|pod| pod.status = Status::Hung { shell_answers: true }), "Unknown");
}

#[test]
fn a_reading_at_rest_counts_only_with_the_lock_and_is_never_cut() {
    let read = |locked: bool, position: &crate::Position| {
        let mut seen = stopped_set(1);
        let reading = crate::Reading::At(position.clone());
        seen.attempts.insert("r".into(), attempt(0, Command::Read, ended()));
        seen.attempts.get_mut(&"r".into()).unwrap().locked = locked;
        seen.verdicts.readings.insert("r".into(), reading.into());
        let known = in_outage(memory([record(0).confirmed_in(1)]));
        let plan = decide(&seen, &known);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "the audit knows of that");
        plan.memory.of(&name(0)).next().unwrap().reading.as_ref().map(|taken| taken.reading.clone())
    };
    let five = crate::Position::Ordinal(5);
    assert_eq!(read(true, &five), Some(crate::Reading::At(five.clone())));
    assert_eq!(read(false, &five), None);
    let long = crate::Position::History(crate::position::History::up_to(&"a".repeat(70_000), 1));
    assert!(matches!(read(true, &long), Some(crate::Reading::Unreadable(_))));
}
