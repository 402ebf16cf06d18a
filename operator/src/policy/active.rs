//! A component that decides for a set.

use std::sync::Arc;

use planner::decision::{Candidate, Decisions, Judgement, SequenceOutput, Treatment, Verdict};
use planner::names::ReplicaName;
use tokio::task::block_in_place;

use largest_integer::LargestInteger;
use native_policy::Native;

use super::conform::Conformed;
use super::keep::Held;
use super::question::Question;
use super::record::Record;
use super::{Component, Digest, Policy, Settings, limits};
use crate::api::{self, PolicyStatus, PolicyTrial, VerifiedBy};
use crate::target::Source;

/// What decides where a component exports no interface for it.
static DEFAULT: Native<LargestInteger> = Native(LargestInteger { monotonic: false });

/// A component that decides for a set, with what people are told of it.
pub struct Active {
    component: Arc<Component>,
    policy: Policy<'static>,
    status: PolicyStatus,
    /// What is kept of it in the cluster, as long as this is there.
    held: Option<Arc<Held>>,
}

/// Where a component came from.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The image that was named, or the ConfigMap.
    pub(super) status: PolicyStatus,
}

impl Origin {
    /// Of what is named; `image_digest` is that of the image, if it is one, and `verified_by` has whose signatures it has.
    pub(super) fn of(source: &Source, image_digest: Option<Digest>, verified_by: Vec<VerifiedBy>) -> Self {
        let empty = PolicyStatus::default();
        let status = match source {
            Source::Image { image, .. } => {
                PolicyStatus { image: Some(image.to_string()), image_digest, verified_by, ..empty }
            }
            Source::ConfigMap(found) => PolicyStatus { config_map: Some(found.clone()), ..empty },
        };
        Self { status }
    }
}

impl Active {
    /// A component that was found to behave with these settings.
    pub(super) fn new(
        component: Arc<Component>,
        settings: Settings,
        origin: Origin,
        conformed: Option<PolicyTrial>,
        held: Option<Arc<Held>>,
    ) -> Self {
        let described = component.description();
        let status = PolicyStatus {
            digest: Some(*component.digest()),
            size: i64::try_from(component.size()).ok(),
            exports: component.exports().iter().map(|interface| interface.versioned()).collect(),
            name: described.map(|described| described.name.clone()),
            version: described.map(|described| described.version.clone()),
            settings: Some(settings.map()).filter(|map| !map.is_empty()).map(api::Settings),
            conformed,
            kept: held.is_some(),
            ..origin.status
        };
        let policy = Policy::new(Arc::clone(&component), Arc::new(settings), &DEFAULT);
        Self { component, policy, status, held }
    }

    /// What people are told of it.
    #[must_use]
    pub fn status(&self) -> &PolicyStatus {
        &self.status
    }

    /// The same at this moment: what is kept of it may have been removed.
    pub(super) fn told(&self) -> PolicyStatus {
        let kept = self.held.as_ref().is_some_and(|held| held.is_there());
        PolicyStatus { kept, ..self.status.clone() }
    }

    /// The component.
    pub(super) fn component(&self) -> &Arc<Component> {
        &self.component
    }

    /// The settings that it is asked with.
    pub(super) fn settings(&self) -> &Settings {
        self.policy.settings()
    }

    /// What is kept of it.
    pub(super) fn held(&self) -> Option<Arc<Held>> {
        self.held.clone()
    }

    /// The same, kept in the cluster by now.
    pub(super) fn kept(&self, held: Arc<Held>) -> Self {
        let status = PolicyStatus { kept: true, ..self.status.clone() };
        let (component, policy) = (Arc::clone(&self.component), self.policy.again());
        Self { component, policy, status, held: Some(held) }
    }

    /// What it makes of a question that was recorded. It may take as long as two calls: it belongs onto a thread that
    /// may block.
    pub(super) fn put(&self, question: &Question) -> Option<Record> {
        self.policy.put(question)
    }

    /// What it decided since this was last called.
    pub fn take_records(&self) -> Vec<Record> {
        self.policy.take_records()
    }
}

impl From<Conformed> for PolicyTrial {
    fn from(Conformed { questions, fuel }: Conformed) -> Self {
        let number = |fuel: u64| i64::try_from(fuel).unwrap_or(i64::MAX);
        Self { questions: questions.into(), fuel: number(fuel), fuel_limit: number(limits::FUEL) }
    }
}

/// A call takes microseconds, and one that misbehaves seconds: the others' tasks move to another thread meanwhile.
impl Decisions for Active {
    fn sequence(&self, output: &SequenceOutput<'_>) -> Judgement {
        block_in_place(|| self.policy.sequence(output))
    }

    fn seed(&self, candidates: &[Candidate]) -> Verdict<ReplicaName> {
        block_in_place(|| self.policy.seed(candidates))
    }

    fn primaries(&self, members: &[Candidate]) -> Verdict<Vec<ReplicaName>> {
        block_in_place(|| self.policy.primaries(members))
    }

    fn replicas(&self, member: &Candidate, primaries: &[ReplicaName]) -> Verdict<Treatment> {
        block_in_place(|| self.policy.replicas(member, primaries))
    }
}
