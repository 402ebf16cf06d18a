//! The only module that changes pods and claims: each step is one effect, taken only if what the plan was made on is
//! still so. What a step finds changed is not an error; the next look sees it.

use futures::future::join_all;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube::ResourceExt;
use kube::api::{Api, Patch, PatchParams};
use serde_json::Value;
use stateful_cluster::names::{ClaimTemplate, Identity, PodUid};
use stateful_cluster::target::Revision;
use stateful_cluster::{Plan, Step};
use std::sync::Mutex;

use super::answers::{Answers, is_refused};
use super::names::{self, revision_label, revision_of};
use super::objects::Objects;
use super::session::Shared;
use super::words::step_name;
use super::{Wanted, change, images, revisions, template};
use crate::children::FIELD_MANAGER;
use crate::telemetry::Kind;
use crate::writes::{only, post, unless_stale};

/// Why a step could not be taken. Whether it had an effect all the same is not known; the next look tells.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// A pod was not made.
    #[error("failed to make pod {0}")]
    CreatePod(Identity, #[source] kube::Error),
    /// A claim was not made.
    #[error("failed to make claim {0}")]
    CreateClaim(String, #[source] kube::Error),
    /// A pod was not changed.
    #[error("failed to change pod {0}")]
    Change(Identity, #[source] kube::Error),
    /// A pod was not deleted.
    #[error("failed to delete pod {0}")]
    DeletePod(Identity, #[source] kube::Error),
    /// A claim was not deleted.
    #[error("failed to delete claim {0}")]
    DeleteClaim(String, #[source] kube::Error),
    /// The template is not kept any more.
    #[error("failed to find the ControllerRevision {0}")]
    NoTemplate(String),
}

/// What the steps of one look need.
pub(super) struct Enactment<'a> {
    pub(super) shared: &'a Shared,
    pub(super) wanted: &'a Wanted,
    pub(super) objects: &'a Objects,
    pub(super) answers: Mutex<&'a mut Answers>,
}

fn changed(identity: &Identity, answer: kube::Result<()>) -> Result<bool, Error> {
    unless_stale(answer).map_err(|error| Error::Change(identity.clone(), error))
}

// === impl Enactment ===

impl Enactment<'_> {
    /// Takes all steps of a plan. Gives those that were done, and the first failure, after all have been tried.
    pub(super) async fn enact<'p>(&self, plan: &'p Plan) -> (Vec<&'p Step>, Result<(), Error>) {
        let taken = join_all(plan.steps.iter().map(|step| self.step(step))).await;
        let done = plan.steps.iter().zip(&taken).filter(|(_, answer)| matches!(answer, Ok(true)));
        let done = done.map(|(step, _)| step).collect();
        (done, taken.into_iter().find_map(Result::err).map_or(Ok(()), Err))
    }

    /// False: it was not done, because what it was decided on is not so any more.
    async fn step(&self, step: &Step) -> Result<bool, Error> {
        let leads = self.shared.context.leads();
        if leads {
            tracing::info!(?step, "step");
            self.shared.context.metrics.stepped(Kind::StatefulCluster, step_name(step));
        }
        match step {
            Step::CreatePod { identity, revision, .. } => self.create_pod(identity, revision, leads).await,
            _ if !leads => Ok(false),
            Step::CreateClaim { identity, template, if_pod } => {
                self.create_claim(identity, template, if_pod).await
            }
            Step::Update { identity, if_pod, to } => self.update(identity, if_pod, to).await,
            Step::SetAside { identity, if_pod } => self.set_aside(identity, if_pod).await,
            Step::DeletePod { identity, if_pod, .. } => {
                let answer = self.pods().delete(&identity.0, &only(Some(if_pod.0.clone()))).await.map(drop);
                unless_stale(answer).map_err(|error| Error::DeletePod(identity.clone(), error))
            }
            Step::DeleteClaim { identity, template, if_claim } => {
                let name = names::claim(identity, template);
                let answer = self.claims().delete(&name, &only(Some(if_claim.0.clone()))).await.map(drop);
                unless_stale(answer).map_err(|error| Error::DeleteClaim(name, error))
            }
        }
    }

    /// Sent once, and never again: what comes of it is kept, if it is heard.
    async fn create_pod(&self, identity: &Identity, revision: &Revision, leads: bool) -> Result<bool, Error> {
        let found = self.template(revision);
        let (Ok(template), true) = (&found, leads) else {
            self.tell(|answers| answers.births.refused(identity));
            return found.map(|_| false);
        };
        let pod = template::pod(self.wanted, template, identity);
        let answer = self.pods().create(&post(), &pod).await;
        self.tell(|answers| answers.rejections.heard(revision, &answer));
        match answer {
            Ok(_) => self.tell(|answers| answers.births.granted(identity)),
            Err(error) => {
                if is_refused(&error) {
                    self.tell(|answers| answers.births.refused(identity));
                }
                return Err(Error::CreatePod(identity.clone(), error));
            }
        }
        Ok(true)
    }

    async fn create_claim(
        &self,
        identity: &Identity,
        template: &ClaimTemplate,
        if_pod: &PodUid,
    ) -> Result<bool, Error> {
        let Some(claim) = template::claim(self.wanted, identity, template, if_pod) else { return Ok(false) };
        let answer = unless_stale(self.claims().create(&post(), &claim).await.map(drop));
        self.tell(|answers| answers.refusals.heard(identity, template, &answer));
        let name = names::claim(identity, template);
        answer.map_err(|error| Error::CreateClaim(name, error))
    }

    async fn update(&self, identity: &Identity, if_pod: &PodUid, to: &Revision) -> Result<bool, Error> {
        let template = self.template(to)?;
        let former = self.of_pod(identity);
        let pod = self.objects.pods.get(identity);
        let ending = pod.map(|pod| images::ending(pod, &template)).unwrap_or_default();
        let mut change = change::change(self.wanted, identity, if_pod, former.as_ref(), &template, &ending);
        // Which containers end is true at this version alone.
        change["metadata"]["resourceVersion"] = pod.and_then(|pod| pod.resource_version()).into();
        let answer = self.patch(identity, change).await;
        self.tell(|answers| answers.rejections.heard(to, &answer));
        changed(identity, answer)
    }

    async fn set_aside(&self, identity: &Identity, if_pod: &PodUid) -> Result<bool, Error> {
        let former = self.of_pod(identity);
        let templates: Vec<_> = former.iter().chain([&self.wanted.template]).collect();
        changed(identity, self.patch(identity, change::set_aside(self.wanted, if_pod, &templates)).await)
    }

    async fn patch(&self, identity: &Identity, change: Value) -> kube::Result<()> {
        let patch = Patch::Strategic(change);
        let params = PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() };
        self.pods().patch(&identity.0, &params, &patch).await.map(drop)
    }

    /// The template that a pod has, if it is still kept.
    fn of_pod(&self, identity: &Identity) -> Option<k8s_openapi::api::core::v1::PodTemplateSpec> {
        let label = self.objects.pods.get(identity)?.metadata.labels.as_ref()?.get(names::REVISION)?;
        revisions::template(self.wanted, self.objects, &revision_of(label))
    }

    fn template(&self, revision: &Revision) -> Result<k8s_openapi::api::core::v1::PodTemplateSpec, Error> {
        revisions::template(self.wanted, self.objects, revision)
            .ok_or_else(|| Error::NoTemplate(revision_label(revision)))
    }

    fn tell(&self, what: impl FnOnce(&mut Answers)) {
        what(&mut self.answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }

    fn pods(&self) -> Api<Pod> {
        Api::namespaced(self.shared.context.clients.writes.clone(), &self.wanted.namespace)
    }

    fn claims(&self) -> Api<PersistentVolumeClaim> {
        Api::namespaced(self.shared.context.clients.writes.clone(), &self.wanted.namespace)
    }
}
