//! A namespace, and what is done in it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{Namespace, Pod, ServiceAccount};
use kube::api::{Api, DeleteParams, ListParams, PostParams};
use kube::{Client, ResourceExt};
use operator::api::ReplicatedStatefulSet;
use operator::clients::Clients;
use serde_json::{Value, from_value, json};
use tokio::time::sleep;

use crate::{Installation, Member, Set, cluster, installation, manifest, wait};

/// A namespace, and what is done in it.
#[derive(Clone)]
pub struct Space {
    /// Speaks to the cluster.
    pub client: Client,
    /// Its name.
    pub name: String,
}

/// Unlike that of any other test, also of one that runs elsewhere on the same cluster.
fn unique_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("e2e-{:x}-{:x}-{count}", std::process::id(), since.as_secs() & 0xfffff)
}

// === impl Space ===

impl Space {
    pub(crate) async fn create(client: Client) -> Result<Self> {
        let name = unique_name();
        let test = std::thread::current().name().unwrap_or_default().to_owned();
        let namespace: Namespace = from_value(json!({"metadata": {
            "name": name, "labels": {"rss-e2e": "true"}, "annotations": {"rss-e2e/test": test}}}))?;
        Api::all(client.clone()).create(&PostParams::default(), &namespace).await?;
        let space = Self { client, name };
        // A pod is refused before its namespace's account is there.
        wait::until(&space.all::<ServiceAccount>(), "default", "it is there", |found| found.is_some())
            .await?;
        Ok(space)
    }

    /// The operator that belongs here and looks after this namespace alone.
    #[must_use]
    pub fn operator(&self) -> Installation {
        Installation::new(&self.client, &self.name, &[&self.name])
    }

    /// An operator that is installed here and looks after these namespaces; all, if none.
    #[must_use]
    pub fn operator_for(&self, namespaces: &[&str]) -> Installation {
        Installation::new(&self.client, &self.name, namespaces)
    }

    /// The ways to the API server of an operator that is installed here, with its rights and no others.
    ///
    /// # Errors
    /// If the cluster's credentials cannot be used.
    pub async fn clients_of_operator(&self) -> Result<Clients> {
        cluster::clients_of_operator(&self.name).await
    }

    /// The objects of one kind here.
    #[must_use]
    pub fn all<K>(&self) -> Api<K>
    where
        K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), &self.name)
    }

    /// Make a set, or make it what it is described as.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn apply(&self, set: &ReplicatedStatefulSet) -> Result<Set<'_>> {
        Box::pin(manifest::apply(&self.all(), set)).await?;
        Ok(self.set(&set.name_any()))
    }

    /// Make a set of `examples/` as it stands, and wait until all its members serve.
    ///
    /// # Errors
    /// If they do not.
    pub async fn running(&self, example: &str) -> Result<Set<'_>> {
        self.running_as(example, |_| ()).await
    }

    /// Make an edited set of three of `examples/`, and wait until all its members serve.
    ///
    /// # Errors
    /// If they do not.
    pub async fn running_as(&self, example: &str, edit: impl FnOnce(&mut Value)) -> Result<Set<'_>> {
        let set = self.apply(&manifest::edited(example, edit)?).await?;
        set.until_ready(3).await?;
        Ok(set)
    }

    /// A set by its name.
    #[must_use]
    pub fn set(&self, name: &str) -> Set<'_> {
        Set::new(self, name)
    }

    /// A pod by its name, whether it is a set's member or not.
    #[must_use]
    pub fn pod(&self, name: &str) -> Member<'_> {
        Member::new(self, name.to_owned())
    }

    /// Take everything away, and offer its volumes again.
    pub(crate) async fn remove(&self) -> Result<()> {
        let namespaces = Api::<Namespace>::all(self.client.clone());
        namespaces.delete(&self.name, &DeleteParams::default()).await?;
        // A frozen application would take all of its grace period.
        let soon = DeleteParams { grace_period_seconds: Some(1), ..DeleteParams::default() };
        wait::asked("the namespace is gone", async || {
            self.all::<Pod>().delete_collection(&soon, &ListParams::default()).await.ok();
            sleep(Duration::from_secs(1)).await;
            Ok(namespaces.get_opt(&self.name).await?.is_none())
        })
        .await?;
        installation::forget(&self.client, &self.name).await?;
        cluster::recycle_volumes().await.context("failed to empty volumes")
    }
}
