//! What members of the dummy hold, and how they lose their power.

use anyhow::{Result, ensure};
use futures::future::try_join_all;

use crate::{Member, Set, wait};

// === impl Set ===

impl Set<'_> {
    /// The number that every member holds, by asking each.
    ///
    /// # Errors
    /// If one does not answer.
    pub async fn numbers(&self, count: u32) -> Result<Vec<u64>> {
        let members = self.members(count);
        try_join_all(members.iter().map(Member::number)).await
    }

    /// Write through member 0, and wait until all of them hold it: the new number.
    ///
    /// # Errors
    /// If they never do.
    pub async fn write_to_all(&self, count: u32) -> Result<u64> {
        let number = self.member(0).write(6).await?;
        self.until_all_hold(count, number).await?;
        Ok(number)
    }

    /// Wait until every member holds this number.
    ///
    /// # Errors
    /// If they never agree on it.
    pub async fn until_all_hold(&self, count: u32, number: u64) -> Result<()> {
        let what = format!("all {count} members hold {number}");
        wait::asked(&what, async || {
            let numbers = self.numbers(count).await?;
            ensure!(numbers.iter().all(|held| *held == number), "they hold {numbers:?}");
            Ok(true)
        })
        .await
    }

    /// Wait until all of three serve, one of them as primary: its ordinal.
    ///
    /// # Errors
    /// If they do not, or it says itself that it is none.
    pub async fn primary(&self) -> Result<u32> {
        let members = self.until_ready(3).await?.members;
        ensure!((members.primary.len(), members.secondary.len()) == (1, 2), "{members:?}");
        let ordinal = members.primary[0].rsplit('-').next().unwrap_or_default().parse()?;
        ensure!(self.member(ordinal).status().await? == 8, "{} is no primary", members.primary[0]);
        Ok(ordinal)
    }

    /// What a power cut does to its first so many members.
    ///
    /// # Errors
    /// If a pod cannot be had.
    pub async fn cut_power(&self, count: u32) -> Result<()> {
        cut_power_of(&self.members(count)).await
    }
}

/// What a power cut does: every application dies at once, and nothing knows of the pods any more.
///
/// # Errors
/// If a pod cannot be had.
pub async fn cut_power_of(members: &[Member<'_>]) -> Result<()> {
    try_join_all(members.iter().map(Member::crash)).await?;
    try_join_all(members.iter().map(Member::delete_forced)).await.map(drop)
}
