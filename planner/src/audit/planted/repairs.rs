//! Repairs: each cause as it is seen, and what is none.

use super::{Case, Planted, Right, each_is_caught, each_is_right, ended, running};
use crate::audit::Rule;
use crate::fixture::{container, name, start};
use crate::observation::{AttemptState, Command, ContainerState, Fate, Refusal, Status};
use crate::plan::{Cause, Step};
use crate::record::Record;
use crate::start::Start;
use crate::timer::{Age, Timer};

const CAUSED: &[Right] = &[
    ("it answers Failed long enough, where no command can be run", |case| failed(case, true)),
    ("its container cannot start", |case| cannot_start(case, true)),
    ("its volume lock is busy", |case| {
        stopped(case);
        ripe(case, Timer::LockBusy(name(2), container(2)));
        repair(case, Cause::LockBusy);
    }),
    ("its volume lock was busy when it was to be read", |case| {
        met_busy(case, "container-2", Command::Read, AttemptState::Refused(Refusal::LockBusy));
    }),
    ("nobody heard of its reading", |case| {
        met_busy(case, "container-2", Command::Read, AttemptState::Lost("no stream".into()));
    }),
    ("its stop did not help", |case| stop_failed(case, |_| {})),
    ("its start came to Failed", |case| {
        unconfirmed(case, Some(1));
    }),
    ("its start is late, and nobody hears it", |case| {
        unconfirmed(case, None);
        case.seen.pod_mut(2).active = Some(false);
        ripe(case, Timer::Deadline("late".into()));
    }),
    ("its start is over, and it stays Stopped", |case| {
        unconfirmed(case, Some(7));
        ripe(case, Timer::StoppedOpen("late".into()));
        each_start(case, |start| start.ended = true);
    }),
    ("its start ended, as its folder says, and it stays Stopped", |case| {
        unconfirmed(case, Some(7));
        ripe(case, Timer::StoppedOpen("late".into()));
        case.seen.fates.insert("late".into(), Fate::Ended(0));
    }),
    ("its start is late, and it stays Stopped", |case| {
        unconfirmed(case, Some(7));
        ripe(case, Timer::StoppedOpen("late".into()));
        ripe(case, Timer::Deadline("late".into()));
    }),
    ("its start gets on no more", |case| {
        unconfirmed(case, Some(1));
        gets_on(case);
        ripe(case, Timer::NoProgress("late".into(), Some("half".into())));
    }),
    ("repaired before, and long ago", |case| {
        failed(case, true);
        case.memory.repairs.insert(name(2), 1);
        case.plan.memory.repairs.insert(name(2), 2);
        ripe(case, Timer::Repaired(name(2), 1));
    }),
];

const UNCAUSED: &[Planted] = &[
    ("Failed a moment ago", &[Rule::Repair], |case| failed(case, false)),
    ("its pod goes before its own stop was tried", &[Rule::Repair], |case| {
        failed(case, true);
        case.seen.pod_mut(2).guarded = true;
    }),
    ("Failed long enough, and Stopped now", &[Rule::Repair], |case| {
        failed(case, true);
        case.answers(2, Some(7));
    }),
    ("a container that cannot start since a moment ago", &[Rule::Repair], |case| {
        cannot_start(case, false);
    }),
    ("a container that runs", &[Rule::Repair], |case| {
        cannot_start(case, true);
        case.seen.pod_mut(2).container.as_mut().unwrap().state = ContainerState::Running;
    }),
    ("a lock that nobody found busy", &[Rule::Repair], |case| {
        stopped(case);
        repair(case, Cause::LockBusy);
    }),
    ("the lock of one that runs is held", &[Rule::Repair], |case| {
        ripe(case, Timer::LockBusy(name(2), container(2)));
        repair(case, Cause::LockBusy);
    }),
    ("a lock that was busy in a container of before", &[Rule::Repair], |case| {
        met_busy(case, "before", Command::Read, AttemptState::Refused(Refusal::LockBusy));
    }),
    ("a lock that a start found busy", &[Rule::Repair], |case| {
        met_busy(case, "container-2", Command::Join, AttemptState::Refused(Refusal::LockBusy));
    }),
    ("a reading that ended", &[Rule::Repair], |case| {
        met_busy(case, "container-2", Command::Read, ended());
    }),
    ("nobody tried to stop it", &[Rule::Repair], |case| {
        stop_failed(case, |record| record.stop_tried = None);
    }),
    ("its stop was of another container", &[Rule::Repair], |case| {
        stop_failed(case, |record| record.stop_tried = Some("before".into()));
    }),
    ("its stop is sent in this very look", &[Rule::Repair], |case| {
        stop_failed(case, |_| {});
        case.memory.holders.values_mut().for_each(|record| record.stop_tried = None);
        case.seen.replicas.get_mut(&name(2)).unwrap().claims[0].record.as_mut().unwrap().stop_tried = None;
    }),
    ("that its stop was tried is forgotten", &[Rule::Repair], |case| {
        stop_failed(case, |_| {});
        case.after(2).stop_tried = None;
    }),
    ("its stop helped", &[Rule::Repair], |case| {
        stop_failed(case, |_| {});
        case.answers(2, Some(7));
    }),
    ("its stop failed a moment ago", &[Rule::Repair], |case| {
        stop_failed(case, |_| {});
        case.seen.ages.remove(&Timer::Failed(name(2), container(2)));
    }),
    ("its stop still runs", &[Rule::Repair], |case| {
        stop_failed(case, |_| {});
        case.attempt(2, Command::Stop, AttemptState::Running);
    }),
    ("its start is confirmed", &[Rule::Repair], |case| {
        unconfirmed(case, Some(8));
        ripe(case, Timer::Deadline("late".into()));
    }),
    ("its start is late elsewhere", &[Rule::Repair], |case| {
        unconfirmed(case, Some(1));
        each_start(case, |start| start.container = "before".into());
    }),
    ("its start has time yet", &[Rule::Repair], |case| {
        unconfirmed(case, Some(7));
        ripe(case, Timer::StoppedOpen("late".into()));
    }),
    ("its start is late, and it stopped a moment ago", &[Rule::Repair], |case| {
        unconfirmed(case, Some(7));
        each_start(case, |start| start.ended = true);
    }),
    ("its start gets on", &[Rule::Repair], |case| {
        unconfirmed(case, Some(1));
        gets_on(case);
    }),
    ("a command is within its deadline there", &[Rule::Repair], |case| {
        failed(case, true);
        case.attempt(2, Command::Read, AttemptState::Running);
    }),
    ("counted down", &[Rule::Repair], |case| {
        failed(case, true);
        case.memory.repairs.insert(name(2), 2);
        ripe(case, Timer::Repaired(name(2), 2));
    }),
    ("repaired before, and lately", &[Rule::Repair], |case| {
        failed(case, true);
        case.memory.repairs.insert(name(2), 1);
        case.plan.memory.repairs.insert(name(2), 2);
    }),
    ("beside another repair", &[Rule::Repair, Rule::Alone], |case| {
        failed(case, true);
        case.answers(1, Some(1));
        case.seen.pod_mut(1).guarded = false;
        ripe(case, Timer::Failed(name(1), container(1)));
        case.plan.memory.repairs.insert(name(1), 1);
        let if_pod = case.seen.pod_mut(1).uid.clone();
        let (replica, cause) = (name(1), Cause::Failed);
        case.plan.steps.push(Step::Recycle { replica, if_pod, grace_seconds: None, cause });
    }),
];

fn repair(case: &mut Case, cause: Cause) {
    let if_pod = case.seen.pod_mut(2).uid.clone();
    case.plan.memory.repairs.insert(name(2), 1);
    case.plan.steps.push(Step::Recycle { replica: name(2), if_pod, grace_seconds: None, cause });
}

fn ripe(case: &mut Case, timer: Timer) {
    case.seen.ages.insert(timer, Age::Ripe);
}

fn stopped(case: &mut Case) {
    case.answers(2, Some(7));
}

/// It answers Failed in a pod without the guard.
fn failed(case: &mut Case, is_ripe: bool) {
    case.answers(2, Some(1));
    case.seen.pod_mut(2).guarded = false;
    if is_ripe {
        ripe(case, Timer::Failed(name(2), container(2)));
    }
    repair(case, Cause::Failed);
}

fn cannot_start(case: &mut Case, is_ripe: bool) {
    let pod = case.seen.pod_mut(2);
    pod.container.as_mut().unwrap().state = ContainerState::Waiting("CrashLoopBackOff".into());
    let timer = Timer::CannotStart(pod.uid.clone());
    if is_ripe {
        ripe(case, timer);
    }
    repair(case, Cause::CannotStart);
}

fn met_busy(case: &mut Case, container: &str, command: Command, state: AttemptState) {
    stopped(case);
    case.attempt(2, command, state).container = container.into();
    repair(case, Cause::LockBusy);
}

/// It answers Failed long enough after it was to stop.
fn stop_failed(case: &mut Case, change: fn(&mut Record)) {
    failed(case, true);
    case.seen.pod_mut(2).guarded = true;
    case.plan.steps.clear();
    repair(case, Cause::StopFailed);
    case.always(2, |record| {
        record.stop_tried = Some(container(2));
        change(record);
    });
}

fn each_start(case: &mut Case, change: fn(&mut Start)) {
    case.always(2, |record| record.open.iter_mut().for_each(change));
}

/// A start of it is not confirmed, and it answers this.
fn unconfirmed(case: &mut Case, code: Option<i32>) {
    case.answers(2, code);
    case.always(2, |record| {
        let (confirmed, ended) = (false, false);
        record.open = vec![Start { confirmed, ended, ..start(2, "late") }];
    });
    repair(case, Cause::Unconfirmed);
}

fn gets_on(case: &mut Case) {
    let Status::Answer(answer) = &mut case.seen.pod_mut(2).status else { return };
    answer.progress = Some("half".into());
}

#[test]
fn a_repair_has_a_cause_that_is_seen() {
    let case = Case::settled(running(false));
    each_is_right(&case, CAUSED);
    each_is_caught(&case, UNCAUSED);
}
