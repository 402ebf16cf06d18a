//! What is asked of the dummy and done to it, as its README says.

use anyhow::Result;

use crate::{Member, wait};

// === impl Member ===

impl Member<'_> {
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
        self.run(&["/dummy", "write", &by.to_string()]).await?.said()?.parse().map_err(Into::into)
    }

    /// What the dummy's `status` answers: 8 primary, 0 secondary, 7 stopped.
    ///
    /// # Errors
    /// If it does not.
    pub async fn status(&self) -> Result<i32> {
        Ok(self.run(&["/dummy", "status"]).await?.code)
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
        self.run(&["/dummy", "crash"]).await?.said().map(drop)
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

    /// Wait until the dummy's `status` answers this.
    ///
    /// # Errors
    /// If it never does.
    pub async fn until_status(&self, code: i32) -> Result<()> {
        let what = format!("{}: status {code}", self.name);
        wait::asked(&what, async || Ok(self.status().await? == code)).await
    }
}
