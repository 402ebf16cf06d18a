//! The only module that changes replicas: each step is one effect, taken only if what the plan
//! was made on is still so. What a step finds changed is not an error; the next look sees it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::autoscaling::v1::{Scale, ScaleSpec};
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use planner::names::{PodUid, ReplicaName};
use planner::observation::{Command, Role};
use planner::plan::Run;
use planner::{Plan, Step};
use serde_json::json;

use crate::api::StatefulCluster;
use crate::attempts::{Attempts, Question, Spec};
use crate::children::{self, ACTIVE_MEMBER, ROLE};
use crate::context::Context;
use crate::exec::ContainerRef;
use crate::observe::{self, Objects, application_container, role_name, running};
use crate::report::words;
use crate::target::{self, Storage, Target};
use crate::telemetry::Kind;
use crate::writes::{only, unless_stale};

/// A probe only asks for a lock and runs `true`: it takes as long as any exec.
const PROBE: Duration = Duration::from_secs(30);

/// Why a step could not be taken. Whether it had an effect all the same is not known; the next look tells.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A pod was not deleted.
    #[error("failed to delete pod {0}")]
    Recycle(ReplicaName, #[source] kube::Error),
    /// The StatefulSet was not scaled.
    #[error("failed to scale the StatefulSet")]
    Resize(#[source] kube::Error),
    /// The StatefulCluster was not told its size, and who was given up.
    #[error("failed to scale the StatefulCluster")]
    GiveUp(#[source] kube::Error),
    /// A pod was not labelled.
    #[error("failed to label pod {0}")]
    Label(ReplicaName, #[source] kube::Error),
    /// The StatefulSet was not deleted.
    #[error("failed to delete the StatefulSet and leave its pods")]
    Recreate(#[source] children::Error),
}

/// What the steps of one round need.
pub struct Enactment<'a> {
    /// Clients, leadership.
    pub context: &'a Context,
    /// The commands of this set.
    pub attempts: &'a Attempts,
    /// What the plan was made on, looked up anew.
    pub objects: &'a Objects,
    /// The commands and their timeouts.
    pub target: &'a Target,
}

impl Enactment<'_> {
    /// Takes all steps of a plan: they are of different replicas, so none waits for another. Gives
    /// the first failure after all have been tried.
    pub async fn enact(&self, plan: &Plan) -> Result<(), Error> {
        let taken = join_all(plan.steps.iter().map(|step| self.step(step))).await;
        taken.into_iter().find(Result::is_err).unwrap_or(Ok(()))
    }

    async fn step(&self, step: &Step) -> Result<(), Error> {
        if !self.context.leads() {
            return Ok(());
        }
        self.context.metrics.stepped(Kind::ReplicatedStatefulSet, words::step_name(step));
        tracing::debug!(step = words::step(step), "step");
        match step {
            Step::Run(run) => self.run(run),
            Step::Revoke { replica, attempt, if_pod } => {
                if self.pod(replica, if_pod).is_some() {
                    let (place, pod, attempt) = (self.place(replica), if_pod.clone(), attempt.clone());
                    self.attempts.ask_fate(Question { place, pod, attempt });
                }
                Ok(())
            }
            Step::Recycle { replica, if_pod, grace_seconds, .. } => {
                self.recycle(replica, if_pod, *grace_seconds).await
            }
            Step::Resize { to, if_from, released, .. } => match &self.objects.cluster {
                Some(cluster) => self.give_up(cluster, *to, *if_from, released).await,
                None if released.is_empty() => self.resize(*to, *if_from).await,
                // Of numbers nobody can be named: the highest would go in its place.
                None => Ok(()),
            },
            Step::Label { replica, if_pod, active, role } => {
                self.label(replica, if_pod, *active, *role).await
            }
            Step::Recreate => self.recreate().await,
        }
    }

    fn run(&self, run: &Run) -> Result<(), Error> {
        let now = self.pod(&run.replica, &run.if_pod).and_then(|pod| running(pod));
        if now.as_ref() == Some(&run.if_container)
            && let Err(why) = self.attempts.begin(self.spec(run))
        {
            tracing::debug!(%why, "not begun");
        }
        Ok(())
    }

    fn spec(&self, run: &Run) -> Spec {
        let command = self.command(run.command);
        let peers = run.peers.iter().map(|name| children::peer(self.target, &name.0));
        let lock = match &self.target.storage {
            Storage::Claims { lock_mount } => lock_mount.clone().filter(|_| run.lock),
            Storage::Pod | Storage::Container => None,
        };
        Spec {
            place: self.place(&run.replica),
            pod: run.if_pod.clone(),
            container: run.if_container.clone(),
            attempt: run.attempt.clone(),
            command: run.command,
            argv: command.argv.iter().cloned().chain(peers).collect(),
            lock,
            starts: run.starts,
            at_rest: run.at_rest,
            epoch: run.epoch,
            timeout: if run.command == Command::Probe { PROBE } else { command.timeout },
        }
    }

    /// The resource's command for what is to be run. A probe has none of its own.
    fn command(&self, command: Command) -> &target::Command {
        let commands = &self.target.commands;
        match command {
            Command::Read | Command::Rehearse | Command::Probe => &commands.sequence,
            Command::Seed => &commands.seed,
            Command::Join | Command::Promote => &commands.primary,
            Command::Follow | Command::Demote => commands.secondary.as_ref().unwrap_or(&commands.primary),
            Command::Stop => &commands.stop,
        }
    }

    fn place(&self, replica: &ReplicaName) -> ContainerRef {
        let name = self.objects.pod(replica).and_then(|pod| application_container(pod));
        ContainerRef {
            namespace: self.objects.namespace().to_owned(),
            pod: replica.clone(),
            // As its pod calls it: the resource may call it otherwise by now.
            name: name.unwrap_or(&self.target.container).to_owned(),
        }
    }

    async fn recycle(&self, replica: &ReplicaName, if_pod: &PodUid, grace: Option<u64>) -> Result<(), Error> {
        let params = DeleteParams {
            grace_period_seconds: grace.map(|seconds| u32::try_from(seconds).unwrap_or(u32::MAX)),
            ..only(Some(if_pod.0.clone()))
        };
        let answer = self.pods().delete(&replica.0, &params).await.map(drop);
        unless_stale(answer).map(drop).map_err(|error| Error::Recycle(replica.clone(), error))
    }

    /// By the scale subresource at the version that was looked at: a person's change in between is seen first.
    async fn resize(&self, to: u32, if_from: u32) -> Result<(), Error> {
        let Some(workload) = self.workload_of_size(if_from) else { return Ok(()) };
        let mut body =
            Scale { spec: Some(ScaleSpec { replicas: i32::try_from(to).ok() }), ..Scale::default() };
        body.metadata.name.clone_from(&workload.metadata.name);
        body.metadata.namespace.clone_from(&workload.metadata.namespace);
        body.metadata.uid.clone_from(&workload.metadata.uid);
        body.metadata.resource_version.clone_from(&workload.metadata.resource_version);
        let api: Api<StatefulSet> =
            Api::namespaced(self.context.clients.writes.clone(), self.objects.namespace());
        let name = workload.metadata.name.clone().unwrap_or_default();
        let answer = api.replace_scale(&name, &PostParams::default(), &body).await.map(drop);
        unless_stale(answer).map(drop).map_err(Error::Resize)
    }

    /// Size and names in one patch, at the version that was looked at. Who was given up before and left nothing is not
    /// named any more.
    async fn give_up(
        &self,
        cluster: &StatefulCluster,
        to: u32,
        if_from: u32,
        released: &[ReplicaName],
    ) -> Result<(), Error> {
        if u32::try_from(cluster.spec.replicas) != Ok(if_from) {
            return Ok(());
        }
        let before: BTreeSet<_> = observe::released(cluster).cloned().map(ReplicaName).collect();
        let left = observe::with_something_left(&self.context.clients.reads, self.objects, before).await;
        let mut names = left.map_err(Error::GiveUp)?;
        names.extend(released.iter().cloned());
        let patch = Patch::Merge(json!({
            "metadata": {"uid": cluster.metadata.uid, "resourceVersion": cluster.metadata.resource_version},
            "spec": {"replicas": to, "replacement": {"released": names}},
        }));
        let api: Api<StatefulCluster> =
            Api::namespaced(self.context.clients.writes.clone(), self.objects.namespace());
        let answer = api.patch(&cluster.name_any(), &PatchParams::default(), &patch).await.map(drop);
        unless_stale(answer).map(drop).map_err(Error::GiveUp)
    }

    async fn label(
        &self,
        replica: &ReplicaName,
        if_pod: &PodUid,
        active: bool,
        role: Option<Role>,
    ) -> Result<(), Error> {
        let mut labels = json!({ACTIVE_MEMBER: active.to_string()});
        if let Some(role) = role {
            labels[ROLE] = role_name(role).into();
        }
        // A UID in the body that is not the pod's is a conflict.
        let patch = Patch::Merge(json!({"metadata": {"uid": if_pod.0, "labels": labels}}));
        let answer = self.pods().patch(&replica.0, &PatchParams::default(), &patch).await.map(drop);
        unless_stale(answer).map(drop).map_err(|error| Error::Label(replica.clone(), error))
    }

    async fn recreate(&self) -> Result<(), Error> {
        let Some(workload) = &self.objects.workload else { return Ok(()) };
        children::release(&self.context.clients.writes, workload).await.map_err(Error::Recreate)
    }

    fn pods(&self) -> Api<Pod> {
        Api::namespaced(self.context.clients.writes.clone(), self.objects.namespace())
    }

    /// The replica's pod, if it is still this one.
    fn pod(&self, replica: &ReplicaName, if_pod: &PodUid) -> Option<&Arc<Pod>> {
        self.objects.pod(replica).filter(|pod| pod.metadata.uid.as_ref() == Some(&if_pod.0))
    }

    fn workload_of_size(&self, size: u32) -> Option<&Arc<StatefulSet>> {
        let of_size = |workload: &&Arc<StatefulSet>| {
            let replicas = workload.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or(1);
            u32::try_from(replicas) == Ok(size)
        };
        self.objects.workload.as_ref().filter(of_size)
    }
}
