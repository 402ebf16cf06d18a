//! Nodes that lose their power, and come back.

use anyhow::{Context, Result, ensure};
use e2e::dark::{DarkNode, apart, away};
use e2e::{Identities, tool, wait, with_identities, with_namespace};
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use serde_json::json;

#[tokio::test]
async fn a_member_on_a_dark_node_is_waited_for_and_joins_when_the_node_is_back() -> Result<()> {
    let _alone = crate::alone().await;
    with_namespace(async |space| {
        let set = apart(space).await?;
        let away = away(space, &set).await?;
        let (lost, node) = away.first().context("every member is on the operator's node")?;
        let (other, _) = away.get(1).context("members share a node")?;
        let dark = DarkNode::cut(node).await?;
        let name = format!("rss-dummy-{lost}");
        set.until_state(&name, "Unknown").await?;
        let number = set.member(*other).write(5).await?;
        assert_eq!(set.member(*other).status().await?, 8, "the others serve");
        drop(dark);
        set.until_ready(3).await?;
        set.until_all_hold(3, number).await
    })
    .await
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_power_cut_waits_for_the_node_that_has_the_newest_data() -> Result<()> {
        let _alone = crate::alone().await;
        with_namespace(async |space| {
            let set = apart(space).await?;
            let away = away(space, &set).await?;
            let (newest, node) = away.first().context("every member is on the operator's node")?;
            let (epoch, others) = (set.status().await?.epoch, (0..3).filter(|ordinal| ordinal != newest));
            let others: Vec<_> = others.map(|ordinal| set.member(ordinal)).collect();
            for member in &others {
                member.freeze().await?;
            }
            let number = set.member(*newest).write(5).await?;
            let dark = DarkNode::cut(node).await?;
            for member in &others {
                member.crash().await?;
            }
            set.until_state(&format!("rss-dummy-{newest}"), "Unknown").await?;
            wait::asked("the others stopped", async || {
                let status = set.status().await?;
                Ok(status.replica_states.iter().filter(|r| r.app_state.as_deref() == Some("Stopped")).count()
                    == 2)
            })
            .await?;
            assert_eq!(set.status().await?.epoch, epoch, "nobody is seeded without the newest");
            let (code, told) = tool::explained(&set).await?;
            ensure!(code == Some(3) && told["standing"] == "Working", "it comes by itself: {told}");
            let first = &told["unblock"][0];
            ensure!(first["automatic"] == true && first["command"].is_null(), "{told}");
            let means = first["means"].as_str().unwrap_or_default();
            ensure!(means.contains(&set.member(*newest).name), "it is named who is waited for: {told}");
            drop(dark);
            set.until_recovered(3, epoch).await?;
            set.until_all_hold(3, number).await
        })
        .await
    }

    /// Its volume goes with it. The others hold what they hold; nobody waits for the node, and nobody gets its data.
    #[tokio::test]
    async fn an_identity_on_a_lost_node_is_replaced_by_another_and_its_claim_stays() -> Result<()> {
        let _alone = crate::alone().await;
        with_identities(async |space| {
            let coder = Identities::running(space, json!({"replacement": {"unheardAfter": "10s"}})).await?;
            let operators = space.operator().pods().await?;
            let homes: Vec<_> = operators.into_iter().filter_map(|pod| pod.spec?.node_name).collect();
            let node = |pod: &Pod| pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
            let pods = coder.pods().await?;
            let away = pods.iter().find(|pod| node(pod).is_some_and(|node| !homes.contains(&node)));
            let lost = away.context("every pod is on the operator's node")?;
            let (name, dark) = (lost.name_any(), DarkNode::cut(&node(lost).unwrap_or_default()).await?);
            wait::asked("another takes its place", async || {
                let now = coder.names().await?;
                Ok(now.len() >= 3 && !now.contains(&name))
            })
            .await?;
            let old = space.pod(&name).pod().await?;
            ensure!(!old.labels().contains_key("app"), "services do not find it: {:?}", old.labels());
            ensure!(old.metadata.deletion_timestamp.is_some(), "it was told to end, and nobody forced it");
            coder.until_ready(3).await?;
            ensure!(coder.claims().await?.contains(&format!("data-{name}")), "its claim stays");
            for pod in coder.names().await? {
                ensure!(coder.first_of(&pod).await? == pod, "nobody has another's volume");
            }
            let now = coder.names().await?;
            drop(dark);
            wait::asked("its kubelet ends it", async || {
                Ok(space.all::<Pod>().get_opt(&name).await?.is_none())
            })
            .await?;
            ensure!(coder.names().await? == now, "it comes back as nobody");
            Ok(())
        })
        .await
    }
}
