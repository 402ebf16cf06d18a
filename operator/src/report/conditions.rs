//! The conditions: for `kubectl wait`, for GitOps tools, and for people.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use planner::key::Key;
use planner::observation::Command;
use planner::{Hold, Readiness, Step};

use super::holds::message;
use super::phase::{is_scaling, is_upgrading, stalled_by, unfit, waiting_for};
use super::{Standing, Told, words};
use crate::api::condition::{ConditionType, Finding, Truth, clear, set};
use crate::api::{CandidateStatus, Reason, Workload};
use crate::children::ChildKind;
use crate::policy::{Heard, Judge};

/// All conditions, each with the time of its last change.
pub(super) fn conditions(told: &Told<'_>, standing: &Standing) -> Vec<Condition> {
    let mut conditions = told.previous.conditions.clone();
    for kind in ConditionType::ALL {
        match finding(kind, told, standing) {
            Some(finding) => set(&mut conditions, finding, told.target.generation, told.now),
            None => clear(&mut conditions, kind),
        }
    }
    conditions
}

/// None: it means nothing for this resource.
fn finding(kind: ConditionType, told: &Told<'_>, standing: &Standing) -> Option<Finding> {
    let (truth, reason, message) = match kind {
        ConditionType::Ready => ready(told, standing),
        ConditionType::Available => available(told, standing),
        ConditionType::Reconciling => reconciling(told),
        ConditionType::Stalled => stalled(told),
        ConditionType::Recovering => recovering(told, standing),
        ConditionType::RecoveryReady => recovery_ready(told.readiness?, told),
        ConditionType::Scaling => scaling(told),
        ConditionType::Upgrading => upgrading(told),
        ConditionType::Accepted => (Truth::True, Reason::SpecAccepted.as_str(), String::new()),
        ConditionType::PolicyReady => policy_ready(told.policy),
        ConditionType::PolicyStale => policy_stale(told.policy),
        ConditionType::CandidateReady => candidate_ready(told.candidate?),
    };
    Some(Finding { kind, truth, reason, message })
}

type Said = (Truth, &'static str, String);

fn ready(told: &Told<'_>, standing: &Standing) -> Said {
    let wanted = told.target.replicas as usize;
    let (serving, primaries) = (standing.serving(), standing.primaries().count());
    let message = format!("{serving} of {wanted} members serve, {primaries} as primary");
    let scales = is_scaling(told);
    let is_ready = serving == wanted && primaries == told.target.primaries as usize && !scales;
    let reason = match serving {
        _ if scales && serving >= wanted => Reason::Scaling,
        _ if is_ready && wanted == 0 => Reason::StoppedBySpec,
        _ if is_ready => Reason::AllMembersServe,
        0 => Reason::NoMemberServes,
        _ => Reason::SomeMembersServe,
    };
    (is_ready.into(), reason.as_str(), message)
}

fn available(told: &Told<'_>, standing: &Standing) -> Said {
    let reason = match standing.serving() {
        0 if told.target.replicas == 0 => Reason::StoppedBySpec,
        0 => Reason::NoMemberServes,
        serving if serving < told.target.replicas as usize => Reason::SomeMembersServe,
        _ => Reason::AllMembersServe,
    };
    ((standing.serving() > 0).into(), reason.as_str(), String::new())
}

/// At work, or waiting for what comes by itself.
fn reconciling(told: &Told<'_>) -> Said {
    if told.target.paused {
        return (Truth::False, Reason::Paused.as_str(), String::new());
    }
    // What is asked of a set that is well changes nothing of it.
    let is_question = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Rehearse);
    if let Some(step) = told.plan.steps.iter().find(|step| !is_question(step)) {
        return (Truth::True, words::step_name(step), words::steps(&told.plan.steps));
    }
    match waiting_for(told) {
        Some(hold) => (Truth::True, hold.reason.name(), message(told, hold)),
        None => (Truth::False, Reason::Settled.as_str(), String::new()),
    }
}

/// Only a person can help. What may be allowed stands with it, word for word.
fn stalled(told: &Told<'_>) -> Said {
    let Some(reason) = stalled_by(told) else {
        return (Truth::False, Reason::Settled.as_str(), String::new());
    };
    let trouble = told.trouble.map(|trouble| trouble.message.clone());
    let unfit = unfit(told).map(|obstacle| obstacle.message.clone());
    let holds =
        told.plan.holds.iter().filter(|hold| hold.reason.needs_person()).map(|hold| with_keys(told, hold));
    (Truth::True, reason, trouble.into_iter().chain(unfit).chain(holds).collect::<Vec<_>>().join("; "))
}

fn with_keys(told: &Told<'_>, hold: &Hold) -> String {
    let keys: Vec<String> = hold.keys.iter().map(Key::text).collect();
    match keys.as_slice() {
        [] => message(told, hold),
        keys => format!("{} (to allow it: {})", message(told, hold), keys.join(", ")),
    }
}

fn recovering(told: &Told<'_>, standing: &Standing) -> Said {
    let short = standing.serving() < told.target.replicas as usize;
    let began = told.plan.memory.epoch.number > 0;
    let recovers = began && short && !is_scaling(told) && !told.target.paused;
    let reason = if recovers { Reason::Recovering } else { Reason::Settled };
    (recovers.into(), reason.as_str(), String::new())
}

/// Said of the positions that were read last, by the rules themselves.
pub(super) fn recovery_ready(readiness: &Readiness, told: &Told<'_>) -> Said {
    match readiness {
        Readiness::Ready(first, why) => {
            let message = format!("{first} would be started first, and the others join it: {why}");
            (Truth::True, Reason::WouldRecover.as_str(), message)
        }
        // In the words of a hold, of which there is none yet.
        Readiness::NotReady(hold) => {
            let message =
                format!("if all members stopped now, this would hold them: {}", message(told, hold));
            (Truth::False, hold.reason.name(), message)
        }
        Readiness::Unknown(doubt) => (Truth::Unknown, doubt.name(), doubt.to_string()),
    }
}

fn scaling(told: &Told<'_>) -> Said {
    let scales = is_scaling(told);
    let reason = if scales { Reason::Scaling } else { Reason::Settled };
    let current = told.observation.workload.as_ref().map_or(0, |workload| workload.replicas);
    let kind = match told.target.workload {
        Workload::StatefulSet => ChildKind::StatefulSet,
        Workload::StatefulCluster => ChildKind::StatefulCluster,
    };
    let message = format!("the {kind} has {current} replicas, {} are wanted", told.target.replicas);
    (scales.into(), reason.as_str(), if scales { message } else { String::new() })
}

fn upgrading(told: &Told<'_>) -> Said {
    let upgrades = is_upgrading(told);
    let reason = if upgrades { Reason::RollingOut } else { Reason::Settled };
    (upgrades.into(), reason.as_str(), String::new())
}

fn policy_ready(policy: &Judge) -> Said {
    match &policy.obstacle {
        Some(obstacle) if !policy.decides() => {
            (Truth::False, obstacle.reason.as_str(), obstacle.message.clone())
        }
        _ => match &policy.unkept {
            Some(unkept) => (Truth::True, unkept.reason.as_str(), words::unkept(policy, unkept)),
            None => (Truth::True, Reason::PolicyActive.as_str(), words::policy(policy.active.as_ref())),
        },
    }
}

/// A tag that cannot be resolved anew may stand for what decides or for another.
fn policy_stale(policy: &Judge) -> Said {
    match &policy.obstacle {
        Some(obstacle) if policy.decides() => {
            let truth = if policy.is_named { Truth::Unknown } else { Truth::True };
            (truth, obstacle.reason.as_str(), obstacle.message.clone())
        }
        Some(obstacle) => (Truth::False, obstacle.reason.as_str(), String::new()),
        None => (Truth::False, Reason::PolicyActive.as_str(), String::new()),
    }
}

/// A tag that cannot be resolved anew may stand for what is asked or for another.
fn candidate_ready(candidate: &Heard) -> Said {
    let asked = candidate.status.as_ref().map(CandidateStatus::policy);
    match &candidate.obstacle {
        Some(obstacle) => {
            let truth = if candidate.is_asked { Truth::Unknown } else { Truth::False };
            (truth, obstacle.reason.as_str(), obstacle.message.clone())
        }
        None => (Truth::True, Reason::CandidateAsked.as_str(), words::policy(asked.as_ref())),
    }
}
