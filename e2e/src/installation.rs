//! The operator, installed as `deploy/` describes it and limited to one namespace.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{Pod, ServiceAccount};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::api::{Api, DeleteParams, ListParams, LogParams, Patch, PatchParams};
use kube::{Client, ResourceExt};
use serde_json::json;

use crate::{manifest, wait};

/// The ClusterRole of the tests' operators: not the name that a user's installation has.
const RIGHTS: &str = "rss-operator-e2e";
const NAME: &str = "rss-operator";

/// One installation of the operator.
#[derive(Clone)]
pub struct Installation {
    client: Client,
    /// Where it is.
    namespace: String,
    /// The namespaces it looks after; all, if none.
    looks_after: Vec<String>,
}

/// Gives the rights that all installations share.
pub(crate) async fn grant(client: &Client) -> Result<()> {
    let mut role: ClusterRole = manifest::deployed("cluster-role")?;
    role.metadata.name = Some(RIGHTS.to_owned());
    manifest::apply(&Api::all(client.clone()), &role).await.map(drop)
}

/// Takes away what an installation in this namespace has outside of it.
pub(crate) async fn forget(client: &Client, namespace: &str) -> Result<()> {
    let bindings = Api::<ClusterRoleBinding>::all(client.clone());
    let name = format!("{RIGHTS}-{namespace}");
    match bindings.delete(&name, &DeleteParams::default()).await {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        done => done.map(drop).context("failed to delete the binding of rights"),
    }
}

// === impl Installation ===

impl Installation {
    pub(crate) fn new(client: &Client, namespace: &str, looks_after: &[&str]) -> Self {
        let looks_after = looks_after.iter().map(|&name| name.to_owned()).collect();
        Self { client: client.clone(), namespace: namespace.to_owned(), looks_after }
    }

    /// Install it with so many replicas, and wait until each of them is ready.
    ///
    /// # Errors
    /// If the API server refuses, or it does not get ready.
    pub async fn install(&self, replicas: i32) -> Result<()> {
        let account: ServiceAccount = manifest::deployed("service-account")?;
        manifest::apply(&self.namespaced(), &account).await?;
        let mut binding: ClusterRoleBinding = manifest::deployed("cluster-role-binding")?;
        binding.metadata.name = Some(format!("{RIGHTS}-{}", self.namespace));
        binding.role_ref.name = RIGHTS.to_owned();
        for subject in binding.subjects.iter_mut().flatten() {
            subject.namespace = Some(self.namespace.clone());
        }
        manifest::apply(&Api::all(self.client.clone()), &binding).await?;
        let deployment = self.deployment(replicas)?;
        Box::pin(manifest::apply(&self.namespaced(), &deployment)).await?;
        self.until_ready(replicas).await
    }

    fn deployment(&self, replicas: i32) -> Result<Deployment> {
        let mut deployment: Deployment = manifest::deployed("deployment")?;
        let spec = deployment.spec.as_mut().context("the Deployment has no spec")?;
        spec.replicas = Some(replicas);
        let pod = spec.template.spec.as_mut().context("the Deployment has no pod")?;
        let arguments = pod.containers[0].args.get_or_insert_default();
        arguments.extend(self.looks_after.iter().map(|name| format!("--namespace={name}")));
        Ok(deployment)
    }

    async fn until_ready(&self, replicas: i32) -> Result<()> {
        wait::until(&self.namespaced::<Deployment>(), NAME, "the operator is ready", |found| {
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
        deployments.patch(NAME, &PatchParams::default(), &patch).await.map(drop).map_err(Into::into)
    }

    /// Kill its pods without a word; their Deployment makes new ones.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn kill(&self) -> Result<()> {
        for pod in self.pods().await? {
            self.kill_pod(&pod.name_any()).await?;
        }
        Ok(())
    }

    /// Kill one of its pods without a word.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn kill_pod(&self, name: &str) -> Result<()> {
        let now = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
        self.namespaced::<Pod>().delete(name, &now).await.map(drop).map_err(Into::into)
    }

    /// Its pods.
    ///
    /// # Errors
    /// If the API server does not say.
    pub async fn pods(&self) -> Result<Vec<Pod>> {
        let of = ListParams::default().labels("app.kubernetes.io/name=rss-operator");
        Ok(self.namespaced::<Pod>().list(&of).await?.items)
    }

    /// What one of its pods logged.
    ///
    /// # Errors
    /// If there is no such pod.
    pub async fn log(&self, pod: &str) -> Result<String> {
        Ok(self.namespaced::<Pod>().logs(pod, &LogParams::default()).await?)
    }

    /// The pod that holds the lease.
    ///
    /// # Errors
    /// If none does.
    pub async fn leader(&self) -> Result<String> {
        let leases = self.namespaced::<Lease>().list(&ListParams::default()).await?.items;
        let holders: Vec<_> = leases
            .into_iter()
            .filter(|lease| lease.name_any().starts_with(NAME))
            .filter_map(|lease| lease.spec?.holder_identity)
            .collect();
        ensure!(holders.len() == 1, "the lease is held by {holders:?}");
        let pods = self.pods().await?;
        let named = pods.iter().map(ResourceExt::name_any).find(|pod| holders[0].starts_with(pod.as_str()));
        named.with_context(|| format!("{} is no pod of this installation", holders[0]))
    }

    fn namespaced<K>(&self) -> Api<K>
    where
        K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), &self.namespace)
    }
}
