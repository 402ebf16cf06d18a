//! A policy in another language than the operator's: examples/policy-in-c.

use std::fs;

use anyhow::{Context, Result, ensure};
use e2e::{manifest, tool, with_namespace};
use operator::policy::Digest;
use serde_json::{Value, json};

use super::outage::recovered;
use super::policies::{KEY, last_seed};

/// What the dummy's members print, as lines KEY=VALUE: the higher its ordinal, the more a member is preferred.
const SEQUENCE: &str = "n=$(/dummy sequence) && echo position=$n && echo priority=${HOSTNAME##*-}";

/// The dummy, with that policy and an output that no other policy here reads.
fn decided_in_c(set: &mut Value) {
    set["spec"]["policy"] = json!({"configMap": {"name": "policy-in-c", "key": KEY}});
    set["spec"]["pod"]["commands"]["sequence"]["command"] = json!(["sh", "-c", SEQUENCE]);
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_policy_written_in_c_picks_the_seed_by_its_own_rule_and_says_why() -> Result<()> {
        with_namespace(async |space| {
            let component =
                fs::read(xtask::policies::component("policy-in-c")).context("cargo xtask policies")?;
            manifest::apply(&space.all(), &manifest::binary("policy-in-c", KEY, component.clone())).await?;
            let set = space.running_as("dummy/cluster", decided_in_c).await?;
            let number = set.write_to_all(3).await?;
            let epoch = set.status().await?.epoch;
            set.cut_power(3).await?;
            recovered(&set, 3, epoch, number).await?;

            let seed = last_seed(&set).await?;
            ensure!(
                seed["policy"]["digest"] == json!(Digest::of(&component)),
                "decided by {}",
                seed["policy"]
            );
            // The policy that is part of the operator would take the lowest ordinal of these equals.
            ensure!(seed["answer"]["proposal"] == json!({"replica": "rss-dummy-2"}), "{}", seed["answer"]);
            let why = format!("position={number}, and of the members that hold as much, 3 in all");
            ensure!(
                seed["answer"]["why"].as_str().is_some_and(|said| said.starts_with(&why)),
                "{}",
                seed["answer"]
            );
            let replayed = tool::replayed(&space.name, &seed, &component).await?;
            ensure!(replayed.len() == 1 && replayed[0]["identical"] == true, "{replayed:?}");
            Ok(())
        })
        .await
    }
}
