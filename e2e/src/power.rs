//! Power cuts on the local cluster, whose processes are those of this machine.

use anyhow::{Context, Result};
use futures::future::try_join_all;
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::DeleteParams;
use xtask::cluster::PodProcess;

use crate::Space;

/// Processes that were found, and the pods that they are in.
pub struct Doomed {
    pods: Vec<String>,
    processes: Vec<PodProcess>,
}

// === impl Doomed ===

impl Doomed {
    /// Adds pods of one program, by the name that Linux shows of it.
    ///
    /// # Errors
    /// If it does not run in one of them on this machine.
    pub fn and(mut self, pods: &[Pod], program: &str) -> Result<Self> {
        for pod in pods {
            let uid = pod.uid().context("the pod has no UID")?;
            self.processes.push(PodProcess::find(&uid, program)?);
            self.pods.push(pod.name_any());
        }
        Ok(self)
    }

    /// Nobody yet.
    #[must_use]
    pub fn nobody() -> Self {
        Self { pods: Vec::new(), processes: Vec::new() }
    }

    /// SIGKILL to every process, one right after the other.
    ///
    /// # Errors
    /// If one has ended by itself.
    pub fn kill(&self) -> Result<()> {
        self.processes.iter().try_for_each(PodProcess::kill)
    }

    /// Deletes every pod with force; one that has gone meanwhile is gone.
    ///
    /// # Errors
    /// If the API server refuses.
    pub async fn delete(&self, space: &Space) -> Result<()> {
        let (pods, forced) = (space.all::<Pod>(), DeleteParams::default().grace_period(0));
        let delete = async |name: &String| match pods.delete(name, &forced).await {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            done => done.map(drop).with_context(|| format!("failed to delete {name}")),
        };
        try_join_all(self.pods.iter().map(delete)).await.map(drop)
    }
}
