//! A node that is lost for good.

use anyhow::{Context, Result, ensure};
use e2e::dark::{DarkNode, apart, away, node_of};
use e2e::{wait, with_namespace};
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use kube::api::DeleteParams;
use xtask::cluster::Cluster;

/// The word of an administrator that a node is dead, taken back however the test ends.
struct OutOfService<'a> {
    cluster: Cluster,
    node: &'a str,
}

const TAINT: &str = "node.kubernetes.io/out-of-service";

impl<'a> OutOfService<'a> {
    fn say(node: &'a str) -> Result<Self> {
        let said = Self { cluster: Cluster::attach()?, node };
        said.cluster.kubectl(&["taint", "node", node, &format!("{TAINT}=dead:NoExecute")])?;
        Ok(said)
    }
}

impl Drop for OutOfService<'_> {
    fn drop(&mut self) {
        self.cluster.kubectl(&["taint", "node", self.node, &format!("{TAINT}-")]).ok();
    }
}

mod full {
    use super::*;

    /// Its volume goes with it. What the others hold was all there, so nothing is lost by that; only a person can know it.
    #[tokio::test]
    async fn a_node_that_never_comes_back_is_given_up_by_a_person_and_its_member_is_made_anew() -> Result<()>
    {
        let _alone = crate::alone().await;
        with_namespace(async |space| {
            let set = apart(space).await?;
            let number = set.write_to_all(3).await?;
            let away = away(space, &set).await?;
            let (lost, node) = away.first().context("every member is on the operator's node")?;
            let lost = set.member(*lost);
            let epoch = set.status().await?.epoch;
            let dark = DarkNode::cut(node).await?;
            set.until_state(&lost.name, "Unknown").await?;
            for member in set.members(3).iter().filter(|member| member.name != lost.name) {
                member.crash().await?;
            }
            set.until_held("StartOpen").await?;
            ensure!(set.status().await?.epoch == epoch, "nobody is seeded while it may live");
            let dead = OutOfService::say(node)?;
            set.allow_offered("Unread", &format!("AcceptLoss/{}/", lost.name)).await?;
            set.until("the others serve", |status| status.epoch > epoch && status.members.primary.len() == 2)
                .await?;

            let claims = space.all::<PersistentVolumeClaim>();
            let claim = format!("data-{}", lost.name);
            let old = claims.get(&claim).await?.metadata.uid;
            claims.delete(&claim, &DeleteParams::default()).await?;
            lost.delete_forced().await?;
            wait::asked("it has another claim", async || Ok(claims.get(&claim).await?.metadata.uid != old))
                .await?;
            set.until_ready(3).await?;
            ensure!(node_of(&lost).await? != *node, "it is elsewhere");
            set.until_all_hold(3, number).await?;
            drop(dead);
            drop(dark);
            set.until_ready(3).await.map(drop)
        })
        .await
    }
}
