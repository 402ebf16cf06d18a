//! Bugs that take a member away, or tell clients what is not so.

use super::{Case, Planted, each_is_caught, running};
use crate::audit::Rule;
use crate::fixture::{holder, name, start};
use crate::observation::{Command, Status};
use crate::plan::{Cause, Step};
use crate::timer::{Age, Timer};

const TAKEN_AWAY: &[Planted] = &[
    ("a member that runs is deleted as Failed", &[Rule::Repair, Rule::LastServer], |case| {
        (0..2).for_each(|ordinal| case.answers(ordinal, Some(7)));
        recycle(case, Cause::Failed);
    }),
    ("hung, and not long enough", &[Rule::Repair], |case| hang(case, true, false)),
    ("hung, and the shell is silent too", &[Rule::Repair], |case| hang(case, false, true)),
    ("hung, and the last that served", &[Rule::LastServer], |case| {
        (0..2).for_each(|ordinal| case.answers(ordinal, Some(7)));
        hang(case, true, true);
    }),
    ("hung, the last that has the label, and its start is forgotten", &[Rule::LastServer], |case| {
        (0..2).for_each(|ordinal| case.answers(ordinal, Some(7)));
        hang(case, true, true);
        case.memory.holders.get_mut(&holder(2)).unwrap().open.clear();
    }),
    ("hung, the last that has the label, and nobody saw it serve", &[Rule::LastServer], |case| {
        (0..2).for_each(|ordinal| case.answers(ordinal, Some(7)));
        hang(case, true, true);
        case.always(2, |record| record.open[0].confirmed = false);
    }),
    ("hung, the last that served, and it has no label", &[Rule::LastServer], |case| {
        (0..2).for_each(|ordinal| case.answers(ordinal, Some(7)));
        hang(case, true, true);
        case.seen.pod_mut(2).active = None;
    }),
    ("a repair is not counted", &[Rule::Repair], |case| {
        hang(case, true, true);
        case.plan.memory.repairs.clear();
    }),
    ("repaired again at once", &[Rule::Repair], |case| {
        hang(case, true, true);
        case.memory.repairs.insert(name(2), 1);
    }),
    ("without grace", &[Rule::Repair], |case| {
        hang(case, true, true);
        let Step::Recycle { grace_seconds, .. } = &mut case.plan.steps[0] else { return };
        *grace_seconds = Some(0);
    }),
    ("a wanted member leaves", &[Rule::Stop], |case| recycle(case, Cause::Size)),
    ("the template is not another", &[Rule::Stop], |case| recycle(case, Cause::Template)),
    ("the pod has a guard", &[Rule::Stop], |case| recycle(case, Cause::Unguarded)),
    ("the pod did not end", &[Rule::Stop], |case| recycle(case, Cause::Finished)),
    ("for no cause", &[Rule::Stop], |case| recycle(case, Cause::Answer)),
    ("another pod is deleted", &[Rule::WrongPlace], |case| {
        hang(case, true, true);
        let Step::Recycle { if_pod, .. } = &mut case.plan.steps[0] else { return };
        *if_pod = "pod-9".into();
    }),
    ("fewer than are wanted", &[Rule::Size], |case| resize(case, 2, 3)),
    ("pods of members that run", &[Rule::Size], |case| {
        case.seen.target.replicas = 2;
        resize(case, 2, 3);
    }),
    ("more than are wanted", &[Rule::Size], |case| resize(case, 4, 3)),
    ("from a size that is not so", &[Rule::Size], |case| resize(case, 3, 2)),
    ("the StatefulSet is deleted", &[Rule::Key], |case| case.plan.steps.push(Step::Recreate)),
    ("a label of a member that stopped", &[Rule::Label], |case| {
        case.answers(2, Some(7));
        case.label(name(2), true);
    }),
    ("a label of a member that is not confirmed", &[Rule::Label], |case| {
        case.always(2, |record| record.confirmed = 0);
        case.label(name(2), true);
    }),
    ("a label withdrawn from one that is only unheard", &[Rule::Label], |case| {
        (0..3).for_each(|ordinal| case.answers(ordinal, None));
        case.label(name(2), false);
    }),
    ("the last label withdrawn", &[Rule::Label], |case| {
        case.answers(2, None);
        (0..2).for_each(|ordinal| case.seen.pod_mut(ordinal).active = None);
        case.label(name(2), false);
    }),
    ("a stopped member keeps its label", &[Rule::Label], |case| {
        case.answers(2, Some(7));
        case.seen.pod_mut(2).active = Some(true);
    }),
];

fn recycle(case: &mut Case, cause: Cause) {
    let if_pod = case.seen.pod_mut(2).uid.clone();
    case.plan.memory.repairs.insert(name(2), 1);
    case.plan.steps.push(Step::Recycle { replica: name(2), if_pod, grace_seconds: None, cause });
}

fn hang(case: &mut Case, shell_answers: bool, ripe: bool) {
    let pod = case.seen.pod_mut(2);
    pod.status = Status::Hung { shell_answers };
    let container = pod.container.clone().unwrap().id.unwrap();
    let age = if ripe { Age::Ripe } else { Age::TooSoon(1) };
    case.seen.ages.insert(Timer::Hung(name(2), container), age);
    recycle(case, Cause::Hung);
}

fn recycle_at(case: &mut Case, ordinal: u32) {
    let (replica, if_pod) = (name(ordinal), case.seen.pod_mut(ordinal).uid.clone());
    case.plan.steps.push(Step::Recycle { replica, if_pod, grace_seconds: Some(1), cause: Cause::Size });
}

fn resize(case: &mut Case, to: u32, if_from: u32) {
    case.plan.steps.push(Step::Resize { to, if_from, released: Vec::new(), cause: Cause::Size });
}

#[test]
fn nobody_is_taken_away_and_nothing_is_told_without_evidence() {
    let mut case = Case::settled(running(false));
    hang(&mut case, true, true);
    assert_eq!(case.breaches(), [].into(), "one that hangs long enough while others serve");
    each_is_caught(&Case::settled(running(false)), TAKEN_AWAY);
}

#[test]
fn a_member_leaves_stopped_closed_and_read() {
    let mut world = running(false);
    world.want(2);
    each_is_caught(
        &Case::that(world, |step| matches!(step, Step::Resize { .. })),
        &[
            ("it may be running", &[Rule::Size, Rule::Stop], |case| {
                case.answers(2, None);
                case.seen.pod_mut(2).active = None;
                case.always(2, |record| record.left = false);
            }),
            ("its start is open", &[Rule::Size, Rule::Stop], |case| {
                case.always(2, |record| record.open = vec![start(2, "old")]);
            }),
            ("it was not read", &[Rule::Size, Rule::Stop], |case| {
                case.always(2, |record| record.reading = None);
            }),
            ("one that stays goes with it", &[Rule::Alone, Rule::Stop], |case| recycle_at(case, 1)),
        ],
    );
}

#[test]
fn a_set_does_not_come_back_with_fewer() {
    let mut world = running(false);
    world.want(0);
    world.settle();
    world.want(3);
    each_is_caught(
        &Case::that(world, |step| matches!(step, Step::Resize { .. })),
        &[("two of three", &[Rule::Size], |case| {
            case.seen.target.replicas = 2;
            case.plan.steps.clear();
            case.memory.restore_replicas = Some(3);
            case.plan.memory.restore_replicas = Some(3);
            resize(case, 2, 0);
        })],
    );
}

#[test]
fn a_rollout_stops_one_only_while_all_others_run() {
    let mut world = running(false);
    world.seen.workload.as_mut().unwrap().revision = "r2".into();
    each_is_caught(
        &Case::that_sends(world, Command::Stop),
        &[
            ("another is down", &[Rule::Stop], |case| {
                case.run().peers.clear();
                case.answers(0, Some(7));
            }),
            ("the template is not known yet", &[Rule::Stop], |case| {
                case.seen.workload.as_mut().unwrap().current = Some(false);
            }),
            ("members are in two groups", &[Rule::Stop], |case| {
                case.in_groups(["a", "b"]);
            }),
        ],
    );
}
