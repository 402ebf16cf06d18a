//! A set with fewer primaries than members.

use anyhow::Result;
use e2e::{wait, with_namespace};
use serde_json::{Value, json};

use super::lights_out::begun_anew;

#[tokio::test]
async fn a_power_cut_brings_back_one_primary_with_the_newest_data() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/secondaries").await?;
        let (old, epoch) = (set.primary().await?, set.status().await?.epoch);
        let others: Vec<u32> = (0..3).filter(|ordinal| *ordinal != old).collect();
        for ordinal in &others {
            set.member(*ordinal).freeze().await?;
        }
        let number = set.member(old).write(6).await?;
        set.cut_power(3).await?;
        set.until_recovered(3, epoch).await?;
        set.primary().await?;
        wait::asked("no write is lost", async || Ok(set.numbers(3).await?.iter().all(|n| *n == number))).await
    })
    .await
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_killed_primary_is_followed_by_one_that_holds_all_its_writes() -> Result<()> {
        with_namespace(async |space| {
            let set = space.running("dummy/secondaries").await?;
            let old = set.primary().await?;
            let number = set.member(old).write(6).await?;
            set.until_all_hold(3, number).await?;
            let uids = set.uids().await?;
            set.member(old).crash().await?;
            set.until("its end is seen", |status| status.members.primary != [format!("rss-followers-{old}")])
                .await?;
            let new = set.primary().await?;
            let number = set.member(new).write(1).await?;
            set.until_all_hold(3, number).await?;
            assert_eq!(set.uids().await?, uids, "no pod was replaced");
            Ok(())
        })
        .await
    }

    #[tokio::test]
    async fn a_deleted_primary_is_followed_by_one_that_holds_all_its_writes() -> Result<()> {
        with_namespace(async |space| {
            let set = space.running("dummy/secondaries").await?;
            let old = set.primary().await?;
            let number = set.member(old).write(6).await?;
            set.until_all_hold(3, number).await?;
            let uid = set.member(old).uid().await?;
            set.member(old).delete_now().await?;
            set.member(old).until_replaced(&uid).await?;
            let new = set.primary().await?;
            let number = set.member(new).write(1).await?;
            set.until_all_hold(3, number).await
        })
        .await
    }

    #[tokio::test]
    async fn a_primary_that_holds_more_than_its_secondaries_comes_back_itself() -> Result<()> {
        with_namespace(async |space| {
            let set = space.running("dummy/secondaries").await?;
            let old = set.primary().await?;
            let others: Vec<u32> = (0..3).filter(|ordinal| *ordinal != old).collect();
            for ordinal in &others {
                set.member(*ordinal).freeze().await?;
            }
            let number = set.member(old).write(6).await?;
            set.member(old).crash().await?;
            for ordinal in &others {
                set.member(*ordinal).thaw().await?;
            }
            set.until_all_hold(3, number).await?;
            assert_eq!(set.primary().await?, old);
            Ok(())
        })
        .await
    }

    #[tokio::test]
    async fn a_claimless_set_without_power_begins_anew_with_one_primary() -> Result<()> {
        with_namespace(async |space| {
            let claimless = |set: &mut Value| {
                set["spec"]["pod"]["volumeClaimTemplates"] = json!([]);
                set["spec"]["pod"]["containers"][0]["volumeMounts"] = json!([]);
            };
            let set = space.running_as("dummy/secondaries", claimless).await?;
            set.primary().await?;
            assert!(set.claims().await?.is_empty(), "it has no claims");
            let before = set.uids().await?;
            set.cut_power(3).await?;
            begun_anew(&set, &before).await?;
            let new = set.primary().await?;
            let number = set.member(new).write(3).await?;
            set.until_all_hold(3, number).await
        })
        .await
    }
}
