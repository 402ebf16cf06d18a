//! A registry in a test's namespace, so that it can be taken away. It is the local cluster's.

use anyhow::{Context, Result};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Pod, Secret};
use kube::api::{ListParams, Patch, PatchParams};
use serde_json::{Value, from_value, json};
use xtask::cluster::Cluster;
use xtask::progress::Step;
use xtask::registry::{self, Registry};

use crate::{Space, manifest, wait};

/// Starts one. The nodes have its image.
///
/// # Errors
/// If there is no local cluster, or it does not get ready.
pub async fn start(space: &Space) -> Result<Registry> {
    let namespace = space.name.clone();
    let start = move || registry::start(&Cluster::attach()?, &namespace, &mut Step::silent());
    tokio::task::spawn_blocking(start).await?
}

/// Makes a Secret with its user and this password, as `kubectl create secret docker-registry` does.
///
/// # Errors
/// If the API server refuses.
pub async fn log_in(space: &Space, registry: &Registry, name: &str, password: &str) -> Result<()> {
    let secret: Secret = from_value(json!({
        "metadata": {"name": name},
        "type": "kubernetes.io/dockerconfigjson",
        "stringData": {".dockerconfigjson": registry.logins(password)},
    }))?;
    manifest::apply(&space.all(), &secret).await.map(drop)
}

/// What a set names of it: `spec.policy`.
#[must_use]
pub fn policy(registry: &Registry, image: &str, secret: &str) -> Value {
    json!({"image": format!("{}/{image}", registry.host), "pullSecrets": [{"name": secret}]})
}

/// Its pods.
///
/// # Errors
/// If the API server does not say.
pub async fn pods(space: &Space) -> Result<Vec<Pod>> {
    let of = ListParams::default().labels(&format!("app={}", registry::NAME));
    Ok(space.all::<Pod>().list(&of).await?.items)
}

/// It shall not come back; nothing is waited for.
///
/// # Errors
/// If the API server refuses.
pub async fn stay_away(space: &Space) -> Result<()> {
    let none = Patch::Merge(json!({"spec": {"replicas": 0}}));
    let deployments = space.all::<Deployment>();
    let scaled = deployments.patch(registry::NAME, &PatchParams::default(), &none).await;
    scaled.map(drop).context("failed to scale the registry to none")
}

/// Take it away, and wait until it is gone.
///
/// # Errors
/// If it does not go.
pub async fn remove(space: &Space) -> Result<()> {
    stay_away(space).await?;
    wait::asked("the registry is gone", async || Ok(pods(space).await?.is_empty())).await
}
