//! Names and labels: scripts, services and people rely on them.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::Resource;

use crate::api::ReplicatedStatefulSet;
use crate::target::Target;

/// The field manager of everything that is applied here. Changing it would leave every field owned twice.
pub const FIELD_MANAGER: &str = "rss-operator";

/// Label: the name of the set.
pub const APP: &str = "app";

/// Label, always "true": the object is looked after by the operator.
pub const MANAGED: &str = "rss-operator-managed";

/// Label of a pod, "true" or "false": clients may be sent to it.
pub const ACTIVE_MEMBER: &str = "rss-active-member";

/// Label of a pod: primary, secondary or stopped.
pub const ROLE: &str = "clusterlabs.org/role";

/// Where the first container has a folder for the traces of commands.
pub const RUN_FOLDER: &str = "/run/rss";

/// What makes the pods of a set: its StatefulSet, or its StatefulCluster.
#[must_use]
pub fn workload_name(target: &Target) -> String {
    format!("rss-{}", target.name)
}

/// The internal service, by which members find each other.
#[must_use]
pub fn headless_service_name(target: &Target) -> String {
    format!("{}-svc", target.name)
}

/// The client service, if there is one.
#[must_use]
pub fn client_service_name(target: &Target) -> Option<&str> {
    target.client_service.as_ref().map(|service| service.name.as_str())
}

/// The pod of an ordinal.
#[must_use]
pub fn pod_name(target: &Target, ordinal: u32) -> String {
    format!("rss-{}-{ordinal}", target.name)
}

/// A pod as its peers call it: an argument of every command.
#[must_use]
pub fn peer(target: &Target, pod: &str) -> String {
    format!("{pod}.{}-svc", target.name)
}

/// What every pod of a set is found by. Part of the StatefulSet's selector, which can never be changed.
#[must_use]
pub fn pod_labels(target: &Target) -> BTreeMap<String, String> {
    labels_of(&target.name)
}

/// The labels of every pod and every child of the set of this name.
pub(super) fn labels_of(set_name: &str) -> BTreeMap<String, String> {
    [(APP, set_name), (MANAGED, "true")].map(|(key, value)| (key.into(), value.into())).into()
}

/// The same as a text, for the scale subresource.
#[must_use]
pub fn selector(target: &Target) -> String {
    pod_labels(target).iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
}

/// The metadata that every child has.
pub(super) fn metadata(target: &Target, name: String) -> ObjectMeta {
    let mut labels = target.labels.clone();
    labels.extend(pod_labels(target));
    ObjectMeta {
        name: Some(name),
        namespace: Some(target.namespace.clone()),
        labels: Some(labels),
        owner_references: Some(vec![owner(target)]),
        ..ObjectMeta::default()
    }
}

/// Without `blockOwnerDeletion`: it would ask for the right to change the finalizers of a set.
fn owner(target: &Target) -> OwnerReference {
    OwnerReference {
        api_version: ReplicatedStatefulSet::api_version(&()).into_owned(),
        kind: ReplicatedStatefulSet::kind(&()).into_owned(),
        name: target.name.clone(),
        uid: target.uid.clone(),
        controller: Some(true),
        block_owner_deletion: None,
    }
}
