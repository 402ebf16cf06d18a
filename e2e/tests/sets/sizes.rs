//! Sets that are resized, stopped and started again, and a power cut after that.

use anyhow::{Result, ensure};
use e2e::{tool, wait, with_namespace};

use super::outage::{recovered, unequal};

#[tokio::test]
async fn after_three_five_three_a_member_that_left_seeds_nothing() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/cluster").await?;
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

mod full {
    use super::*;

    #[tokio::test]
    async fn a_set_stopped_and_started_again_holds_what_it_held() -> Result<()> {
        with_namespace(async |space| {
            let set = space.running("dummy/cluster").await?;
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
            let set = space.running("dummy/cluster").await?;
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
            let (code, told) = tool::explained(&set).await?;
            ensure!(code == Some(4) && told["standing"] == "Blocked", "only a person can help: {told}");
            let command = |way: usize| told["unblock"][way]["command"].as_str().unwrap_or_default();
            ensure!(command(0).ends_with("--replicas=3"), "what keeps all comes first: {told}");
            ensure!(command(1).contains(&hold.keys[0]), "{told}");
            tool::pasted(command(1)).await?;
            set.until_ready(2).await?;
            set.until_all_hold(2, number).await
        })
        .await
    }
}
