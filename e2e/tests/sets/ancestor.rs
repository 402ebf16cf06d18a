//! The ancestor's walk-throughs by their names, on its manifest.

use anyhow::{Result, ensure};
use e2e::{Set, Space, manifest, nodes, wait, with_namespace};

async fn created(space: &Space) -> Result<Set<'_>> {
    space.running("dummy/claimless").await
}

#[tokio::test]
async fn operator_recovery_after_a_member_was_lost_meanwhile() -> Result<()> {
    with_namespace(async |space| {
        let set = created(space).await?;
        let before = set.uids().await?;
        space.operator().remove().await?;
        set.member(0).delete_now().await?;
        set.member(0)
            .until("a new pod of its name", |pod| pod.metadata.uid.as_ref() != Some(&before[0]))
            .await?;
        for member in &set.members(3)[1..] {
            assert_eq!(member.status().await?, 8, "{} serves on without an operator", member.name);
        }
        space.operator().install(1).await?;
        set.member(0).until_replaced(&before[0]).await?;
        // Nobody saw how the lost pod ended: until its grace period is over, no seed would be started.
        set.until_serving(3).await?;
        assert_eq!(set.uids().await?[1..], before[1..], "the others are untouched");
        Ok(())
    })
    .await
}

mod full {
    use super::*;

    #[tokio::test]
    async fn failover_of_a_deleted_member_leaves_the_others_alone() -> Result<()> {
        with_namespace(async |space| {
            let set = created(space).await?;
            let before = set.uids().await?;
            set.member(0).delete_now().await?;
            set.member(0).until_replaced(&before[0]).await?;
            set.until_ready(3).await?;
            assert_eq!(set.uids().await?[1..], before[1..], "the others are untouched");
            Ok(())
        })
        .await
    }

    #[tokio::test]
    async fn create() -> Result<()> {
        with_namespace(async |space| {
            let set = created(space).await?;
            let mut primary = set.status().await?.members.primary;
            primary.sort();
            assert_eq!(primary, ["rss-example-0", "rss-example-1", "rss-example-2"]);
            for member in set.members(3) {
                assert_eq!(member.status().await?, 8, "{}", member.name);
            }
            Ok(())
        })
        .await
    }

    #[tokio::test]
    async fn destroy() -> Result<()> {
        with_namespace(async |space| {
            let set = created(space).await?;
            set.destroy().await?;
            let left =
                space.all::<k8s_openapi::api::apps::v1::StatefulSet>().list(&Default::default()).await?;
            assert!(left.items.is_empty(), "no StatefulSet is left");
            Ok(())
        })
        .await
    }

    #[tokio::test]
    async fn resize_to_five_and_back_to_three_leaves_the_first_three_alone() -> Result<()> {
        with_namespace(async |space| {
            // Its members never share a node, so five need five nodes: on fewer, and there only, they may.
            let apart = nodes(&space.client).await? >= 5;
            let of = |replicas: u32| {
                manifest::edited("dummy/claimless", |set| {
                    set["spec"]["replicas"] = replicas.into();
                    set["spec"]["pod"]["antiAffinity"] = apart.into();
                })
            };
            let set = space.apply(&of(3)?).await?;
            set.until_ready(3).await?;
            let before = set.uids().await?;
            space.apply(&of(5)?).await?;
            set.until_ready(5).await?;
            let names: Vec<_> = set.status().await?.members.primary;
            ensure!(names.len() == 5, "{names:?}");
            space.apply(&of(3)?).await?;
            set.until_ready(3).await?;
            wait::asked("three pods are left", async || Ok(set.pods().await?.len() == 3)).await?;
            assert_eq!(set.uids().await?, before, "pods that stay are never replaced");
            Ok(())
        })
        .await
    }
}
