//! Pods of an earlier template. A pod whose template differs only in labels and annotations gets them in place: the operator
//! writes them, and the pod counts as one of the wanted template. Any other difference means another pod, and an event names it.

mod difference;
mod templates;

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, Patch, PatchParams};
use kube::{Client, Resource, ResourceExt};
use planner::names::ReplicaName;
use serde_json::{Value, json};

use crate::api::Reason;
use crate::children::{ACTIVE_MEMBER, ROLE, pod_labels};
use crate::context::Context;
use crate::events::{self, Happened};
use crate::observe::Objects;
use crate::target::Target;
use crate::writes::unless_stale;
use difference::{MetadataChange, changed_fields};
pub use templates::Templates;

/// The label of a pod with the name of its ControllerRevision.
const REVISION: &str = "controller-revision-hash";

/// Brings labels and annotations of the template to the pods that need nothing else. From then on `objects` has these pods as
/// pods of the wanted template, also where a write failed: the next look writes again, and no pod is replaced for a label.
///
/// # Errors
/// A template could not be read. Whether pods are to be replaced is not known then.
pub(crate) async fn adopt(
    context: &Context,
    templates: &mut Templates,
    objects: &mut Objects,
    target: &Target,
) -> Result<(), kube::Error> {
    let Some(wanted) = wanted_revision(objects).filter(|_| may_write(context, objects, target)) else {
        return Ok(());
    };
    let earlier: Vec<(ReplicaName, Arc<Pod>)> = objects
        .pods
        .iter()
        .filter(|(_, pod)| pod.metadata.deletion_timestamp.is_none())
        .filter(|(_, pod)| pod.labels().get(REVISION).is_some_and(|revision| *revision != wanted))
        .map(|(name, pod)| (name.clone(), Arc::clone(pod)))
        .collect();
    if earlier.is_empty() {
        templates.forget();
        return Ok(());
    }
    let Some(new) = templates.of(&context.clients.reads, objects, &wanted).await? else { return Ok(()) };
    for (name, pod) in earlier {
        let revision = pod.labels()[REVISION].clone();
        let Some(old) = templates.of(&context.clients.reads, objects, &revision).await? else { continue };
        let fields = changed_fields(&old["spec"], &new["spec"]);
        if !fields.is_empty() {
            if templates.is_news(&revision, &wanted) {
                let happened = rollout(&fields);
                events::publish(&context.recorder, &objects.set.object_ref(&()), &[happened]);
            }
            continue;
        }
        let change = MetadataChange::of(&pod, &old["metadata"], &new["metadata"], &own_labels(target));
        write(&context.clients.writes, objects.namespace(), &name, &pod, &change, &wanted).await;
        objects.pods.insert(name, Arc::new(change.applied(&pod, (REVISION, &wanted))));
    }
    Ok(())
}

/// The revision of the template that the StatefulSet makes pods from, once its controller has seen it.
fn wanted_revision(objects: &Objects) -> Option<String> {
    let workload = objects.workload.as_ref()?;
    let status = workload.status.as_ref()?;
    let is_seen =
        status.observed_generation.unwrap_or_default() >= workload.metadata.generation.unwrap_or_default();
    status.update_revision.clone().filter(|_| is_seen)
}

fn may_write(context: &Context, objects: &Objects, target: &Target) -> bool {
    let of_other = objects.set.status.as_ref().and_then(|status| status.installation.as_ref());
    let is_ours = of_other.is_none_or(|installation| *installation == context.installation);
    is_ours && !target.paused && context.leads() && objects.set.metadata.deletion_timestamp.is_none()
}

/// The labels of a pod that the operator writes by other rules.
fn own_labels(target: &Target) -> Vec<String> {
    let others = [ACTIVE_MEMBER, ROLE, REVISION].map(str::to_owned);
    pod_labels(target).into_keys().chain(others).collect()
}

async fn write(
    client: &Client,
    namespace: &str,
    name: &ReplicaName,
    pod: &Pod,
    change: &MetadataChange,
    revision: &str,
) {
    let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
    let mut labels: BTreeMap<&str, Value> = change.labels();
    labels.insert(REVISION, json!(revision));
    // A UID in the body that is not the pod's is a conflict.
    let body = json!({"metadata": {"uid": pod.uid(), "labels": labels, "annotations": change.annotations()}});
    let answer = pods.patch(&name.0, &PatchParams::default(), &Patch::Merge(body)).await.map(drop);
    if let Err(error) = unless_stale(answer) {
        tracing::warn!(pod = name.0, %error, "failed to write labels and annotations of the template");
    }
}

fn rollout(fields: &[String]) -> Happened {
    let note = format!(
        "the pods are replaced one after the other, because the pod template changed in {}",
        fields.join(", ")
    );
    Happened { reason: events::Reason::Shell(Reason::RolloutStarted), is_warning: false, replica: None, note }
}
