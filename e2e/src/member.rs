//! A member of a set under test: its pod, and the application in it.

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

    /// The number that the dummy holds.
    ///
    /// # Errors
    /// If it does not say.
    pub async fn number(&self) -> Result<u64> {
        self.sh("cat $([ -d /data ] && echo /data || echo /state)/sequence")
            .await?
            .parse()
            .map_err(Into::into)
    }

    /// Add to the dummy's number as a client does; the new one.
    ///
    /// # Errors
    /// If it does not take it.
    pub async fn write(&self, by: u64) -> Result<u64> {
        self.sh(&format!("/write.sh {by}")).await?.parse().map_err(Into::into)
    }

    /// What the dummy's `status` answers: 8 primary, 0 secondary, 7 stopped.
    ///
    /// # Errors
    /// If it does not.
    pub async fn status(&self) -> Result<i32> {
        Ok(self.run(&["/check.sh"]).await?.code)
    }

    /// Have one of the dummy's commands misbehave: `NAME-hang` and the like, as its README says.
    ///
    /// # Errors
    /// If it cannot be told.
    pub async fn fault(&self, name: &str, content: &str) -> Result<()> {
        let folder = "$([ -d /data ] && echo /data || echo /state)/fault";
        self.sh(&format!("mkdir -p {folder} && echo {content} >{folder}/{name}")).await.map(drop)
    }

    /// Have the dummy's commands behave again.
    ///
    /// # Errors
    /// If it cannot be told.
    pub async fn no_faults(&self) -> Result<()> {
        self.sh("rm -rf /data/fault /state/fault").await.map(drop)
    }

    /// How many of the dummy's commands of this name began, by its own log.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub async fn began(&self, command: &str) -> Result<usize> {
        let log = self.sh("cat $([ -d /data ] && echo /data || echo /state)/log").await?;
        Ok(log.lines().filter(|line| line.split(' ').next() == Some(command)).count())
    }

    /// The dummy's application dies at once.
    ///
    /// # Errors
    /// If it cannot be had.
    pub async fn crash(&self) -> Result<()> {
        self.run(&["/crash.sh"]).await?.said().map(drop)
    }

    /// The dummy's application stands still, and is not dead.
    ///
    /// # Errors
    /// If it cannot be had.
    pub async fn freeze(&self) -> Result<()> {
        self.sh("kill -STOP -$(cat /run/dummy/pid)").await.map(drop)
    }

    /// A frozen application goes on.
    ///
    /// # Errors
    /// If it cannot be had.
    pub async fn thaw(&self) -> Result<()> {
        self.sh("kill -CONT -$(cat /run/dummy/pid)").await.map(drop)
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

    /// Wait until the dummy's `status` answers this.
    ///
    /// # Errors
    /// If it never does.
    pub async fn until_status(&self, code: i32) -> Result<()> {
        let what = format!("{}: status {code}", self.name);
        wait::asked(&what, async || Ok(self.status().await? == code)).await
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

fn container(pod: &Pod) -> Option<String> {
    pod.status.as_ref()?.container_statuses.as_ref()?.first()?.container_id.clone()
}
