//! Members that are unequal, and what a power cut leaves of them.

use anyhow::{Result, ensure};
use e2e::{Set, wait};

/// Three members on claims that hold different numbers: 0 the least, 2 the most. The number of member 2.
pub(crate) async fn unequal(set: &Set<'_>) -> Result<u64> {
    let [first, second, third] = [0, 1, 2].map(|ordinal| set.member(ordinal));
    let number = first.write(1).await?;
    set.until_all_hold(3, number).await?;
    first.freeze().await?;
    let number = second.write(3).await?;
    wait::asked("the third follows the second", async || Ok(third.number().await? == number)).await?;
    second.freeze().await?;
    let newest = third.write(5).await?;
    let held = set.numbers(3).await?;
    ensure!(held[0] < held[1] && held[1] < newest, "they are unequal: {held:?}");
    Ok(newest)
}

/// How often each member's `seed` began, by the members' own logs.
pub(crate) async fn seeds(set: &Set<'_>, count: u32) -> Result<Vec<usize>> {
    let mut seeds = Vec::new();
    for member in set.members(count) {
        seeds.push(member.began("seed").await?);
    }
    Ok(seeds)
}

/// After a power cut all members serve, and hold what the newest held.
pub(crate) async fn recovered(set: &Set<'_>, count: u32, epoch: Option<i64>, newest: u64) -> Result<()> {
    set.until_recovered(count, epoch).await?;
    set.until_all_hold(count, newest).await
}
