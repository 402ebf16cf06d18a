//! Members that are stopped or deleted because the resource asks for it, and sizes: what is right, and what is not.

use super::{Case, Planted, Right, each_is_caught, each_is_right, running};
use crate::audit::Rule;
use crate::fixture::{holder, name};
use crate::key::KeyKind;
use crate::memory::Outage;
use crate::observation::{Command, Container, ContainerState, Status};
use crate::plan::{Cause, Step};
use crate::target::Rollout;
use crate::timer::{Age, Timer};

/// Of three that run.
const ASKED: &[Right] = &[
    ("a pod without the guard, while all others run", |case| unguarded(case, None)),
    ("a pod without the guard, at rest", |case| {
        unguarded(case, Some(1));
        at_rest(case, 2);
    }),
    (
        "a pod of an older template in which nothing ever ran, while a start in an earlier one is open",
        |case| {
            never_ran(case, "before");
            recycle(case, Cause::Template, Some(1));
        },
    ),
    ("a pod that ended", |case| {
        case.seen.pod_mut(2).finished = true;
        recycle(case, Cause::Finished, None);
    }),
    ("a pod whose claims are gone", |case| {
        at_rest(case, 2);
        case.seen.replicas.get_mut(&name(2)).unwrap().claims.clear();
        recycle(case, Cause::Finished, None);
    }),
    ("a size that does not want it, whatever its group", |case| {
        case.seen.target.replicas = 2;
        case.in_groups(["a", "b"]);
        stop(case, Cause::Size);
    }),
    ("one of an older epoch, while a primary of the newest runs", |case| {
        case.always(2, |record| record.confirmed = 0);
        stop(case, Cause::Epoch);
    }),
];

const NOT_ASKED: &[Planted] = &[
    (
        "a pod in which nothing ever ran is replaced, while a start is open that was sent into it",
        &[Rule::Stop],
        |case| {
            let pod = case.seen.pod_mut(2).uid.0.clone();
            never_ran(case, &pod);
            recycle(case, Cause::Template, Some(1));
        },
    ),
    ("a pod that ran is replaced, while a start in an earlier one is open", &[Rule::Stop], |case| {
        never_ran(case, "before");
        case.seen.pod_mut(2).never_ran = false;
        recycle(case, Cause::Template, Some(1));
    }),
    ("a pod without the guard, of the wanted template, is replaced", &[Rule::Stop], |case| {
        unguarded(case, Some(1));
        case.seen.pod_mut(2).revision = "r1".into();
        at_rest(case, 2);
    }),
    ("a pod without the guard is killed while it runs", &[Rule::Stop], |case| unguarded(case, Some(1))),
    ("a pod without the guard, while another is down", &[Rule::Stop], |case| {
        unguarded(case, None);
        at_rest(case, 1);
    }),
    ("a pod without the guard that may be running", &[Rule::Stop], |case| {
        unguarded(case, None);
        case.answers(2, None);
    }),
    ("a pod without the guard whose start is open", &[Rule::Stop], |case| {
        unguarded(case, None);
        case.answers(2, Some(7));
    }),
    ("a pod whose claims are gone, and that runs", &[Rule::Stop], |case| {
        case.seen.replicas.get_mut(&name(2)).unwrap().claims.clear();
        recycle(case, Cause::Finished, None);
    }),
    ("a pod that did not end, and has its claims", &[Rule::Stop], |case| {
        at_rest(case, 2);
        recycle(case, Cause::Finished, None);
    }),
    ("a member that leaves is deleted while it runs", &[Rule::Stop], |case| {
        case.seen.target.replicas = 2;
        recycle(case, Cause::Size, None);
    }),
    ("a template, where people replace pods themselves", &[Rule::Stop], |case| {
        case.seen.target.rollout = Rollout::OnDelete;
        case.seen.workload.as_mut().unwrap().revision = "r2".into();
        stop(case, Cause::Template);
    }),
    ("a template deletes one that runs", &[Rule::Stop], |case| {
        case.seen.workload.as_mut().unwrap().revision = "r2".into();
        recycle(case, Cause::Template, None);
    }),
    ("one of the newest epoch is stopped as of an older one", &[Rule::Stop], |case| stop(case, Cause::Epoch)),
    ("a stopped one of an older epoch is stopped", &[Rule::Stop], |case| {
        at_rest(case, 2);
        case.always(2, |record| record.confirmed = 0);
        stop(case, Cause::Epoch);
    }),
    ("the StatefulSet is deleted, and differs in nothing", &[Rule::Key], |case| recreate(case, None)),
];

/// It answers Stopped, and all its starts are closed.
fn at_rest(case: &mut Case, ordinal: u32) {
    case.answers(ordinal, Some(7));
    case.always(ordinal, |record| record.open.clear());
}

/// The pod waits for its first container, and the start of its member was sent into that pod.
fn never_ran(case: &mut Case, sent: &str) {
    case.seen.workload.as_mut().unwrap().revision = "r2".into();
    let pod = case.seen.pod_mut(2);
    pod.never_ran = true;
    pod.container = Some(Container { id: None, state: ContainerState::Waiting("ErrImagePull".to_owned()) });
    pod.status = Status::NotAsked;
    case.always(2, |record| {
        for start in &mut record.open {
            (start.pod, start.container) = (sent.into(), "before".into());
        }
    });
}

fn unguarded(case: &mut Case, grace_seconds: Option<u64>) {
    (case.seen.pod_mut(2).guarded, case.seen.pod_mut(2).revision) = (false, "r0".into());
    recycle(case, Cause::Unguarded, grace_seconds);
}

fn recycle(case: &mut Case, cause: Cause, grace_seconds: Option<u64>) {
    let if_pod = case.seen.pod_mut(2).uid.clone();
    case.plan.steps.push(Step::Recycle { replica: name(2), if_pod, grace_seconds, cause });
}

/// As a rollout stops it.
fn stop(case: &mut Case, cause: Cause) {
    let mut world = running(false);
    world.seen.workload.as_mut().unwrap().revision = "r2".into();
    let mut run = Case::that_sends(world, Command::Stop).run().clone();
    let pod = case.seen.pod_mut(2);
    (run.replica, run.cause, run.peers) = (name(2), cause, Vec::new());
    (run.if_pod, run.if_container) = (pod.uid.clone(), pod.container.clone().unwrap().id.unwrap());
    case.plan.steps.push(Step::Run(run));
}

/// A person allows it, for this field.
fn recreate(case: &mut Case, differs: Option<&str>) {
    case.seen.workload.as_mut().unwrap().immutable = differs.map(str::to_owned);
    case.allow(KeyKind::Recreate, "statefulset");
    case.plan.steps.push(Step::Recreate);
}

#[test]
fn a_member_goes_only_as_the_resource_asks() {
    let case = Case::settled(running(false));
    each_is_right(&case, ASKED);
    each_is_right(
        &case,
        &[("a person allows a new StatefulSet", |case| recreate(case, Some("serviceName")))],
    );
    each_is_caught(&case, NOT_ASKED);
}

/// x-2 leads in an older epoch, and the others follow in the newest.
fn leads_beside_followers(case: &mut Case) {
    case.answers(0, Some(0));
    case.answers(2, Some(8));
    case.always(2, |record| record.confirmed = 0);
    stop(case, Cause::Epoch);
}

#[test]
fn who_leads_in_an_older_epoch_is_stopped_where_somebody_follows_in_the_newest() {
    let case = Case::settled(running(true));
    each_is_right(&case, &[("two follow in the newest", leads_beside_followers)]);
    each_is_caught(
        &case,
        &[("who follows is of the older epoch, and the newest was not heard", &[Rule::Stop], |case| {
            leads_beside_followers(case);
            case.answers(0, None);
            case.always(1, |record| record.confirmed = 0);
        })],
    );
}

/// Of a plan that takes x-2 away, which stopped and was read.
const LEAVES: &[Right] = &[
    ("its join was not over, and it was not read", |case| {
        case.always(2, |record| (record.joining, record.reading) = (true, None));
        case.plan.steps.retain(|step| matches!(step, Step::Resize { .. }));
    }),
    ("a person gave it up, and it was not read", |case| {
        case.always(2, |record| (record.waived, record.reading) = (true, None));
        case.plan.steps.retain(|step| matches!(step, Step::Resize { .. }));
    }),
    ("of an older epoch, and not read", |case| {
        case.always(2, |record| (record.confirmed, record.reading) = (0, None));
        case.plan.steps.retain(|step| matches!(step, Step::Resize { .. }));
    }),
    ("nobody heard it until its time was over", |case| {
        case.answers(2, None);
        case.seen.pod_mut(2).active = None;
        case.always(2, |record| record.left = false);
        case.seen.ages.insert(Timer::Leaving(name(2)), Age::Ripe);
        case.plan.steps.retain(|step| matches!(step, Step::Resize { .. }));
    }),
    ("it has no pod any more", |case| {
        case.seen.replicas.get_mut(&name(2)).unwrap().pod = None;
        case.always(2, |record| {
            (record.open, record.reading) = (Vec::new(), None);
        });
        case.plan.steps.retain(|step| matches!(step, Step::Resize { .. }));
    }),
];

#[test]
fn who_leaves_need_not_be_waited_for_in_vain() {
    let mut world = running(false);
    world.want(2);
    each_is_right(&Case::that(world, |step| matches!(step, Step::Resize { .. })), LEAVES);
}

/// Of a set that was scaled to zero, and comes back with three.
const BACK: &[Planted] = &[
    ("that there were more is forgotten", &[Rule::Size], |case| {
        case.seen.target.replicas = 2;
        case.memory.restore_replicas = Some(3);
        case.plan.memory.restore_replicas = None;
        case.plan.steps.clear();
    }),
    ("that there were more is changed", &[Rule::Size], |case| {
        case.seen.target.replicas = 2;
        case.memory.restore_replicas = Some(3);
        case.plan.memory.restore_replicas = Some(2);
        case.plan.steps.clear();
    }),
    ("more than were there", &[Rule::Size], |case| {
        let Step::Resize { to, .. } = &mut case.plan.steps[0] else { return };
        *to = 4;
    }),
];

const COMES_BACK: &[Right] = &[
    ("a person says that fewer will do", |case| {
        case.seen.target.replicas = 2;
        case.memory.restore_replicas = Some(3);
        case.plan.memory.restore_replicas = None;
        case.plan.steps.clear();
        case.allow(KeyKind::AcceptSize, "2");
    }),
    ("it is remembered that there were more", |case| {
        case.memory.restore_replicas = Some(3);
        case.plan.memory.restore_replicas = Some(4);
    }),
    ("one of them is to be the seed, as a person says", |case| {
        case.seen.target.replicas = 2;
        case.memory.restore_replicas = None;
        case.plan.memory.restore_replicas = None;
        case.always(2, |record| record.confirmed = 0);
        let named = Some(Outage { named: Some(holder(2)), ..Outage::default() });
        (case.memory.outage, case.plan.memory.outage) = (named.clone(), named);
    }),
];

#[test]
fn a_set_comes_back_with_all_that_it_had() {
    let mut world = running(false);
    world.want(0);
    world.settle();
    world.want(3);
    let case = Case::that(world, |step| matches!(step, Step::Resize { .. }));
    each_is_right(&case, COMES_BACK);
    each_is_caught(&case, BACK);
}
