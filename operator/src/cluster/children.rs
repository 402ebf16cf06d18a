//! What stands beside pods: the governing service, and whether claims go with the resource.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Service, ServiceSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::ResourceExt;
use kube::api::{Api, Patch, PatchParams};
use serde_json::{Value, json};

use super::Wanted;
use super::names::{self, is_owned};
use super::objects::Objects;
use super::session::Shared;
use crate::writes::{post, unless_stale};

/// What of it could not be written.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The governing service: pods do without.
    #[error("failed to make the service {0}")]
    Service(String, #[source] kube::Error),
    /// A template: no pod may have it, for it could not be taken back.
    #[error("failed to keep the template {0}")]
    Template(String, #[source] kube::Error),
    /// Whether claims go with the resource.
    #[error("failed to write the owners of claims")]
    Owners(#[source] kube::Error),
    /// Templates that nobody needs any more.
    #[error("failed to remove former templates")]
    Former(#[source] kube::Error),
}

// === impl Failure ===

impl Failure {
    /// Nothing else may be done meanwhile.
    pub(super) fn stops(&self) -> bool {
        matches!(self, Self::Template(..))
    }

    /// What it is about, if it is one object.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Service(name, _) | Self::Template(name, _) => Some(name),
            Self::Owners(_) | Self::Former(_) => None,
        }
    }
}

/// Makes the service that `spec.serviceName` names, unless there is one: that is a person's own, and left as it is.
pub(super) async fn service(shared: &Shared, wanted: &Wanted) -> Result<(), Failure> {
    let Some(name) = wanted.service.as_deref() else { return Ok(()) };
    let failed = |error| Failure::Service(name.to_owned(), error);
    let (clients, namespace) = (&shared.context.clients, &wanted.namespace);
    let known: Api<Service> = Api::namespaced(clients.reads.clone(), namespace);
    if known.get_opt(name).await.map_err(failed)?.is_some() {
        return Ok(());
    }
    let api: Api<Service> = Api::namespaced(clients.writes.clone(), namespace);
    match api.create(&post(), &headless(wanted, name)).await {
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
        answer => answer.map(drop).map_err(failed),
    }
}

/// Peers have to find each other before any of them is ready.
fn headless(wanted: &Wanted, name: &str) -> Service {
    Service {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            namespace: Some(wanted.namespace.clone()),
            labels: Some(names::own_label(&wanted.name)),
            owner_references: Some(vec![names::owner(&wanted.name, &wanted.uid)]),
            ..ObjectMeta::default()
        },
        spec: Some(ServiceSpec {
            cluster_ip: Some("None".into()),
            publish_not_ready_addresses: Some(true),
            selector: Some(names::own_label(&wanted.name)),
            ..ServiceSpec::default()
        }),
        status: None,
    }
}

/// Claims that were made under another policy are deleted with the resource, or not, as it is wanted now.
pub(super) async fn owners(shared: &Shared, wanted: &Wanted, objects: &Objects) -> kube::Result<()> {
    let api: Api<PersistentVolumeClaim> =
        Api::namespaced(shared.context.clients.writes.clone(), &wanted.namespace);
    let is_other = |claim: &&Arc<PersistentVolumeClaim>| {
        is_owned(&claim.metadata, &wanted.uid) != wanted.claims_go_with_it
            && claim.metadata.deletion_timestamp.is_none()
    };
    for claim in objects.claims.values().filter(is_other) {
        let patch = Patch::Merge(change_of_owner(claim, wanted));
        let answer = api.patch(&claim.name_any(), &PatchParams::default(), &patch).await.map(drop);
        unless_stale(answer)?;
    }
    Ok(())
}

/// At the version that was looked at, for the list is written whole.
fn change_of_owner(claim: &PersistentVolumeClaim, wanted: &Wanted) -> Value {
    let mut owners = claim.metadata.owner_references.clone().unwrap_or_default();
    owners.retain(|owner| owner.uid != wanted.uid);
    if wanted.claims_go_with_it {
        owners.push(names::owner(&wanted.name, &wanted.uid));
    }
    json!({"metadata": {
        "uid": claim.metadata.uid,
        "resourceVersion": claim.metadata.resource_version,
        "ownerReferences": owners,
    }})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::target::fixture::wanted;

    #[test]
    fn a_claim_loses_our_ownership_and_keeps_that_of_others() {
        let claim: PersistentVolumeClaim =
            serde_json::from_value(json!({"metadata": {"name": "data-coder-a",
            "uid": "k", "resourceVersion": "7", "ownerReferences": [
                {"apiVersion": "v1", "kind": "X", "name": "x", "uid": "x0"},
                {"apiVersion": "enge.me/v1alpha1", "kind": "StatefulCluster", "name": "coder", "uid": "c0",
                 "controller": true}]}}))
            .unwrap();
        let uids = |patch: &Value| {
            let owners = patch["metadata"]["ownerReferences"].as_array().unwrap().clone();
            owners.iter().map(|owner| owner["uid"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let kept = change_of_owner(&claim, &wanted(json!({})));
        assert_eq!(
            (uids(&kept), kept["metadata"]["resourceVersion"].as_str()),
            (vec!["x0".into()], Some("7"))
        );
        let delete = json!({"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete"}});
        assert_eq!(uids(&change_of_owner(&claim, &wanted(delete))), ["x0", "c0"]);
    }
}
