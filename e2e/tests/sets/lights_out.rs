//! Every member lost its power: the newest data seeds, and nothing that was acknowledged is lost.

use anyhow::{Result, ensure};
use e2e::{Set, Space, manifest, wait, with_namespace};
use serde_json::json;

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

async fn running(space: &Space) -> Result<Set<'_>> {
    space.running("dummy/cluster").await
}

#[tokio::test]
async fn the_newest_member_seeds_and_no_write_is_lost() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space).await?;
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
async fn after_three_five_three_a_member_that_left_seeds_nothing() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space).await?;
        set.scale(5).await?;
        set.until_ready(5).await?;
        let number = set.member(4).write(7).await?;
        set.until_all_hold(5, number).await?;
        set.scale(3).await?;
        set.until_ready(3).await?;
        assert_eq!(set.claims().await?.len(), 5, "claims of those that left are kept");
        let epoch = set.status().await?.epoch;
        let newest = unequal(&set).await?;
        set.cut_power(3).await?;
        recovered(&set, 3, epoch, newest).await?;
        assert_eq!(set.pods().await?.len(), 3, "nobody was brought back for its data");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_set_stopped_and_started_again_holds_what_it_held() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space).await?;
        let number = set.member(0).write(9).await?;
        set.until_all_hold(3, number).await?;
        let epoch = set.status().await?.epoch;
        set.scale(0).await?;
        let status = set.until("stopped", |status| status.replicas == 0).await?;
        wait::asked("no pod is left", async || Ok(set.pods().await?.is_empty())).await?;
        assert_eq!(status.restore_replicas, Some(3));
        set.scale(3).await?;
        recovered(&set, 3, epoch, number).await
    })
    .await
}

#[tokio::test]
async fn a_stopped_set_comes_back_smaller_only_when_a_person_says_so() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space).await?;
        let number = set.member(0).write(9).await?;
        set.until_all_hold(3, number).await?;
        set.scale(0).await?;
        set.until("stopped", |status| status.replicas == 0 && status.restore_replicas == Some(3)).await?;
        wait::asked("no pod is left", async || Ok(set.pods().await?.is_empty())).await?;
        set.scale(2).await?;
        let hold = set.until_held("RestoreSize").await?;
        let message = hold.message.unwrap_or_default();
        assert!(message.contains('2') && message.contains('3'), "both numbers are named: {message}");
        assert!(set.pods().await?.is_empty(), "nothing was started");
        set.allow(&hold.keys).await?;
        set.until_ready(2).await?;
        set.until_all_hold(2, number).await
    })
    .await
}

#[tokio::test]
async fn a_set_destroyed_and_made_again_finds_its_data() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space).await?;
        let newest = unequal(&set).await?;
        set.destroy().await?;
        assert_eq!(set.claims().await?.len(), 3, "claims are kept");
        let set = running(space).await?;
        set.until_all_hold(3, newest).await
    })
    .await
}

#[tokio::test]
async fn what_was_promised_is_found_on_the_claims_when_the_status_was_wiped() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space).await?;
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

async fn begun_anew(set: &Set<'_>, before: &[String]) -> Result<()> {
    for (member, uid) in set.members(3).iter().zip(before) {
        member.until_replaced(uid).await?;
    }
    set.until_ready(3).await?;
    wait::asked("DataGone is told", async || Ok(set.told("DataGone").await? > 0)).await
}
