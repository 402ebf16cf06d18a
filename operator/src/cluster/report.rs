//! What people are told of a StatefulCluster: pure.

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use stateful_cluster::observation::{self, Life};
use stateful_cluster::target::Revision;
use stateful_cluster::{Observation, Plan};
use std::sync::Arc;

use super::children::Failure;
use super::objects::Objects;
use super::words::{blocker, needs_a_person, pod, word};
use super::{Wanted, pods, revisions};
use crate::api::condition::{ConditionType, Finding, Truth, set};
use crate::api::{ClusterStatus, HoldStatus, Installation, Memory, Reason};
use crate::reconcile::{Why, chain, say};

/// Whom a hold is about that is about no pod.
const CLUSTER: &str = "cluster";

/// What a status is made of.
pub(super) struct Told<'a> {
    pub(super) wanted: &'a Wanted,
    pub(super) seen: &'a Observation,
    pub(super) objects: &'a Objects,
    pub(super) plan: &'a Plan,
    pub(super) previous: &'a ClusterStatus,
    pub(super) installation: &'a Installation,
    pub(super) trouble: Option<(Reason, String)>,
    /// What could not be written of what stands beside the pods.
    pub(super) failed: &'a [Failure],
    /// When another may be replaced, where as many were as may be.
    pub(super) next: Option<Timestamp>,
    pub(super) now: Timestamp,
}

/// The status.
pub(super) fn report(told: &Told<'_>) -> ClusterStatus {
    let (wanted, memory) = (told.wanted, &told.plan.memory);
    let current = memory.proven.as_ref().unwrap_or(&wanted.heart.revision);
    let of = |revision: &Revision| told.count(|pod| pod.revision == *revision);
    let available = told.count(is_well);
    let mut status = ClusterStatus {
        observed_generation: Some(wanted.generation),
        replicas: told.count(|_| true),
        ready_replicas: told.ready(),
        available_replicas: available,
        current_replicas: of(current),
        updated_replicas: of(&wanted.heart.revision),
        current_revision: Some(revisions::name(wanted, told.objects, current)),
        update_revision: Some(revisions::name(wanted, told.objects, &wanted.heart.revision)),
        collision_count: 0,
        ready: Some(format!("{available}/{}", wanted.heart.replicas)),
        reason: None,
        selector: Some(wanted.selector()),
        conditions: told.previous.conditions.clone(),
        holds: told.holds(),
        installation: Some(told.installation.clone()),
        // Without it the next look would know of no promise.
        memory: Some(Memory(serde_json::to_value(memory).expect("a memory is plain JSON").into())),
    };
    let findings = told.findings();
    status.reason = of_column(&findings);
    for finding in findings {
        set(&mut status.conditions, finding, wanted.generation, told.now);
    }
    status
}

/// What a person should look at comes before what is seen.
fn of_column(findings: &[Finding]) -> Option<String> {
    let of = |kind| findings.iter().find(|finding| finding.kind == kind);
    let stalled = of(ConditionType::Stalled).filter(|finding| finding.truth == Truth::True);
    stalled.or_else(|| of(ConditionType::Ready)).map(|finding| finding.reason.to_owned())
}

/// The status before, of a resource that is not looked at.
pub(super) fn refused(before: &ClusterStatus, why: &Why, generation: i64, now: Timestamp) -> ClusterStatus {
    let mut status = before.clone();
    say(&mut status.conditions, why, generation, now);
    status.observed_generation = Some(generation);
    status.ready = None;
    status.reason = Some(why.reason.as_str().to_owned());
    status
}

/// Available, and heard of.
fn is_well(pod: &observation::Pod) -> bool {
    pod.life == Life::Available && !pod.is_unheard()
}

// === impl Told ===

impl Told<'_> {
    fn count(&self, such: impl Fn(&observation::Pod) -> bool) -> i32 {
        let standing = self.seen.pods.values().filter(|pod| !pod.leaving && such(pod));
        i32::try_from(standing.count()).unwrap_or(i32::MAX)
    }

    fn ready(&self) -> i32 {
        let stands = |pod: &&Arc<Pod>| pod.metadata.deletion_timestamp.is_none();
        let ready = self.objects.pods.values().filter(stands).filter(|pod| pods::is_ready(pod));
        i32::try_from(ready.count()).unwrap_or(i32::MAX)
    }

    fn holds(&self) -> Vec<HoldStatus> {
        let planned = self.plan.holds.iter().map(|hold| {
            let scope = pod(hold).map_or_else(|| CLUSTER.to_owned(), |pod| pod.0.clone());
            self.hold(word(hold), self.sentence(hold), scope, blocker(hold, &self.wanted.name))
        });
        let failed = self.failed.iter().map(|failure| {
            let (reason, name) = (Reason::ChildrenFailed.as_str(), failure.name().map(str::to_owned));
            self.hold(reason, chain(failure), CLUSTER.to_owned(), name)
        });
        planned.chain(failed).collect()
    }

    fn hold(&self, reason: &str, message: String, scope: String, blocker: Option<String>) -> HoldStatus {
        let is_same = |known: &&HoldStatus| known.reason == reason && known.blocker == blocker;
        let since = self.previous.holds.iter().find(is_same).and_then(|known| known.since.clone());
        let since = since.or(Some(Time(self.now)));
        HoldStatus {
            scope,
            reason: reason.to_owned(),
            message: Some(message),
            blocker,
            cause: None,
            since,
            keys: Vec::new(),
        }
    }

    fn findings(&self) -> Vec<Finding> {
        let target = &self.wanted.heart;
        let replicas = i32::try_from(target.replicas).unwrap_or(i32::MAX);
        let (standing, available) = (self.count(|_| true), self.count(is_well));
        let scaling = standing != replicas;
        let upgrading = self.count(|pod| pod.revision != target.revision) > 0;
        let ready = available >= replicas && !scaling;
        let holds = &self.plan.holds;
        let stuck = holds.iter().find(|hold| needs_a_person(hold));
        let waits = holds.first().map(word);
        let busy = (!ready || upgrading || !self.plan.steps.is_empty()) && !target.paused;
        let why = || match (&self.trouble, waits) {
            (Some((reason, _)), _) => reason.as_str(),
            (None, _) if !self.failed.is_empty() => Reason::ChildrenFailed.as_str(),
            (None, Some(word)) => word,
            (None, None) if scaling => "Scaling",
            (None, None) if upgrading => "RollingOut",
            (None, None) => "Settled",
        };
        let failed = self.failed.iter().map(|failure| chain(failure));
        let sentences = holds.iter().map(|hold| self.sentence(hold));
        let sentences: Vec<_> = failed.chain(sentences).collect();
        let trouble = self.trouble.as_ref().map(|(_, message)| message.clone());
        let message = trouble.unwrap_or_else(|| sentences.join("; "));
        let finding = |kind, truth: bool, reason, message: &str| Finding {
            kind,
            truth: truth.into(),
            reason,
            message: message.to_owned(),
        };
        let count = format!("{available} of {replicas} are available");
        let stalled = self.trouble.is_some() || stuck.is_some() || !self.failed.is_empty();
        vec![
            finding(ConditionType::Ready, ready, if ready { "AllAvailable" } else { why() }, &count),
            finding(ConditionType::Available, available > 0, "Observed", &count),
            finding(ConditionType::Reconciling, busy && !stalled, why(), &message),
            finding(ConditionType::Stalled, stalled, stuck.map_or_else(why, word), &message),
            finding(
                ConditionType::Scaling,
                scaling,
                "Observed",
                &format!("{standing} stand, {replicas} are wanted"),
            ),
            finding(ConditionType::Upgrading, upgrading, "Observed", ""),
            finding(ConditionType::Accepted, true, Reason::SpecAccepted.as_str(), ""),
        ]
    }
}

mod deleted;
mod sentence;
#[cfg(test)]
mod tests;

pub(super) use deleted::deleted;
