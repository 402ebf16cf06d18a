//! A set under test: what people do to it, and what is made for it.

mod dummy;
pub mod told;
mod until;

pub use dummy::cut_power_of;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::api::events::v1::Event;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams};
use operator::api::{ReplicatedStatefulSet, SetStatus};
use serde_json::{Value, json};

use crate::{Member, Space, wait};

/// A set under test.
#[derive(Clone)]
pub struct Set<'a> {
    space: &'a Space,
    /// Its name.
    pub name: String,
}

// === impl Set ===

impl<'a> Set<'a> {
    pub(crate) fn new(space: &'a Space, name: &str) -> Self {
        Self { space, name: name.to_owned() }
    }

    /// Where it is.
    #[must_use]
    pub fn namespace(&self) -> &'a str {
        &self.space.name
    }

    /// The namespace that it is in.
    #[must_use]
    pub fn space(&self) -> &'a Space {
        self.space
    }

    /// The resources of its kind.
    #[must_use]
    pub fn api(&self) -> Api<ReplicatedStatefulSet> {
        self.space.all()
    }

    /// One of its members.
    #[must_use]
    pub fn member(&self, ordinal: u32) -> Member<'a> {
        Member::new(self.space, format!("rss-{}-{ordinal}", self.name))
    }

    /// Its first so many members.
    #[must_use]
    pub fn members(&self, count: u32) -> Vec<Member<'a>> {
        (0..count).map(|ordinal| self.member(ordinal)).collect()
    }

    /// What the operator says now.
    ///
    /// # Errors
    /// If it has said nothing, or there is no such set.
    pub async fn status(&self) -> Result<SetStatus> {
        self.api().get(&self.name).await?.status.context("the set has no status")
    }

    /// Change the resource.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn patch(&self, change: Value) -> Result<()> {
        let patch = Patch::Merge(change);
        self.api().patch(&self.name, &PatchParams::default(), &patch).await.map(drop).map_err(Into::into)
    }

    /// Change the status, which only the operator does.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn patch_status(&self, change: Value) -> Result<()> {
        let patch = Patch::Merge(json!({"status": change}));
        let parameters = PatchParams::default();
        self.api().patch_status(&self.name, &parameters, &patch).await.map(drop).map_err(Into::into)
    }

    /// Ask for so many members.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn scale(&self, replicas: u32) -> Result<()> {
        self.patch(json!({"spec": {"replicas": replicas}})).await
    }

    /// Allow what a hold names, as a person does.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn allow(&self, keys: &[String]) -> Result<()> {
        self.patch(json!({"metadata": {"annotations": {"clusterlabs.org/allow": keys.join(",")}}})).await
    }

    /// Delete the resource, and wait until its pods are gone.
    ///
    /// # Errors
    /// If they stay.
    pub async fn destroy(&self) -> Result<()> {
        self.api().delete(&self.name, &DeleteParams::default()).await?;
        wait::asked("its pods are gone", async || Ok(self.pods().await?.is_empty())).await
    }

    /// Its pods, by name.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn pods(&self) -> Result<Vec<Pod>> {
        let of = ListParams::default().labels(&format!("app={}", self.name));
        let mut pods = self.space.all::<Pod>().list(&of).await?.items;
        pods.sort_by_key(ResourceExt::name_any);
        Ok(pods)
    }

    /// The members whose pods nobody has told to end, by name; of a StatefulCluster no number tells who they are.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn present(&self) -> Result<Vec<Member<'a>>> {
        let mut pods = self.pods().await?;
        pods.retain(|pod| pod.metadata.deletion_timestamp.is_none());
        Ok(pods.iter().map(|pod| Member::new(self.space, pod.name_any())).collect())
    }

    /// The UIDs of its pods, by name.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn uids(&self) -> Result<Vec<String>> {
        Ok(self.pods().await?.into_iter().filter_map(|pod| pod.metadata.uid).collect())
    }

    /// The claims in its namespace, by name.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn claims(&self) -> Result<Vec<PersistentVolumeClaim>> {
        let mut claims = self.space.all::<PersistentVolumeClaim>().list(&ListParams::default()).await?.items;
        claims.sort_by_key(ResourceExt::name_any);
        Ok(claims)
    }

    /// How often an event of this reason was told of the set.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn told(&self, reason: &str) -> Result<usize> {
        let events = self.space.all::<Event>().list(&ListParams::default()).await?.items;
        let of = |event: &&Event| {
            event.reason.as_deref() == Some(reason)
                && event.regarding.as_ref().and_then(|about| about.name.as_deref()) == Some(&self.name)
        };
        Ok(events.iter().filter(of).count())
    }
}
