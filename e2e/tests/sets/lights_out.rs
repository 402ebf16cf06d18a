//! Every member lost its power: the newest data seeds, and nothing that was acknowledged is lost.

use anyhow::Result;
use e2e::{Set, manifest, wait, with_namespace};
use serde_json::json;

use super::outage::{recovered, seeds, unequal};

#[tokio::test]
async fn the_newest_member_seeds_and_no_write_is_lost() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/cluster").await?;
        let (epoch, before) = (set.status().await?.epoch, seeds(&set, 3).await?);
        let newest = unequal(&set).await?;
        set.cut_power(3).await?;
        recovered(&set, 3, epoch, newest).await?;
        let began: Vec<_> = seeds(&set, 3).await?.iter().zip(before).map(|(now, then)| now - then).collect();
        assert_eq!(began, [0, 0, 1], "the newest seeds, once");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_was_promised_is_found_on_the_claims_when_the_status_was_wiped() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/cluster").await?;
        let epoch = set.status().await?.epoch;
        let newest = unequal(&set).await?;
        // Without its operator nobody puts back from memory what is taken out of the status.
        space.operator().remove().await?;
        set.patch_status(json!({"memory": null, "epoch": null, "holds": null})).await?;
        set.cut_power(3).await?;
        space.operator().install(1).await?;
        recovered(&set, 3, epoch, newest).await
    })
    .await
}

#[tokio::test]
async fn a_claimless_set_that_lost_all_its_pods_begins_anew_and_says_so() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/claimless").await?;
        let before = set.uids().await?;
        for member in set.members(3) {
            member.delete_now().await?;
        }
        begun_anew(&set, &before).await
    })
    .await
}

/// Every member is another pod and serves, and people were told that the data is gone.
pub(crate) async fn begun_anew(set: &Set<'_>, before: &[String]) -> Result<()> {
    for (member, uid) in set.members(3).iter().zip(before) {
        member.until_replaced(uid).await?;
    }
    set.until_ready(3).await?;
    wait::asked("DataGone is told", async || Ok(set.told("DataGone").await? > 0)).await
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_set_destroyed_and_made_again_finds_its_data() -> Result<()> {
        with_namespace(async |space| {
            let set = space.running("dummy/cluster").await?;
            let newest = unequal(&set).await?;
            set.destroy().await?;
            assert_eq!(set.claims().await?.len(), 3, "claims are kept");
            let set = space.running("dummy/cluster").await?;
            set.until_all_hold(3, newest).await
        })
        .await
    }

    #[tokio::test]
    async fn a_claimless_set_without_power_begins_anew_after_the_grace_period_of_its_pods() -> Result<()> {
        with_namespace(async |space| {
            let claimless = manifest::edited("dummy/claimless", |set| {
                set["spec"]["pod"]["terminationGracePeriodSeconds"] = 5.into();
            })?;
            let set = space.apply(&claimless).await?;
            set.until_ready(3).await?;
            let before = set.uids().await?;
            set.cut_power(3).await?;
            begun_anew(&set, &before).await
        })
        .await
    }
}
