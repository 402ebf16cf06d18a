//! A member of a set under test: its pod, and the application in it.

mod dummy;

use std::net::IpAddr;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::DeleteParams;

use crate::{Answer, Space, exec, wait};

/// A member of a set under test.
#[derive(Clone)]
pub struct Member<'a> {
    space: &'a Space,
    /// The name of its pod.
    pub name: String,
}

// === impl Member ===

impl<'a> Member<'a> {
    pub(crate) fn new(space: &'a Space, name: String) -> Self {
        Self { space, name }
    }

    fn pods(&self) -> Api<Pod> {
        self.space.all()
    }

    /// Its pod.
    ///
    /// # Errors
    /// If there is none.
    pub async fn pod(&self) -> Result<Pod> {
        self.pods().get(&self.name).await.with_context(|| format!("failed to see {}", self.name))
    }

    /// The UID of its pod.
    ///
    /// # Errors
    /// If there is none.
    pub async fn uid(&self) -> Result<String> {
        self.pod().await?.metadata.uid.context("the pod has no UID")
    }

    /// The address of its pod.
    ///
    /// # Errors
    /// If it has none.
    pub async fn address(&self) -> Result<IpAddr> {
        let address = self.pod().await?.status.and_then(|status| status.pod_ip);
        address.context("the pod has no address")?.parse().map_err(Into::into)
    }

    /// The ID of its container, of which a restart makes another.
    ///
    /// # Errors
    /// If it has none.
    pub async fn container(&self) -> Result<String> {
        container(&self.pod().await?).context("the pod has no container")
    }

    /// Run a command in its container.
    ///
    /// # Errors
    /// If it cannot be run, or how it ended is not known.
    pub async fn run(&self, argv: &[&str]) -> Result<Answer> {
        let argv: Vec<String> = argv.iter().map(|&word| word.to_owned()).collect();
        exec::run(&self.pods(), &self.name, &argv).await
    }

    /// Run a script in its container, which must succeed; what it printed.
    ///
    /// # Errors
    /// If it fails.
    pub async fn sh(&self, script: &str) -> Result<String> {
        let answer = self.run(&["sh", "-c", script]).await?;
        answer.said().with_context(|| format!("{}: {script}", self.name))
    }

    /// `kubectl delete pod --now`.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn delete_now(&self) -> Result<()> {
        self.delete(1).await
    }

    /// `kubectl delete pod --force --grace-period=0`: nothing waits for its end.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn delete_forced(&self) -> Result<()> {
        self.delete(0).await
    }

    async fn delete(&self, grace: u32) -> Result<()> {
        let parameters = DeleteParams { grace_period_seconds: Some(grace), ..DeleteParams::default() };
        let deleted = self.pods().delete(&self.name, &parameters).await;
        deleted.map(drop).with_context(|| format!("failed to delete {}", self.name))
    }

    /// Wait until its pod is as is asked.
    ///
    /// # Errors
    /// If it never is.
    pub async fn until(&self, what: &str, condition: impl Fn(&Pod) -> bool) -> Result<Pod> {
        let seen = wait::until(&self.pods(), &self.name, what, |pod| pod.is_some_and(&condition)).await?;
        seen.context("the pod is gone")
    }

    /// Wait until the next pod of its name runs, whatever is left of the one before.
    ///
    /// # Errors
    /// If none does.
    pub async fn until_followed(&self, uid: &str) -> Result<Pod> {
        let is_next = |pod: &Pod| pod.metadata.uid.as_deref() != Some(uid) && is_running(pod);
        self.until("the next pod runs", is_next).await
    }

    /// Wait until another pod than this has its name and clients are led to it.
    ///
    /// # Errors
    /// If that does not come.
    pub async fn until_replaced(&self, uid: &str) -> Result<Pod> {
        self.until("a new pod of its name is an active member", |pod| {
            pod.metadata.uid.as_deref() != Some(uid) && is_active(pod)
        })
        .await
    }
}

/// Whether clients are led to this pod.
#[must_use]
pub fn is_active(pod: &Pod) -> bool {
    let labels = pod.metadata.labels.as_ref();
    labels.and_then(|labels| labels.get("rss-active-member")).is_some_and(|active| active == "true")
}

/// Whether the first container of a pod runs.
#[must_use]
pub fn is_running(pod: &Pod) -> bool {
    let statuses = pod.status.as_ref().and_then(|status| status.container_statuses.as_ref());
    let state = statuses.and_then(|all| all.first()?.state.as_ref());
    state.is_some_and(|state| state.running.is_some())
}

/// The ID of the first container of a pod, as its runtime calls it.
#[must_use]
pub fn container(pod: &Pod) -> Option<String> {
    pod.status.as_ref()?.container_statuses.as_ref()?.first()?.container_id.clone()
}
