//! Brings the definitions of the resources into the cluster.

use crate::crdgen;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::ResourceExt;
use kube::api::{Api, Patch, PatchParams};
use kube::client::Client;
use kube::runtime::wait::{await_condition, conditions};
use std::time::Duration;

/// A server that takes longer to serve a new resource is not well.
const ESTABLISHED: Duration = Duration::from_secs(30);

/// Why the definition is not there.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It was refused.
    #[error("failed to apply the definition of the resource")]
    Apply(#[source] kube::Error),
    /// Whether it is served could not be seen.
    #[error("failed to watch the definition of the resource")]
    Watch(#[source] kube::runtime::wait::Error),
    /// It was taken, and is not served.
    #[error("the definition of the resource was taken but is not served after {} s", ESTABLISHED.as_secs())]
    Late,
}

/// Creates the definitions, or makes them those of this version, and waits until they are served.
///
/// # Errors
/// If one is refused, or not served in time.
pub async fn definitions(writes: &Client) -> Result<(), Error> {
    for wanted in [crdgen::crd(), crdgen::stateful_cluster()] {
        define(writes, &wanted).await?;
    }
    Ok(())
}

async fn define(writes: &Client, wanted: &CustomResourceDefinition) -> Result<(), Error> {
    let definitions: Api<CustomResourceDefinition> = Api::all(writes.clone());
    let name = wanted.name_any();
    let apply = PatchParams::apply("rss-operator").force();
    definitions.patch(&name, &apply, &Patch::Apply(wanted)).await.map_err(Error::Apply)?;
    let served = await_condition(definitions, &name, conditions::is_crd_established());
    match tokio::time::timeout(ESTABLISHED, served).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(Error::Watch(error)),
        Err(_) => Err(Error::Late),
    }
}
