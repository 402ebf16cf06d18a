//! A StatefulCluster under test.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube::ResourceExt;
use kube::api::{Api, ListParams, Patch, PatchParams};
use operator::api::{ClusterStatus, StatefulCluster};
use serde_json::{Value, json};

use crate::{Space, manifest, wait};

/// The StatefulCluster of `examples/coder`.
pub struct Identities<'a> {
    space: &'a Space,
}

const NAME: &str = "coder";

// === impl Identities ===

impl<'a> Identities<'a> {
    /// Make it as its manifest says, with more in its spec, and wait until all pods are available.
    ///
    /// # Errors
    /// If they are not.
    pub async fn running(space: &'a Space, more: Value) -> Result<Self> {
        let mut manifest = manifest::example("coder/cluster")?;
        for (key, value) in more.as_object().into_iter().flatten() {
            manifest["spec"][key] = value.clone();
        }
        let cluster: StatefulCluster = serde_json::from_value(manifest)?;
        Box::pin(manifest::apply(&space.all(), &cluster)).await?;
        let made = Self { space };
        made.until_ready(3).await?;
        Ok(made)
    }

    fn api(&self) -> Api<StatefulCluster> {
        self.space.all()
    }

    /// What the operator says now.
    ///
    /// # Errors
    /// If it has said nothing.
    pub async fn status(&self) -> Result<ClusterStatus> {
        self.api().get(NAME).await?.status.context("it has no status")
    }

    /// Change its spec.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn change(&self, spec: Value) -> Result<()> {
        let patch = Patch::Merge(json!({ "spec": spec }));
        self.api().patch(NAME, &PatchParams::default(), &patch).await.map(drop).map_err(Into::into)
    }

    /// As people do it: through the scale subresource.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn scale(&self, replicas: i32) -> Result<()> {
        let patch = Patch::Merge(json!({"spec": {"replicas": replicas}}));
        self.api().patch_scale(NAME, &PatchParams::default(), &patch).await.map(drop).map_err(Into::into)
    }

    /// Wait until so many pods are available, all of the wanted template, and nothing is left to do.
    ///
    /// # Errors
    /// If that does not come.
    pub async fn until_ready(&self, replicas: usize) -> Result<()> {
        let ready = format!("{replicas}/{replicas}");
        wait::until(&self.api(), NAME, &ready, |found| {
            let Some((meta, status)) =
                found.and_then(|found| Some((&found.metadata, found.status.as_ref()?)))
            else {
                return false;
            };
            let conditions = &status.conditions;
            let settled = conditions.iter().any(|c| c.type_ == "Reconciling" && c.status == "False");
            status.observed_generation == meta.generation && status.ready.as_ref() == Some(&ready) && settled
        })
        .await
        .map(drop)
    }

    /// Wait until the operator holds for this reason.
    ///
    /// # Errors
    /// If it never does.
    pub async fn until_held(&self, reason: &str) -> Result<()> {
        wait::until(&self.api(), NAME, reason, |found| {
            let holds = found.and_then(|found| found.status.as_ref()).map(|status| &status.holds);
            holds.into_iter().flatten().any(|hold| hold.reason == reason)
        })
        .await
        .map(drop)
    }

    /// Its pods that nobody has told to end.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn pods(&self) -> Result<Vec<Pod>> {
        let mut pods = self.space.all::<Pod>().list(&of_ours()).await?.items;
        pods.retain(|pod| pod.metadata.deletion_timestamp.is_none());
        Ok(pods)
    }

    /// Their names.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn names(&self) -> Result<BTreeSet<String>> {
        Ok(self.pods().await?.iter().map(ResourceExt::name_any).collect())
    }

    /// Its claims.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn claims(&self) -> Result<BTreeSet<String>> {
        let claims = self.space.all::<PersistentVolumeClaim>().list(&of_ours()).await?;
        Ok(claims.iter().map(ResourceExt::name_any).collect())
    }

    /// Who was the first to have the volume of this pod.
    ///
    /// # Errors
    /// If it cannot be asked.
    pub async fn first_of(&self, pod: &str) -> Result<String> {
        let said = self.space.pod(pod).sh("cat /home/coder/project/identity").await?;
        Ok(said.trim().to_owned())
    }
}

fn of_ours() -> ListParams {
    ListParams::default().labels("enge.me/identity")
}
