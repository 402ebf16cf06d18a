//! What a set says beforehand of a power cut, and what then happens.

use anyhow::Result;
use e2e::{Set, told, with_namespace};
use operator::api::SetStatus;
use serde_json::{Value, json};

use super::outage::{recovered, unequal};

/// Waits until this is foretold.
pub(crate) async fn foretold(set: &Set<'_>, truth: &str, reason: &str) -> Result<()> {
    let is = |status: &SetStatus| is_foretold(status, truth, reason);
    set.until(&format!("RecoveryReady is {truth}, {reason}"), is).await.map(drop)
}

pub(crate) fn is_foretold(status: &SetStatus, truth: &str, reason: &str) -> bool {
    told::condition(status, "RecoveryReady").is_some_and(|said| said.status == truth && said.reason == reason)
}

/// Members that hold different numbers are asked while they run. What is said of a power cut is what then happens: it is
/// recovered from the newest, or waits for a person.
#[tokio::test]
async fn what_is_foretold_of_a_power_cut_is_what_happens() -> Result<()> {
    with_namespace(async |space| {
        let ask = |set: &mut Value| set["spec"]["recovery"] = json!({"rehearsalInterval": "10s"});
        let set = space.running_as("dummy/cluster", ask).await?;
        let newest = unequal(&set).await?;
        foretold(&set, "True", "WouldRecover").await?;
        let before = set.status().await?.epoch;
        set.cut_power(3).await?;
        recovered(&set, 3, before, newest).await?;

        foretold(&set, "True", "WouldRecover").await?;
        set.patch(json!({"spec": {"recovery": {"mode": "PlanOnly"}}})).await?;
        foretold(&set, "False", "PlannedOnly").await?;
        set.cut_power(3).await?;
        set.until_held("PlannedOnly").await?;
        set.patch(json!({"spec": {"recovery": {"mode": "Auto"}}})).await?;
        recovered(&set, 3, before.map(|epoch| epoch + 1), newest).await
    })
    .await
}

mod full {
    use super::*;

    /// A `sequence` that gives no position while its member runs says nothing of what it gives at rest.
    #[tokio::test]
    async fn a_member_that_gives_no_position_while_it_runs_makes_it_unknown() -> Result<()> {
        with_namespace(async |space| {
            let ask = |set: &mut Value| set["spec"]["recovery"] = json!({"rehearsalInterval": "10s"});
            let set = space.running_as("dummy/cluster", ask).await?;
            foretold(&set, "True", "WouldRecover").await?;
            set.member(1).fault("sequence-exit", "1").await?;
            foretold(&set, "Unknown", "NotHeard").await?;
            set.member(1).no_faults().await?;
            foretold(&set, "True", "WouldRecover").await?;
            set.until_ready(3).await.map(drop)
        })
        .await
    }
}
