//! Sizes and stops at the edge of what the resource asks for.

use super::{Case, Planted, Right, each_is_caught, each_is_right, running};
use crate::audit::Rule;
use crate::fixture::{holder, name};
use crate::key::KeyKind;
use crate::memory::Outage;
use crate::observation::Replica;
use crate::plan::{Cause, Step};

/// It answers Stopped, and all its starts are closed.
fn at_rest(case: &mut Case, ordinal: u32) {
    case.answers(ordinal, Some(7));
    case.always(ordinal, |record| record.open.clear());
}

fn recycle(case: &mut Case, ordinal: u32, cause: Cause) {
    let if_pod = case.seen.pod_mut(ordinal).uid.clone();
    case.plan.steps.push(Step::Recycle { replica: name(ordinal), if_pod, grace_seconds: None, cause });
}

fn resize(case: &mut Case, to: u32, if_from: u32) {
    case.plan.steps.push(Step::Resize { to, if_from, released: Vec::new(), cause: Cause::Size });
}

/// Of three that run.
const STOPS: &[Right] = &[
    ("a pod without the guard, at rest, while the others are in two groups", |case| {
        at_rest(case, 2);
        (case.seen.pod_mut(2).guarded, case.seen.pod_mut(2).revision) = (false, "r0".into());
        case.in_groups(["a", "b"]);
        recycle(case, 2, Cause::Unguarded);
    }),
    ("a pod of an older template, at rest", |case| {
        at_rest(case, 2);
        case.seen.workload.as_mut().unwrap().revision = "r2".into();
        recycle(case, 2, Cause::Template);
    }),
    ("a pod without the guard, while one that is not wanted rests", |case| {
        at_rest(case, 2);
        case.seen.target.replicas = 2;
        (case.seen.pod_mut(0).guarded, case.seen.pod_mut(0).revision) = (false, "r0".into());
        recycle(case, 0, Cause::Unguarded);
    }),
];

#[test]
fn a_pod_goes_though_not_all_is_well_if_the_resource_asks_for_it() {
    each_is_right(&Case::settled(running(false)), STOPS);
}

#[test]
fn a_size_is_at_least_what_is_wanted_and_at_most_what_is_owed() {
    let case = Case::settled(running(false));
    each_is_caught(
        &case,
        &[
            ("fewer than are wanted, of members at rest", &[Rule::Size], |case| {
                at_rest(case, 2);
                case.seen.replicas.get_mut(&name(2)).unwrap().pod = None;
                resize(case, 2, 3);
            }),
            (
                "one that runs, though it was given up and its start is forgotten",
                &[Rule::Size, Rule::Unpromised],
                |case| {
                    case.always(2, |record| (record.waived, record.open) = (true, Vec::new()));
                    case.seen.target.replicas = 2;
                    resize(case, 2, 3);
                },
            ),
            ("one whose start is open, though it was given up", &[Rule::Size], |case| {
                case.answers(2, Some(7));
                case.always(2, |record| record.waived = true);
                case.seen.target.replicas = 2;
                resize(case, 2, 3);
            }),
            ("as many as there are, which is more than are wanted", &[Rule::Size], |case| {
                case.seen.workload.as_mut().unwrap().replicas = 4;
                resize(case, 4, 4);
            }),
            ("of a StatefulSet that is not there", &[Rule::Size], |case| {
                case.seen.workload = None;
                resize(case, 3, 3);
            }),
            ("the StatefulSet differs, and nobody allowed a new one", &[Rule::Key], |case| {
                case.seen.workload.as_mut().unwrap().immutable = Some("serviceName".to_owned());
                case.plan.steps.push(Step::Recreate);
            }),
        ],
    );
    each_is_right(
        &case,
        &[
            ("a set that runs had more once", |case| case.memory.restore_replicas = Some(5)),
            ("and grows to what is wanted", |case| {
                case.memory.restore_replicas = Some(5);
                case.seen.workload.as_mut().unwrap().replicas = 2;
                resize(case, 3, 2);
            }),
            ("and shrinks to more than is wanted", |case| {
                case.seen.target.replicas = 1;
                at_rest(case, 2);
                case.seen.replicas.get_mut(&name(2)).unwrap().pod = None;
                resize(case, 2, 3);
            }),
        ],
    );
}

/// x-2 was not confirmed in the newest epoch, of two, and is not wanted.
fn of_an_older_epoch(case: &mut Case, named: bool) {
    case.seen.target.replicas = 2;
    (case.memory.restore_replicas, case.plan.memory.restore_replicas) = (None, None);
    (case.memory.epoch.number, case.plan.memory.epoch.number) = (2, 2);
    for ordinal in 0..3 {
        let confirmed = if ordinal == 2 { 1 } else { 2 };
        case.always(ordinal, |record| (record.confirmed, record.epoch.number) = (confirmed, 2));
    }
    if named {
        let outage = Some(Outage { named: Some(holder(2)), ..Outage::default() });
        (case.memory.outage, case.plan.memory.outage) = (outage.clone(), outage);
    }
}

/// Of a set that was scaled to zero, and comes back with three.
const BACK: &[Right] = &[
    ("what was there is remembered, and fewer are wanted", |case| {
        case.seen.target.replicas = 2;
        (case.memory.restore_replicas, case.plan.memory.restore_replicas) = (Some(3), Some(3));
        case.plan.steps.clear();
    }),
    ("what was there is wanted, and not remembered any more", |case| {
        (case.memory.restore_replicas, case.plan.memory.restore_replicas) = (Some(3), None);
    }),
    ("fewer than there were, and a person says so", |case| {
        case.seen.target.replicas = 2;
        (case.memory.restore_replicas, case.plan.memory.restore_replicas) = (Some(3), None);
        case.plan.steps.clear();
        resize(case, 2, 0);
        case.allow(KeyKind::AcceptSize, "2");
    }),
    ("whom a person named comes back, of an older epoch", |case| of_an_older_epoch(case, true)),
];

const NOT_BACK: &[Planted] =
    &[("one that is not wanted, of an older epoch", &[Rule::Size], |case| of_an_older_epoch(case, false))];

#[test]
fn who_comes_back_is_wanted_or_named_or_owes_its_reading() {
    let mut world = running(false);
    world.want(0);
    world.settle();
    world.want(3);
    let case = Case::that(world, |step| matches!(step, Step::Resize { .. }));
    each_is_right(&case, BACK);
    each_is_caught(&case, NOT_BACK);
}

/// Of three, of which x-2 is of an older epoch, alone runs, and is stopped for that.
fn alone(case: &mut Case) {
    case.always(2, |record| record.confirmed = 0);
    [0, 1].into_iter().for_each(|ordinal| at_rest(case, ordinal));
}

/// What is left of the newest: none of it will come again.
const OVER: &[Right] = &[
    ("the claims of the newest are gone", |case| without(case, |replica| replica.claims.clear())),
    ("the newest have no pods, and a person gave them up", |case| {
        without(case, |replica| replica.pod = None);
        [0, 1].into_iter().for_each(|n| case.always(n, |record| record.waived = true));
    }),
    ("all of the newest are half replaced", |case| {
        [0, 1].into_iter().for_each(|n| case.always(n, |record| record.joining = true));
    }),
];

const NOT_OVER: &[Planted] = &[
    ("one of the newest may be running", &[Rule::Stop], |case| case.answers(1, None)),
    ("one of the newest failed", &[Rule::Stop], |case| case.answers(1, Some(1))),
    ("the newest have no pods", &[Rule::Stop], |case| without(case, |replica| replica.pod = None)),
    ("one of the newest has no pod, and the other one's claim is gone", &[Rule::Stop], |case| {
        case.seen.replicas.get_mut(&name(0)).unwrap().pod = None;
        case.seen.replicas.get_mut(&name(1)).unwrap().claims.clear();
    }),
    ("what was started of one that is given up may be alive", &[Rule::Stop], |case| {
        without(case, |replica| replica.pod = None);
        [0, 1].into_iter().for_each(|n| case.always(n, |record| record.waived = true));
        case.always(0, |record| *record = record.clone().open_start("late"));
    }),
];

fn without(case: &mut Case, take: fn(&mut Replica)) {
    [0, 1].into_iter().for_each(|n| take(case.seen.replicas.get_mut(&name(n)).unwrap()));
}

#[test]
fn who_runs_in_an_epoch_that_is_over_is_stopped_once_the_newest_rests_or_is_lost() {
    let mut world = running(false);
    world.seen.workload.as_mut().unwrap().revision = "r2".into();
    let mut case = Case::that_sends(world, crate::observation::Command::Stop);
    let pod = case.seen.pod_mut(2);
    let (if_pod, if_container) = (pod.uid.clone(), pod.container.clone().unwrap().id.unwrap());
    let run = case.run();
    (run.replica, run.cause, run.peers) = (name(2), Cause::Epoch, Vec::new());
    (run.if_pod, run.if_container) = (if_pod, if_container);
    alone(&mut case);
    each_is_right(&case, OVER);
    each_is_caught(&case, NOT_OVER);
}
