//! A second policy that is only listened to.

use std::fs;

use anyhow::{Context, Result, ensure};
use e2e::{Set, manifest, tool, wait, with_namespace};
use operator::api::CandidateStatus;
use serde_json::json;

use super::outage::{recovered, seeds, unequal};
use super::policies::KEY;

async fn heard(set: &Set<'_>) -> Result<CandidateStatus> {
    let candidate = set.status().await?.policy.and_then(|policy| policy.candidate);
    Ok(*candidate.context("no candidate is told of")?)
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_candidate_that_can_read_nothing_is_counted_through_a_power_cut_and_changes_nothing_of_it()
    -> Result<()> {
        with_namespace(async |space| {
            // It takes the dummy's numbers for no position.
            let component = fs::read(xtask::policies::component("galera")).context("cargo xtask policies")?;
            manifest::apply(&space.all(), &manifest::binary("galera-2", KEY, component.clone())).await?;
            let policy = json!({"builtin": "largest-integer",
            "candidate": {"configMap": {"name": "galera-2", "key": KEY}}});
            let set = space.running_as("dummy/cluster", |set| set["spec"]["policy"] = policy).await?;
            let epoch = set.status().await?.epoch;
            let newest = unequal(&set).await?;
            let (before, operator) = (seeds(&set, 3).await?, space.operator());
            let (set_gone, operator_gone) = futures::join!(set.cut_power(3), operator.kill());
            set_gone.and(operator_gone)?;
            recovered(&set, 3, epoch, newest).await?;
            let began: Vec<_> =
                seeds(&set, 3).await?.iter().zip(before).map(|(now, then)| now - then).collect();
            ensure!(
                began == [0, 0, 1],
                "the newest seeds, by the number that the candidate does not read: {began:?}"
            );

            let counted = async || Ok(heard(&set).await.is_ok_and(|heard| heard.disagreed >= 3));
            wait::asked("each reading of the outage is compared", counted).await?;
            let told = async || Ok(set.told("CandidateDisagrees").await? > 0);
            wait::asked("an event tells of it", told).await?;
            let candidate = heard(&set).await?;
            ensure!(candidate.name.as_deref() == Some("galera") && candidate.failed == 0, "{candidate:?}");
            let records = json!(candidate.disagreements);
            let replayed = tool::replayed(&space.name, &records, &component).await?;
            ensure!(!replayed.is_empty() && replayed.iter().all(|one| one["fuel"] == "same"), "{replayed:?}");
            Ok(())
        })
        .await
    }
}
