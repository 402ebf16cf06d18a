//! The set in one word, and why.

use planner::Hold;
use planner::names::ReplicaName;

use super::{Standing, Told};
use crate::api::{Phase, Reason, Workload};
use crate::policy::Obstacle;

/// The phase, and the reason as one word of the closed sets.
pub(super) fn phase(told: &Told<'_>, standing: &Standing) -> (Phase, &'static str) {
    if told.target.paused {
        return (Phase::Paused, Reason::Paused.as_str());
    }
    let serves = standing.serving() > 0;
    let began = told.plan.memory.epoch.number > 0;
    let stalled = stalled_by(told);
    match stalled {
        Some(reason) if !serves && told.target.replicas > 0 => (Phase::Failed, reason),
        _ if !serves && !began && told.target.replicas > 0 => {
            let cause = stalled.or(waiting_for(told).map(|hold| hold.reason.name()));
            (Phase::Creating, cause.unwrap_or(Reason::Creating.as_str()))
        }
        _ => (Phase::Running, stalled.unwrap_or_else(|| running(told, standing).as_str())),
    }
}

/// The one word for what only a person can help with, if there is something.
pub(super) fn stalled_by(told: &Told<'_>) -> Option<&'static str> {
    let hold = told.plan.holds.iter().find(|hold| hold.reason.needs_person());
    let trouble = told.trouble.map(|trouble| trouble.reason).or(unfit(told).map(|obstacle| obstacle.reason));
    trouble.map(|reason| reason.as_str()).or(hold.map(|hold| hold.reason.name()))
}

/// Why nobody decides, where that does not end by itself: the policy that is named is to be mended, or another named.
pub(super) fn unfit<'t>(told: &Told<'t>) -> Option<&'t Obstacle> {
    let obstacle = told.policy.obstacle.as_ref().filter(|_| !told.policy.decides())?;
    let is_lasting = matches!(
        obstacle.reason,
        Reason::PolicyRefused | Reason::SettingsRefused | Reason::DoesNotConform | Reason::SignatureRefused
    );
    is_lasting.then_some(obstacle)
}

fn running(told: &Told<'_>, standing: &Standing) -> Reason {
    let (serving, wanted) = (standing.serving(), told.target.replicas as usize);
    match serving {
        _ if is_scaling(told) => Reason::Scaling,
        0 if wanted == 0 => Reason::StoppedBySpec,
        _ if told.plan.memory.outage.is_some() => Reason::Recovering,
        _ if is_upgrading(told) => Reason::RollingOut,
        0 => Reason::NoMemberServes,
        _ if serving < wanted => Reason::SomeMembersServe,
        _ => Reason::AllMembersServe,
    }
}

/// The number of pods is not what is wanted.
pub(super) fn is_scaling(told: &Told<'_>) -> bool {
    let wanted = told.target.replicas;
    let set_to = told.observation.workload.as_ref().map_or(0, |workload| workload.replicas);
    let pods = || told.observation.replicas.values().filter(|replica| replica.pod.is_some());
    // A pod on a lost machine ends when that is back: nobody who was given up is waited for.
    let is_released = |name: &ReplicaName| {
        told.observation.workload.as_ref().is_some_and(|workload| workload.released.contains(name))
    };
    let mut standing = told
        .observation
        .replicas
        .iter()
        .filter(|(name, replica)| replica.pod.is_some() && !is_released(name));
    let is_scaling = match told.target.workload {
        Workload::StatefulSet => set_to != wanted || pods().any(|replica| replica.ordinal >= wanted),
        // At 0 the pods stay.
        Workload::StatefulCluster if wanted == 0 => false,
        Workload::StatefulCluster => set_to != wanted || standing.nth(wanted as usize).is_some(),
    };
    told.observation.workload.is_some() && is_scaling
}

/// A pod is of another template than the one that is wanted.
pub(super) fn is_upgrading(told: &Told<'_>) -> bool {
    let Some(workload) = told.observation.workload.as_ref().filter(|w| !w.revision.0.is_empty()) else {
        return false;
    };
    let pods = told.observation.replicas.values().filter_map(|replica| replica.pod.as_ref());
    pods.into_iter().any(|pod| pod.revision != workload.revision)
}

/// The first hold that ends by itself.
pub(super) fn waiting_for<'a>(told: &Told<'a>) -> Option<&'a Hold> {
    told.plan.holds.iter().find(|hold| !hold.reason.needs_person())
}
