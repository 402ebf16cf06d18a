//! Seeds that fail, are late, or take long.

use anyhow::{Result, ensure};
use e2e::{Set, wait, with_namespace};
use serde_json::Value;

use super::outage::{recovered, seeds};

#[tokio::test]
async fn a_seed_that_fails_is_followed_by_the_next_equal_one() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/cluster").await?;
        let number = set.write_to_all(3).await?;
        let (epoch, before) = (set.status().await?.epoch, seeds(&set, 3).await?);
        set.member(0).fault("seed-exit", "1").await?;
        set.cut_power(3).await?;
        recovered(&set, 3, epoch, number).await?;
        let began: Vec<_> = seeds(&set, 3).await?.iter().zip(before).map(|(now, then)| now - then).collect();
        assert_eq!(began, [1, 1, 0], "the lowest first, once; then the next");
        Ok(())
    })
    .await
}

/// Member 0 seeds, says that it failed, and comes up 20 s later if it is let. How often each seeded.
async fn after_a_late_seed(set: &Set<'_>) -> Result<Vec<usize>> {
    let number = set.write_to_all(3).await?;
    let (epoch, before) = (set.status().await?.epoch, seeds(set, 3).await?);
    set.member(0).fault("seed-late", "20").await?;
    set.cut_power(3).await?;
    wait::asked("the first seeds", async || Ok(set.member(0).began("seed").await? > before[0])).await?;
    let pod = set.member(0).uid().await?;
    recovered(set, 3, epoch, number).await?;
    let began: Vec<_> = seeds(set, 3).await?.iter().zip(before).map(|(now, then)| now - then).collect();
    let replaced = set.member(0).uid().await? != pod;
    ensure!(replaced == (began[1] > 0), "the next seeds if and only if the first pod is gone: {began:?}");
    Ok(began)
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_seed_that_says_it_failed_and_comes_up_late_is_the_only_one() -> Result<()> {
        with_namespace(async |space| {
            let patient = |set: &mut Value| set["spec"]["pod"]["terminationGracePeriodSeconds"] = 90.into();
            let set = space.running_as("dummy/cluster", patient).await?;
            assert_eq!(after_a_late_seed(&set).await?, [1, 0, 0], "its lock tells that it is alive");
            Ok(())
        })
        .await
    }

    #[tokio::test]
    async fn a_failed_seed_whose_process_stays_is_ended_before_the_next_begins() -> Result<()> {
        with_namespace(async |space| {
            // The example's grace period of 5 s is over before the first would have come up.
            let set = space.running("dummy/cluster").await?;
            assert_eq!(after_a_late_seed(&set).await?, [1, 1, 0]);
            Ok(())
        })
        .await
    }

    #[tokio::test]
    async fn a_seed_that_outlives_its_deadline_and_gets_on_is_the_only_one() -> Result<()> {
        with_namespace(async |space| {
            let short = |set: &mut Value| set["spec"]["pod"]["commands"]["seed"]["timeout"] = "5s".into();
            let set = space.running_as("dummy/cluster", short).await?;
            let number = set.write_to_all(3).await?;
            let (epoch, before) = (set.status().await?.epoch, seeds(&set, 3).await?);
            set.member(0).fault("seed-slow", "25").await?;
            set.cut_power(3).await?;
            recovered(&set, 3, epoch, number).await?;
            let began: Vec<_> =
                seeds(&set, 3).await?.iter().zip(before).map(|(now, then)| now - then).collect();
            assert_eq!(began, [1, 0, 0], "one seed ever ran");
            Ok(())
        })
        .await
    }
}
