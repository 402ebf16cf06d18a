//! Applications that die, hang or stand still.

use anyhow::Result;
use e2e::{wait, with_namespace};

#[tokio::test]
async fn a_killed_process_joins_again_in_the_same_container() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/cluster").await?;
        let number = set.write_to_all(3).await?;
        let (uids, container) = (set.uids().await?, set.member(1).container().await?);
        let joins = set.member(1).began("primary").await?;
        set.member(1).crash().await?;
        assert_eq!(set.member(1).status().await?, 7);
        set.member(1).until_status(8).await?;
        set.until_ready(3).await?;
        assert_eq!(set.uids().await?, uids, "no pod was replaced");
        assert_eq!(set.member(1).container().await?, container, "nor a container");
        assert_eq!(set.member(1).began("primary").await?, joins + 1, "one command was enough");
        set.until_all_hold(3, number).await
    })
    .await
}

#[tokio::test]
async fn a_silent_member_is_unknown_and_left_alone_until_it_answers_again() -> Result<()> {
    with_namespace(async |space| {
        // Patience of three deadlines of `status`: longer than this test.
        let set = space
            .running_as("dummy/cluster", |set| {
                set["spec"]["pod"]["commands"]["status"]["timeout"] = "30s".into()
            })
            .await?;
        set.write_to_all(3).await?;
        let uids = set.uids().await?;
        set.member(2).fault("status-hang", "").await?;
        set.until_state("rss-dummy-2", "Unknown").await?;
        assert_eq!(set.member(0).status().await?, 8);
        let number = set.member(1).write(2).await?;
        set.member(2).no_faults().await?;
        set.until_ready(3).await?;
        assert_eq!(set.uids().await?, uids, "nobody was replaced");
        set.until_all_hold(3, number).await
    })
    .await
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_join_that_its_container_cut_off_is_over_by_the_word_of_its_guard_and_begun_again_in_the_same_pod()
    -> Result<()> {
        with_namespace(async |space| {
            let set = space.running("dummy/cluster").await?;
            let number = set.write_to_all(3).await?;
            let (uids, member) = (set.uids().await?, set.member(1));
            let (joins, container) = (member.began("primary").await?, member.container().await?);
            // Longer than this test: nothing else than its container ends it.
            member.fault("primary-slow", "900").await?;
            member.crash().await?;
            let begins = async || Ok(member.began("primary").await? == joins + 1);
            wait::asked("it joins again", begins).await?;
            member.no_faults().await?;
            member.sh("kill -TERM 1").await?;
            member.until_status(8).await?;
            set.until_ready(3).await?;
            assert_ne!(member.container().await?, container, "another container");
            assert_eq!(set.uids().await?, uids, "of the same pod");
            assert_eq!(member.began("primary").await?, joins + 2, "one command more was enough");
            set.until_all_hold(3, number).await
        })
        .await
    }

    #[tokio::test]
    async fn a_member_whose_status_hangs_for_ever_is_replaced() -> Result<()> {
        with_namespace(async |space| {
            let set = space.running("dummy/cluster").await?;
            let number = set.write_to_all(3).await?;
            let uids = set.uids().await?;
            set.member(2).fault("status-hang", "").await?;
            let hung = set.member(2);
            hung.until_followed(&uids[2]).await?;
            hung.no_faults().await?;
            set.until_ready(3).await?;
            assert_eq!(set.uids().await?[..2], uids[..2], "the others are untouched");
            set.until_all_hold(3, number).await
        })
        .await
    }

    #[tokio::test]
    async fn a_frozen_application_holds_nobody_up_and_is_well_when_it_goes_on() -> Result<()> {
        with_namespace(async |space| {
            let set = space.running("dummy/cluster").await?;
            let uids = set.uids().await?;
            set.member(1).freeze().await?;
            let number = set.member(0).write(4).await?;
            wait::asked("another member follows", async || Ok(set.member(2).number().await? == number))
                .await?;
            set.member(1).thaw().await?;
            set.until_all_hold(3, number).await?;
            set.until_ready(3).await?;
            assert_eq!(set.uids().await?, uids, "nobody was replaced");
            Ok(())
        })
        .await
    }
}
