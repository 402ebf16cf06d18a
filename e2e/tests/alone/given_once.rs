//! A set on a StatefulCluster: a member that is lost with its machine and its volume.

use anyhow::{Context, Result, ensure};
use e2e::dark::{DarkNode, node_of};
use e2e::{Member, Set, Space, galera, wait, with_identities};
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;

/// A member that is not on the operator's node.
async fn elsewhere<'a>(space: &Space, set: &Set<'a>) -> Result<(Member<'a>, String)> {
    let operators = space.operator().pods().await?;
    let homes: Vec<_> = operators.into_iter().filter_map(|pod| pod.spec?.node_name).collect();
    for member in set.present().await? {
        let node = node_of(&member).await?;
        if !homes.contains(&node) {
            return Ok((member, node));
        }
    }
    anyhow::bail!("every member is on the operator's node")
}

mod full {
    use super::*;

    /// Its claim is bound to the node, and nobody can read it. The others hold each row that was acknowledged.
    #[tokio::test]
    async fn a_database_that_is_lost_with_its_node_and_its_volume_is_replaced_and_no_row_is_lost()
    -> Result<()> {
        let _alone = crate::alone().await;
        with_identities(async |space| {
            let set = galera::running(space, |set| {
                set["spec"]["workload"] = "StatefulCluster".into();
                set["spec"]["pod"]["antiAffinity"] = true.into();
                set["spec"]["recovery"] = json!({"failover": "AllowLoss", "replaceAfter": "30s"});
            })
            .await?;
            let (lost, node) = elsewhere(space, &set).await?;
            let history = galera::lineage(&lost).await?;
            galera::insert(&lost, 0..20).await?;
            let epoch = set.status().await?.epoch;
            let dark = DarkNode::cut(&node).await?;
            let others = set.present().await?;
            let other = others.iter().find(|member| member.name != lost.name).context("it was alone")?;
            wait::asked("the others take writes", async || Ok(galera::insert(other, 20..21).await.is_ok()))
                .await?;
            galera::insert(other, 21..40).await?;
            set.until_recovered(3, epoch).await?;
            let now = set.present().await?;
            ensure!(now.iter().all(|member| member.name != lost.name), "another has its place");
            ensure!(set.told("LossAccepted").await? == 1, "it is told that it was given up");
            galera::until_all_hold(&set, 40, &history).await?;
            let claims = set.claims().await?;
            let kept = format!("data-{}", lost.name);
            ensure!(
                claims.iter().any(|claim| claim.metadata.name.as_ref() == Some(&kept)),
                "its claim stays"
            );
            drop(dark);
            wait::asked("its kubelet ends it", async || {
                Ok(space.all::<Pod>().get_opt(&lost.name).await?.is_none())
            })
            .await?;
            set.until_ready(3).await?;
            galera::until_all_hold(&set, 40, &history).await
        })
        .await
    }
}
