//! What goes together in one plan, and where each step lands.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, Member};
use crate::names::PodUid;
use crate::observation::{Command, ContainerState, Pod};
use crate::plan::{Cause, Run, Step};

/// Section 2, Plan: at most one step per replica; Seed, Promote, Resize, Recycle (and Recreate) go
/// alone. A smaller size and the pods that it takes away are one thing (4.8: a grace of one second).
pub(super) fn one_step_each(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let steps = &evidence.plan.steps;
    let alone = |step: &Step| match step {
        Step::Run(run) => matches!(run.command, Command::Seed | Command::Promote),
        Step::Recycle { .. } | Step::Resize { .. } | Step::Recreate => true,
        Step::Revoke { .. } | Step::Label { .. } => false,
    };
    for (at, step) in steps.iter().enumerate() {
        if steps.len() > 1 && alone(step) && !is_of_one_resize(evidence) {
            found.push(about(step, Rule::Alone, "goes alone"));
        }
        if step.replica().is_some()
            && steps.iter().skip(at + 1).any(|other| other.replica() == step.replica())
        {
            found.push(about(step, Rule::Alone, "has two steps"));
        }
    }
}

/// One Resize, and beside it nothing but the deletion of pods that it takes away.
fn is_of_one_resize(evidence: &Evidence<'_>) -> bool {
    let mut sizes = evidence.plan.steps.iter().filter_map(|step| match step {
        Step::Resize { to, .. } => Some(*to),
        _ => None,
    });
    let Some(to) = sizes.next().filter(|_| sizes.next().is_none()) else { return false };
    let leaves = |name| evidence.member(name).is_some_and(|member| member.replica.ordinal >= to);
    evidence.plan.steps.iter().all(|step| match step {
        Step::Resize { .. } => true,
        Step::Recycle { replica, cause: Cause::Size, .. } => leaves(replica),
        _ => false,
    })
}

/// 4.1: a command begins only where it was meant: in the pod and container of this look, which is
/// guarded, runs and is not about to go. A label or a deletion is meant for one pod too.
pub(super) fn where_it_was_meant(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for step in &evidence.plan.steps {
        let Some(name) = step.replica() else { continue };
        let member = evidence.member(name);
        let wrong = match (step, member.and_then(|member| member.pod())) {
            (_, None) => Some("has no pod"),
            (Step::Run(run), Some(pod)) => not_here(run, pod),
            (Step::Revoke { if_pod, .. }, Some(pod)) => no_command_in(pod, if_pod),
            (Step::Recycle { if_pod, .. }, Some(pod)) if pod.terminating && &pod.uid == if_pod => {
                Some("is being deleted already")
            }
            (Step::Recycle { if_pod, .. } | Step::Label { if_pod, .. }, Some(pod)) => {
                (&pod.uid != if_pod).then_some("has another pod")
            }
            (Step::Resize { .. } | Step::Recreate, Some(_)) => None,
        };
        if let Some(wrong) = wrong {
            found.push(about(step, Rule::WrongPlace, wrong));
        }
    }
}

/// 4.1: per container at most one guarded command; a start no longer counts once its member is
/// confirmed or it is past its deadline.
pub(super) fn one_command_each(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for run in evidence.runs() {
        if evidence.is_busy(&run.if_container) {
            found.push(Breach::at(Rule::SecondCommand, &run.replica, format!("{:?}", run.command)));
        }
        let known = evidence.seen.attempts.contains_key(&run.attempt)
            || evidence.seen.fates.contains_key(&run.attempt)
            || evidence.runs().filter(|other| other.attempt == run.attempt).count() > 1;
        if known {
            found.push(Breach::at(
                Rule::SecondCommand,
                &run.replica,
                format!("{} is used again", run.attempt),
            ));
        }
        let primary = |name| evidence.member(name).is_some_and(Member::takes_writes);
        if let Some(peer) = run.peers.iter().find(|peer| *peer == &run.replica || !primary(*peer)) {
            found.push(Breach::at(Rule::WrongPlace, &run.replica, format!("{peer} is no running primary")));
        }
    }
}

fn not_here(run: &Run, pod: &Pod) -> Option<&'static str> {
    let here = pod.container.as_ref().and_then(|container| container.id.as_ref());
    no_command_in(pod, &run.if_pod)
        .or_else(|| (here != Some(&run.if_container)).then_some("has another container"))
}

fn no_command_in(pod: &Pod, meant: &PodUid) -> Option<&'static str> {
    let runs = pod.container.as_ref().is_some_and(|container| container.state == ContainerState::Running);
    match () {
        () if &pod.uid != meant => Some("has another pod"),
        () if pod.terminating || pod.finished => Some("has a pod that ends"),
        () if !runs => Some("has no running container"),
        () if !pod.guarded => Some("has a pod without the guard"),
        () => None,
    }
}

fn about(step: &Step, rule: Rule, what: &str) -> Breach {
    match step.replica() {
        Some(replica) => Breach::at(rule, replica, what),
        None => Breach::of_set(rule, format!("{step:?} {what}")),
    }
}
