//! What is wanted of a `StatefulCluster`, parsed: all that is wrong with it is found at once, each with its field.

#[cfg(test)]
pub(super) mod fixture;
mod heart;
mod selector;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use stateful_cluster::Target;

use crate::api::{ClusterSpec, StatefulCluster};

/// A `StatefulCluster` as it is wanted, defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.generation`.
    pub generation: i64,
    /// What the heart is told.
    pub heart: Target,
    /// The wanted template.
    pub template: PodTemplateSpec,
    /// The claims' templates.
    pub claims: Vec<PersistentVolumeClaim>,
    /// On every pod and claim.
    pub labels: BTreeMap<String, String>,
    /// The governing service.
    pub service: Option<String>,
    /// For how long a pod must be ready.
    pub min_ready: Duration,
    /// Former templates that are kept.
    pub history: usize,
    /// Claims are deleted when the resource is.
    pub claims_go_with_it: bool,
    /// Claims of a former resource of its name are its own: its owner has not given up what they hold.
    pub takes_over: bool,
}

/// Why, and what to do: a StatefulSet refuses it, too.
const NO_DEADLINE: &str = "each pod would end by it, and another identity take its place; leave it out";

/// Another resource decides who goes, also where its list was taken away: nobody does then.
fn is_owned(meta: &ObjectMeta) -> bool {
    meta.owner_references.iter().flatten().any(|owner| owner.controller == Some(true))
}

/// Everything that is wrong with a resource, as "FIELD: what".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join(" | "))]
pub struct Invalid(pub Vec<String>);

// === impl Wanted ===

impl Wanted {
    /// What is wanted.
    ///
    /// # Errors
    /// Everything that cannot be acted on. The API server refuses most of it; a definition of another version may not.
    pub fn parse(cluster: &StatefulCluster) -> Result<Self, Invalid> {
        let (meta, spec) = (&cluster.metadata, &cluster.spec);
        let mut wrong = Vec::new();
        let name = meta.name.clone().unwrap_or_default();
        selector::name_is_short(&name, &mut wrong);
        let labels = selector::labels(&name, spec, &mut wrong);
        selector::nothing_is_reserved(spec, &mut wrong);
        pods_can_be_made(spec, &mut wrong);
        let mut heart = heart::heart(spec, &mut wrong);
        if is_owned(meta) {
            heart.released.get_or_insert_default();
        }
        if !wrong.is_empty() {
            return Err(Invalid(wrong));
        }
        let policy = spec.persistent_volume_claim_retention_policy.as_ref();
        Ok(Self {
            namespace: meta.namespace.clone().unwrap_or_default(),
            name,
            uid: meta.uid.clone().unwrap_or_default(),
            generation: meta.generation.unwrap_or_default(),
            heart,
            template: spec.template.clone(),
            claims: spec.volume_claim_templates.clone(),
            labels,
            service: spec.service_name.clone().filter(|name| !name.is_empty()),
            min_ready: Duration::from_secs(heart::min_ready(spec)),
            history: usize::try_from(spec.revision_history_limit.unwrap_or(10)).unwrap_or(0),
            claims_go_with_it: policy.and_then(|policy| policy.when_deleted.as_deref()) == Some("Delete"),
            takes_over: is_owned(meta),
        })
    }

    /// The labels of the pods, as the scale subresource wants them.
    #[must_use]
    pub fn selector(&self) -> String {
        self.labels.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
    }
}

fn pods_can_be_made(spec: &ClusterSpec, wrong: &mut Vec<String>) {
    let pod = spec.template.spec.clone().unwrap_or_default();
    if pod.containers.is_empty() {
        wrong.push("spec.template.spec.containers: at least one container is needed".to_owned());
    }
    if pod.restart_policy.is_some_and(|policy| policy != "Always") {
        wrong.push("spec.template.spec.restartPolicy: only Always is possible".to_owned());
    }
    if pod.active_deadline_seconds.is_some() {
        wrong.push(format!("spec.template.spec.activeDeadlineSeconds: {NO_DEADLINE}"));
    }
    if spec.ordinals.is_some() {
        wrong.push("spec.ordinals: pods have no numbers here".to_owned());
    }
    let rolling = spec.update_strategy.as_ref().and_then(|strategy| strategy.rolling_update.as_ref());
    if rolling.and_then(|rolling| rolling.partition).is_some_and(|partition| partition != 0) {
        wrong.push("spec.updateStrategy.rollingUpdate.partition: pods have no numbers here".to_owned());
    }
}
