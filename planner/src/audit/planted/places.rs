//! Bugs in where a step lands, and in what goes with it.

use super::{Case, Planted, each_is_caught, running};
use crate::audit::Rule;
use crate::fixture::name;
use crate::names::PodUid;
use crate::observation::{Command, ContainerState};
use crate::plan::{Cause, Step};

/// Of a primary that stopped and joins two others.
const JOIN: &[Planted] = &[
    ("to a pod that ended", &[Rule::WrongPlace, Rule::Join], |case| case.seen.pod_mut(2).finished = true),
    ("to another container", &[Rule::WrongPlace, Rule::Unpromised], |case| {
        case.run().if_container = "other".into();
    }),
    ("to a container that does not run", &[Rule::WrongPlace, Rule::Join], |case| {
        case.seen.pod_mut(2).container.as_mut().unwrap().state =
            ContainerState::Waiting("CrashLoopBackOff".into());
    }),
    ("from itself", &[Rule::WrongPlace], |case| case.run().peers.push(name(2))),
    ("under a name that another step has", &[Rule::SecondCommand, Rule::Alone, Rule::Join], |case| {
        let run = case.run().clone();
        case.plan.steps.push(Step::Run(run));
    }),
    ("under a name that was used", &[Rule::SecondCommand], |case| {
        let run = case.run().clone();
        case.seen.attempts.insert(
            run.attempt.clone(),
            run.attempt(crate::observation::AttemptState::Lost("no stream".into())),
        );
    }),
];

/// Of three that run, and one step more.
const STEPS: &[Planted] = &[
    ("a label of another pod", &[Rule::WrongPlace], |case| {
        case.label(name(2), true);
        let Some(Step::Label { if_pod, .. }) = case.plan.steps.last_mut() else { return };
        *if_pod = "other".into();
    }),
    ("a start is revoked in another pod", &[Rule::WrongPlace], |case| revoke(case, "other".into())),
    ("a start is revoked in a pod that is about to go", &[Rule::WrongPlace], |case| {
        case.seen.pod_mut(2).terminating = true;
        revoke_here(case);
    }),
    ("a start is revoked in a container that does not run", &[Rule::WrongPlace], |case| {
        case.seen.pod_mut(2).container.as_mut().unwrap().state = ContainerState::Waiting("Error".into());
        revoke_here(case);
    }),
    ("a pod is deleted twice", &[Rule::WrongPlace], |case| {
        case.seen.pod_mut(2).finished = true;
        case.seen.pod_mut(2).terminating = true;
        let (replica, if_pod) = (name(2), case.seen.pod_mut(2).uid.clone());
        case.plan.steps.push(Step::Recycle { replica, if_pod, grace_seconds: None, cause: Cause::Finished });
    }),
];

fn revoke(case: &mut Case, if_pod: PodUid) {
    case.plan.steps.push(Step::Revoke { replica: name(2), attempt: "late".into(), if_pod });
}

fn revoke_here(case: &mut Case) {
    let if_pod = case.seen.pod_mut(2).uid.clone();
    revoke(case, if_pod);
}

#[test]
fn a_step_lands_where_it_was_meant() {
    let mut world = running(false);
    world.restart(2);
    each_is_caught(&Case::that_sends(world, Command::Join), JOIN);
    let case = Case::settled(running(false));
    let mut revoked = case.clone();
    revoke_here(&mut revoked);
    assert_eq!(revoked.breaches(), [].into());
    each_is_caught(&case, STEPS);
}
