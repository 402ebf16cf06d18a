//! What people are told: a pure function of what was seen, what was planned, and what was said before.

mod conditions;
mod decisions;
mod holds;
mod members;
mod phase;
mod starting;
pub mod words;

pub use decisions::is_decided;
pub use members::Standing;

use std::collections::BTreeMap;

use k8s_openapi::jiff::Timestamp;
use planner::names::ReplicaName;
use planner::{Observation, Plan, Readiness};

use crate::api::{Installation, Memory, PolicyStatus, Reason, SetStatus};
use crate::children::selector;
use crate::policy::record::Record;
use crate::policy::{Heard, Judge};
use crate::promise;
use crate::target::Target;

/// Everything that a status is made of.
#[derive(Clone, Copy)]
pub struct Told<'a> {
    /// What is wanted.
    pub target: &'a Target,
    /// What was seen.
    pub observation: &'a Observation,
    /// What was planned on it.
    pub plan: &'a Plan,
    /// What was said before.
    pub previous: &'a SetStatus,
    /// What it remembers, which the plan was made on.
    pub remembered: &'a planner::Memory,
    /// Who decides.
    pub policy: &'a Judge,
    /// The candidate beside it, if there is to be one.
    pub candidate: Option<&'a Heard>,
    /// What would become of a lights-out now; none where nobody wants to know.
    pub readiness: Option<&'a Readiness>,
    /// When another takes the place of each that is away, where that comes by itself.
    pub successions: &'a BTreeMap<ReplicaName, Timestamp>,
    /// What was decided in this look.
    pub records: &'a [Record],
    /// Who says it.
    pub installation: &'a Installation,
    /// What went wrong beside the plan: the audit's finding, or a child that could not be written.
    pub trouble: Option<&'a Trouble>,
    /// When. Written only beside what has changed.
    pub now: Timestamp,
}

/// What the shell itself could not do; a person should look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// One word of the closed set.
    pub reason: Reason,
    /// The same for people.
    pub message: String,
}

/// The status that should stand in the resource.
#[must_use]
pub fn report(told: &Told<'_>) -> SetStatus {
    let standing = Standing::of(told);
    let (phase, reason) = phase::phase(told, &standing);
    let memory = &told.plan.memory;
    SetStatus {
        observed_generation: Some(told.target.generation),
        phase: Some(phase),
        reason: Some(reason.to_owned()),
        control_paused: told.target.paused,
        conditions: conditions::conditions(told, &standing),
        ready: Some(format!("{}/{}", standing.serving(), told.target.replicas)),
        replicas: count(told.observation.replicas.values().filter(|replica| replica.pod.is_some()).count()),
        primaries: count(standing.primaries().count()),
        restore_replicas: memory.restore_replicas.and_then(|size| i32::try_from(size).ok()),
        service_name: told.target.client_service.as_ref().map(|service| service.name.clone()),
        client_port: told.target.ports.first().map(|port| port.port),
        members: standing.members(),
        current_version: memory.good.as_ref().map(ToString::to_string),
        target_version: target_version(told.observation),
        selector: Some(selector(told.target)),
        epoch: i64::try_from(memory.epoch.number).ok(),
        policy: policy(told),
        installation: Some(told.installation.clone()),
        replica_states: members::replica_states(told, &standing),
        holds: holds::holds(told),
        decisions: decisions::decisions(told),
        memory: self::memory(told),
    }
}

/// The memory that should stand in the resource. One that cannot be told is never replaced by an empty one.
#[must_use]
pub fn memory(told: &Told<'_>) -> Option<Memory> {
    let known = told.previous.memory.clone();
    if known.is_some() && told.plan.memory == *told.remembered {
        return known;
    }
    promise::told(&told.plan.memory).map(|memory| Memory(memory.into())).ok().or(known)
}

/// What would hold a lights-out now, in the words of the condition RecoveryReady: its reason and its message.
#[must_use]
pub fn would_hold(told: &Told<'_>) -> Option<(&'static str, String)> {
    let readiness = told.readiness.filter(|readiness| matches!(readiness, Readiness::NotReady(_)))?;
    let (_, reason, message) = conditions::recovery_ready(readiness, told);
    Some((reason, message))
}

/// Whether nothing is left to do but what only a person can: then the set is looked at once in an interval.
#[must_use]
pub fn is_settled(observation: &Observation, plan: &Plan) -> bool {
    let is_running = |attempt: &planner::observation::Attempt| {
        matches!(attempt.state, planner::observation::AttemptState::Running)
    };
    let waits_for_a_person =
        |hold: &planner::Hold| hold.reason.needs_person() || hold.reason == planner::plan::Reason::Paused;
    plan.steps.is_empty()
        && !observation.attempts.values().any(is_running)
        && plan.holds.iter().all(waits_for_a_person)
}

/// The policy, with the candidate beside it.
fn policy(told: &Told<'_>) -> Option<PolicyStatus> {
    let candidate = told.candidate.and_then(|heard| heard.status.clone()).map(Box::new);
    told.policy.active.clone().map(|policy| PolicyStatus { candidate, ..policy })
}

fn target_version(observation: &Observation) -> Option<String> {
    let revision = &observation.workload.as_ref()?.revision;
    (!revision.0.is_empty()).then(|| revision.to_string())
}

fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests;
