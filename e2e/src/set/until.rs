//! Waiting for what the operator says of a set.

use anyhow::{Context, Result};
use operator::api::{HoldStatus, ReplicatedStatefulSet, SetStatus};

use super::told::{all_serve, in_state, is_well};
use crate::{Member, Set, wait};

// === impl Set ===

impl Set<'_> {
    /// Wait until the operator, having seen the resource as it is now, says so.
    ///
    /// # Errors
    /// If it does not.
    pub async fn until(&self, what: &str, condition: impl Fn(&SetStatus) -> bool) -> Result<SetStatus> {
        let holds = |set: &ReplicatedStatefulSet| {
            set.status.as_ref().is_some_and(|status| {
                status.observed_generation == set.metadata.generation && condition(status)
            })
        };
        let seen = wait::until(&self.api(), &self.name, what, |set| set.is_some_and(holds)).await?;
        seen.and_then(|set| set.status).context("the set is gone")
    }

    /// Wait until so many members serve and nothing is left to do.
    ///
    /// # Errors
    /// If they do not.
    pub async fn until_ready(&self, count: u32) -> Result<SetStatus> {
        let what = format!("{count}/{count} ready, and nothing left to do");
        self.until(&what, |status| is_well(status, count)).await
    }

    /// Wait until so many members serve, whatever is left to do.
    ///
    /// # Errors
    /// If they do not.
    pub async fn until_serving(&self, count: u32) -> Result<SetStatus> {
        self.until(&format!("{count}/{count} serve"), |status| all_serve(status, count)).await
    }

    /// Wait until a new epoch has begun after `before`, so many members serve, and nothing is left to do.
    ///
    /// # Errors
    /// If that does not come.
    pub async fn until_recovered(&self, count: u32, before: Option<i64>) -> Result<SetStatus> {
        self.until("a new epoch", |status| status.epoch > before).await?;
        self.until_ready(count).await
    }

    /// Wait for something that is waited for.
    ///
    /// # Errors
    /// If nothing is, for this reason.
    pub async fn until_held(&self, reason: &str) -> Result<HoldStatus> {
        let of = |status: &SetStatus| status.holds.iter().find(|hold| hold.reason == reason).cloned();
        let status = self.until(&format!("hold {reason}"), |status| of(status).is_some()).await?;
        of(&status).context("the hold is gone")
    }

    /// Give the key that a hold offers, as a person does who looks again when it was refused: until the hold is gone. A key
    /// is bound to what is known when it is named, and of others more may become known.
    ///
    /// # Errors
    /// If no hold of this reason offers a key that begins so, or it opens nothing.
    pub async fn allow_offered(&self, reason: &str, key: &str) -> Result<()> {
        let mut given = None;
        wait::asked(&format!("{key} opens {reason}"), async || {
            let holds = self.status().await?.holds;
            let keys = holds.iter().filter(|hold| hold.reason == reason).flat_map(|hold| &hold.keys);
            let offered = keys.into_iter().find(|offered| offered.starts_with(key)).cloned();
            let Some(offered) = offered else { return Ok(given.is_some()) };
            if given.as_ref() != Some(&offered) {
                self.allow(std::slice::from_ref(&offered)).await?;
                given = Some(offered);
            }
            Ok(false)
        })
        .await
    }

    /// Wait until this member's volume was found locked, and the set waits for whoever holds it.
    ///
    /// # Errors
    /// If it does not.
    pub async fn until_locked(&self, member: &Member<'_>) -> Result<()> {
        let locked = self.until("its volume is locked", |status| {
            status.holds.iter().any(|hold| hold.reason == "LockBusy" && hold.scope == member.name)
        });
        locked.await.map(drop)
    }

    /// Wait until the operator says this of a member: Primary, Stopped, Unknown and so on.
    ///
    /// # Errors
    /// If it does not.
    pub async fn until_state(&self, member: &str, state: &str) -> Result<SetStatus> {
        self.until(&format!("{member} is {state}"), |status| in_state(status, member, state)).await
    }
}
