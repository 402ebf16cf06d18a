//! Why the containers of members do not run: pods tell of themselves, and events tell of the rest.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube::{Client, Resource, ResourceExt};
use planner::names::ReplicaName;
use planner::observation::Absence;
use tokio::time::{Instant, timeout};

use super::happened::{Happened, of_object};
use super::trouble::{Said, cut, said};
use super::{Objects, pods, released};
use crate::writes::is_forbidden;

/// How long a member is away before events are read: most are back by then.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often events are read while a member is away.
const PERIOD: Duration = Duration::from_secs(10);

/// How often they are asked for by an operator that may not read them.
const FORBIDDEN: Duration = Duration::from_secs(600);

/// A look does not wait for events for longer.
const DEADLINE: Duration = Duration::from_secs(2);

/// The events of more objects are not read at once.
const MOST: usize = 16;

/// What Kubernetes calls what a person can correct while the data stays where it is. A volume that cannot be mounted may
/// be lost, so it is not among these.
const RECOVERS: [&str; 11] = [
    "FailedCreate",
    "StepFailed",
    "ProvisioningFailed",
    "FailedCreatePodSandBox",
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "ErrImageNeverPull",
    "ImageInspectError",
    "RegistryUnavailable",
    "CreateContainerConfigError",
];

/// The annotation by which the scheduler names the node that a volume was made for.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// An object whose events may tell why a member is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    StatefulSet,
    StatefulCluster,
    Pod,
    Claim,
}

/// What events told last.
#[derive(Debug, Default)]
pub struct Absences {
    /// Since when a member is away about which events may tell more.
    since: Option<Instant>,
    next: Option<Instant>,
    is_forbidden: bool,
    told: BTreeMap<String, Said>,
}

// === impl Absences ===

impl Absences {
    /// Why each member that has no running container has none, where the cluster says so.
    pub async fn look(
        &mut self,
        client: &Client,
        objects: &Objects,
        now: Instant,
    ) -> BTreeMap<ReplicaName, Absence> {
        let away = away(objects);
        let mut asked: Vec<(String, Subject)> =
            away.iter().flat_map(|(name, pod)| subjects(objects, name, *pod)).collect();
        asked.sort();
        asked.dedup();
        asked.truncate(MOST);
        self.told.retain(|uid, _| asked.iter().any(|(other, _)| other == uid));
        if asked.is_empty() {
            (self.since, self.next) = (None, None);
        } else if self.is_due(now) {
            self.ask(client, objects.namespace(), asked, now).await;
        }
        away.into_iter()
            .filter_map(|(name, pod)| Some((name.clone(), self.of(objects, &name, pod)?)))
            .collect()
    }

    fn is_due(&mut self, now: Instant) -> bool {
        let since = *self.since.get_or_insert(now);
        now.duration_since(since) >= PATIENCE && self.next.is_none_or(|next| now >= next)
    }

    async fn ask(&mut self, client: &Client, namespace: &str, asked: Vec<(String, Subject)>, now: Instant) {
        self.next = Some(now + PERIOD);
        let of_each = asked.iter().map(|(uid, _)| of_object(client, namespace, uid));
        let Ok(answers) = timeout(DEADLINE, join_all(of_each)).await else { return };
        for ((uid, subject), answer) in asked.into_iter().zip(answers) {
            match answer {
                Ok(happened) => {
                    self.told.remove(&uid);
                    self.told.extend(subject.warning(&happened).map(|said| (uid, said)));
                }
                Err(error) if is_forbidden(&error) => {
                    self.next = Some(now + FORBIDDEN);
                    if !std::mem::replace(&mut self.is_forbidden, true) {
                        tracing::warn!(%error, "without the right to list events, holds do not say why a pod is missing");
                    }
                }
                Err(error) => tracing::debug!(%error, "failed to read events"),
            }
        }
    }

    /// A claim without a volume keeps its pod from a node, so what is said of it comes first.
    fn of(&self, objects: &Objects, name: &ReplicaName, pod: Option<&Pod>) -> Option<Absence> {
        let told = |uid: &Option<String>| self.told.get(uid.as_ref()?).cloned();
        let Some(pod) = pod else {
            return told(&workload(objects)?.0.into()).map(|said| absence(&said, true));
        };
        let of_claim = unbound(objects, name).find_map(|claim| told(&claim.metadata.uid));
        let said = of_claim.or_else(|| of_pod(pod)).or_else(|| told(&pod.metadata.uid))?;
        Some(absence(&said, is_on_good_node(objects, name, pod)))
    }
}

// === impl Subject ===

impl Subject {
    /// That a claim waits for its first pod is told again and again, and is no success.
    fn warning(self, happened: &Happened) -> Option<Said> {
        match self {
            Self::StatefulSet => happened.warning(Some("FailedCreate"), true),
            Self::StatefulCluster => happened.warning(Some("StepFailed"), true),
            Self::Pod => happened.warning(None, true),
            Self::Claim => happened.warning(None, false),
        }
    }
}

/// Members that have a place and no running container. A pod that is being deleted is still one.
fn away(objects: &Objects) -> BTreeMap<ReplicaName, Option<&Pod>> {
    let size = objects.workload.as_ref().and_then(|workload| workload.spec.as_ref()?.replicas).unwrap_or(0);
    let size = u32::try_from(size).unwrap_or(0);
    let is_released = |name: &ReplicaName| {
        objects.cluster.as_deref().is_some_and(|cluster| released(cluster).any(|it| *it == name.0))
    };
    let has_place = |name: &ReplicaName, number: u32| match objects.are_given_once() {
        true => !is_released(name),
        false => number < size,
    };
    let members = objects.members().into_iter().filter(|(name, number)| has_place(name, *number));
    let with_pod = members.map(|(name, _)| {
        let pod = objects.pods.get(&name).map(AsRef::as_ref);
        (name, pod)
    });
    with_pod.filter(|(_, pod)| pod.is_none_or(is_away)).collect()
}

fn is_away(pod: &Pod) -> bool {
    let is_leaving = pod.metadata.deletion_timestamp.is_some();
    !is_leaving && pods::running(pod).is_none()
}

fn of_pod(pod: &Pod) -> Option<Said> {
    said(pod, pods::application_status(pod))
}

/// Whose events may tell more of a member than its pod does.
fn subjects(objects: &Objects, name: &ReplicaName, pod: Option<&Pod>) -> Vec<(String, Subject)> {
    let Some(pod) = pod else { return workload(objects).into_iter().collect() };
    let claims =
        unbound(objects, name).filter_map(|claim| Some((claim.metadata.uid.clone()?, Subject::Claim)));
    let itself = pod.metadata.uid.clone().filter(|_| of_pod(pod).is_none());
    claims.chain(itself.map(|uid| (uid, Subject::Pod))).collect()
}

/// The object whose controller makes the pods.
fn workload(objects: &Objects) -> Option<(String, Subject)> {
    let cluster = || Some((objects.cluster.as_ref()?.uid()?, Subject::StatefulCluster));
    let set = objects.workload.as_ref().and_then(|set| Some((set.meta().uid.clone()?, Subject::StatefulSet)));
    set.or_else(cluster)
}

fn unbound<'a>(objects: &'a Objects, name: &ReplicaName) -> impl Iterator<Item = &'a PersistentVolumeClaim> {
    let claims = objects.claims.get(name).into_iter().flatten();
    claims.map(AsRef::as_ref).filter(|claim| !is_in_phase(claim, "Bound"))
}

fn is_in_phase(claim: &PersistentVolumeClaim, phase: &str) -> bool {
    claim.status.as_ref().and_then(|status| status.phase.as_deref()) == Some(phase)
}

/// Nothing says that a node is lost which the member needs: its own, or, where it has none yet, one that its volumes were
/// made for. An operator that may not see nodes knows nothing of the latter.
fn is_on_good_node(objects: &Objects, name: &ReplicaName, pod: &Pod) -> bool {
    let is_ready = |node: &str| {
        let mut nodes = objects.nodes.iter().flatten();
        nodes.any(|seen| {
            seen.meta().name.as_deref() == Some(node) && seen.facts.ready.as_deref() == Some("True")
        })
    };
    let mut claims = objects.claims.get(name).into_iter().flatten();
    if let Some(node) = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()) {
        return objects.nodes.is_none() || is_ready(node);
    }
    claims.all(|claim| match is_in_phase(claim, "Bound") {
        true => claim.annotations().get(SELECTED_NODE).is_some_and(|node| is_ready(node)),
        false => is_in_phase(claim, "Pending"),
    })
}

fn absence(said: &Said, is_on_good_node: bool) -> Absence {
    let is_correctable = RECOVERS.contains(&said.reason.as_str()) || said.reason == "Unschedulable";
    let why = said.words().split_whitespace().collect::<Vec<_>>().join(" ");
    Absence { why: cut(why), recovers: is_correctable && is_on_good_node }
}

#[cfg(test)]
mod tests;
