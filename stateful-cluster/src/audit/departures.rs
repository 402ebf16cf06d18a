//! Pods that a plan deletes or sets aside.

use super::{Breach, Evidence, Rule};
use crate::names::{Identity, PodUid};
use crate::observation::{Life, Node, Pod};
use crate::plan::{Cause, Step};
use crate::timer::Timer;

/// Each is as the plan says, in the look itself.
pub(super) fn have_a_cause(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let fits = |identity, uid, sound: &dyn Fn(&Pod) -> bool| {
        pod(evidence, identity, uid).is_some_and(|pod| !pod.leaving && sound(pod))
    };
    for step in &evidence.plan.steps {
        let sound = match step {
            Step::DeletePod { identity, if_pod, cause } => {
                fits(identity, if_pod, &|pod| is_true(evidence, identity, pod, *cause))
            }
            Step::SetAside { identity, if_pod } => {
                let is_lost = |pod: &Pod| {
                    let is_true = |cause| is_true(evidence, identity, pod, cause);
                    is_true(Cause::Stranded) || (is_silent(pod) && (pod.leaving || is_true(Cause::Released)))
                };
                pod(evidence, identity, if_pod).is_some_and(is_lost)
            }
            Step::Update { identity, if_pod, to } => {
                fits(identity, if_pod, &|pod| pod.revision.lasting == to.lasting)
            }
            Step::CreatePod { .. } | Step::CreateClaim { .. } | Step::DeleteClaim { .. } => true,
        };
        if !sound {
            found.push(Breach::of(Rule::Cause, step.identity()));
        }
    }
}

fn pod<'a>(evidence: &Evidence<'a>, identity: &Identity, uid: &PodUid) -> Option<&'a Pod> {
    evidence.seen.pods.get(identity).filter(|pod| pod.uid == *uid)
}

fn is_true(evidence: &Evidence<'_>, identity: &Identity, pod: &Pod, cause: Cause) -> bool {
    let ripe = |timer: fn(PodUid) -> Timer| evidence.seen.is_ripe(&timer(pod.uid.clone()));
    match cause {
        // Asked of all of them together.
        Cause::Size => true,
        // Who comes back would else be made and deleted again for as long as its node refuses it.
        Cause::Ended => pod.life == Life::Ended && (!evidence.is_kept(identity) || ripe(Timer::Ended)),
        Cause::Unhealthy => {
            let is_ill = !is_silent(pod) && pod.life != Life::Available;
            is_ill && ripe(Timer::Unhealthy) && !waits_for_a_claim(evidence, identity, pod)
        }
        Cause::Stranded => is_silent(pod) && ripe(Timer::Unheard),
        // Of whom it is said is asked with what else an owner has a say in.
        Cause::Released => evidence.seen.target.released.is_some(),
    }
}

/// Another pod's claim would be refused, too: nothing is won by throwing this one away.
fn waits_for_a_claim(evidence: &Evidence<'_>, identity: &Identity, pod: &Pod) -> bool {
    pod.life == Life::Starting && evidence.seen.refused.iter().any(|(of, _)| of == identity)
}

fn is_silent(pod: &Pod) -> bool {
    matches!(pod.node, Node::Silent | Node::Gone)
}

/// Where somebody goes as surplus, whoever stays is as many as are asked for, for whatever reason others go.
pub(super) fn leave_enough(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let surplus = |step: &Step| matches!(step, Step::DeletePod { cause: Cause::Size, .. });
    if !evidence.plan.steps.iter().any(surplus) {
        return;
    }
    let goes = |step: &&Step| matches!(step, Step::DeletePod { .. });
    let removed = evidence.plan.steps.iter().filter(goes).count();
    let standing = evidence.seen.pods.values().filter(|pod| !pod.leaving).count();
    let wanted = usize::try_from(evidence.seen.target.replicas).unwrap_or(usize::MAX);
    if standing.saturating_sub(removed) < wanted {
        found.push(Breach { rule: Rule::Enough, identity: None });
    }
}

/// How many are given up because nothing is heard of their nodes, by whatever step of it.
fn given_up(evidence: &Evidence<'_>) -> usize {
    let is_for_silence = |step: &&Step| match step {
        Step::DeletePod { cause, .. } => *cause == Cause::Stranded,
        // Who was told to end is given up already.
        Step::SetAside { identity, if_pod } => {
            let ends = pod(evidence, identity, if_pod).is_some_and(|pod| pod.leaving);
            evidence.seen.target.released.is_none() && !ends
        }
        _ => false,
    };
    evidence.plan.steps.iter().filter(is_for_silence).count()
}

/// Where nothing is heard of any node, what is seen of pods says more about who looks than about them.
pub(super) fn are_not_of_the_dark(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let is_unhealthy = |step: &Step| matches!(step, Step::DeletePod { cause: Cause::Unhealthy, .. });
    let unhealthy = evidence.plan.steps.iter().any(is_unhealthy);
    if !evidence.seen.any_heard && (unhealthy || given_up(evidence) > 0) {
        found.push(Breach { rule: Rule::Dark, identity: None });
    }
}

/// Who is thrown away has to be replaced: those that go, those that are missing and those that were replaced are
/// counted together. The unhealthy go one at a time, and so do those of silent nodes.
pub(super) fn keep_to_the_budget(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let caused = |wanted: &dyn Fn(&Identity, Cause) -> bool| {
        let is = |step: &&Step| matches!(step, Step::DeletePod { identity, cause, .. } if wanted(identity, *cause));
        evidence.plan.steps.iter().filter(is).count()
    };
    // Who comes back needs nobody in its place.
    let thrown_away = caused(&|identity, cause| {
        cause != Cause::Size && !(cause == Cause::Ended && evidence.is_kept(identity))
    });
    let number = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let seen = evidence.seen;
    let missing = evidence.grown().saturating_sub(evidence.places().len());
    let spent = evidence.spent().count();
    let too_many = thrown_away > 0 && spent + missing + thrown_away > number(seen.target.budget);
    if too_many || caused(&|_, cause| cause == Cause::Unhealthy) > 1 || given_up(evidence) > 1 {
        found.push(Breach { rule: Rule::Budget, identity: None });
    }
}

/// Whoever took the place of another one, and may become available, does so before the next one is thrown away.
pub(super) fn wait_for_who_came(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let seen = evidence.seen;
    let is_over = |pod: &Pod| {
        pod.leaving
            || is_silent(pod)
            || pod.life == Life::Ended
            || seen.is_ripe(&Timer::Unhealthy(pod.uid.clone()))
    };
    let comes = |identity: &Identity| {
        seen.pods.get(identity).is_some_and(|pod| pod.life != Life::Available && !is_over(pod))
    };
    let is_turn = !evidence.spent().any(comes);
    let missing = evidence.grown().saturating_sub(evidence.places().len());
    let unhealthy = |step: &Step| matches!(step, Step::DeletePod { cause: Cause::Unhealthy, .. });
    let unhealthy = evidence.plan.steps.iter().any(unhealthy);
    if (!is_turn && (given_up(evidence) > 0 || unhealthy)) || (unhealthy && missing > 0) {
        found.push(Breach { rule: Rule::Turn, identity: None });
    }
}
