//! The pods of an installation: which leads, what they log, and how they die.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::{DeleteParams, ListParams, LogParams};

use super::INSTANCE;
use crate::Installation;

// === impl Installation ===

impl Installation {
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
        let of = ListParams::default().labels(&format!("{INSTANCE}={}", self.name));
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
        let holders = leases.into_iter().filter_map(|lease| lease.spec?.holder_identity);
        let holders: Vec<_> = holders.collect();
        let leads = |pod: &String| holders.iter().any(|holder| holder.starts_with(pod.as_str()));
        let pods = self.pods().await?;
        let mut leaders: Vec<_> = pods.iter().map(ResourceExt::name_any).filter(leads).collect();
        ensure!(leaders.len() == 1, "leases are held by {holders:?}");
        leaders.pop().context("nobody leads")
    }
}
