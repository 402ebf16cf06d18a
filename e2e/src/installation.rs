//! The operator, installed as `deploy/` describes it and, if asked, limited to namespaces.

mod pods;
mod rights;

use anyhow::{Context, Result};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::api::{Api, Patch, PatchParams};
use serde_json::{from_value, json, to_value};
use xtask::registry::Registry;

use crate::{manifest, wait};
use rights::Rights;
pub(crate) use rights::{forget, grant, grant_identities};

/// The name that `deploy/` gives it.
const NAME: &str = "rss-operator";
/// Tells the pods of one installation from those of another in its namespace.
const INSTANCE: &str = "app.kubernetes.io/instance";

/// One installation of the operator.
#[derive(Clone)]
pub struct Installation {
    client: Client,
    /// The name of its Deployment.
    name: String,
    /// Where it is.
    namespace: String,
    rights: Rights,
    /// The namespaces it looks after; all, if none.
    looks_after: Vec<String>,
    /// Where it fetches policies from; from anywhere, if none.
    registry: Option<Registry>,
    /// Further arguments.
    arguments: Vec<String>,
}

// === impl Installation ===

impl Installation {
    pub(crate) fn new(client: &Client, namespace: &str, looks_after: &[&str]) -> Self {
        Self {
            client: client.clone(),
            name: NAME.to_owned(),
            namespace: namespace.to_owned(),
            rights: Rights::Cluster,
            looks_after: looks_after.iter().map(|&name| name.to_owned()).collect(),
            registry: None,
            arguments: Vec::new(),
        }
    }

    /// The same, trusting the authority of a registry and fetching policies from there alone.
    #[must_use]
    pub fn fetching_from(self, registry: &Registry) -> Self {
        Self { registry: Some(registry.clone()), ..self }
    }

    /// The same under another name, so that two can be in one namespace.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// The same with one argument more.
    #[must_use]
    pub fn with(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    /// With the rights of `role.yaml` alone, and the argument that `deployment.yaml` names for it.
    #[must_use]
    pub fn with_role_alone(self) -> Self {
        Self { rights: Rights::Namespace, looks_after: vec!["$(POD_NAMESPACE)".to_owned()], ..self }
    }

    /// Install it with so many replicas, and wait until each of them is ready.
    ///
    /// # Errors
    /// If the API server refuses, or it does not get ready.
    pub async fn install(&self, replicas: i32) -> Result<()> {
        self.rights.give(&self.client, &self.namespace).await?;
        let mut deployment = self.deployment(replicas)?;
        if let Some(registry) = &self.registry {
            let authority: ConfigMap = from_value(registry.authority())?;
            manifest::apply(&self.namespaced(), &authority).await?;
            let mut described = to_value(deployment)?;
            registry.let_in(&mut described);
            deployment = from_value(described)?;
        }
        Box::pin(manifest::apply(&self.namespaced(), &deployment)).await?;
        self.until_ready(replicas).await
    }

    fn deployment(&self, replicas: i32) -> Result<Deployment> {
        let mut deployment: Deployment = manifest::deployed("deployment")?;
        deployment.metadata.name = Some(self.name.clone());
        let spec = deployment.spec.as_mut().context("the Deployment has no spec")?;
        spec.replicas = Some(replicas);
        let instance = || (INSTANCE.to_owned(), self.name.clone());
        spec.selector.match_labels.get_or_insert_default().extend([instance()]);
        let labels = spec.template.metadata.get_or_insert_default().labels.get_or_insert_default();
        labels.extend([instance()]);
        let pod = spec.template.spec.as_mut().context("the Deployment has no pod")?;
        let arguments = pod.containers[0].args.get_or_insert_default();
        arguments.extend(self.looks_after.iter().map(|name| format!("--namespace={name}")));
        arguments.extend(self.arguments.iter().cloned());
        Ok(deployment)
    }

    /// Wait until so many of its pods are ready, and there are no others.
    ///
    /// # Errors
    /// If they never are.
    pub async fn until_ready(&self, replicas: i32) -> Result<()> {
        wait::until(&self.namespaced::<Deployment>(), &self.name, "the operator is ready", |found| {
            let status = found.and_then(|deployment| deployment.status.as_ref());
            let ready = status.and_then(|status| status.ready_replicas).unwrap_or_default();
            let all = status.and_then(|status| status.replicas).unwrap_or_default();
            (ready, all) == (replicas, replicas)
        })
        .await
        .map(drop)
    }

    /// Take it away, as `kubectl delete deployment` does, and wait until no process of it is left.
    ///
    /// # Errors
    /// If it does not go.
    pub async fn remove(&self) -> Result<()> {
        self.scale(0).await?;
        wait::asked("the operator's pods are gone", async || Ok(self.pods().await?.is_empty())).await
    }

    /// Have so many replicas from now on; nothing is waited for.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn scale(&self, replicas: i32) -> Result<()> {
        let patch = Patch::Merge(json!({"spec": {"replicas": replicas}}));
        let deployments = self.namespaced::<Deployment>();
        deployments.patch(&self.name, &PatchParams::default(), &patch).await.map(drop).map_err(Into::into)
    }

    fn namespaced<K>(&self) -> Api<K>
    where
        K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), &self.namespace)
    }
}
