//! A policy of the set's own.

use std::{fs, thread};

use anyhow::{Context, Result, ensure};
use e2e::galera::{insert, lineage, running, signal, until_all_hold};
use e2e::{Member, Set, manifest, wait, with_namespace};
use futures::future::try_join_all;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::DeleteParams;
use operator::policy::question::Question;
use operator::policy::record::{Record, replay};
use operator::policy::{Component, Digest, Host, limits};
use planner::position::Position;
use serde_json::json;

const KEY: &str = "policy.wasm";

/// A policy in a ConfigMap, as `kubectl create configmap --from-file` makes it.
fn config_map(name: &str, component: Vec<u8>) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
        binary_data: Some([(KEY.to_owned(), ByteString(component))].into()),
        ..ConfigMap::default()
    }
}

/// The last seed that is recorded.
async fn last_seed(set: &Set<'_>) -> Result<Record> {
    let decisions = set.status().await?.decisions.into_iter().rev();
    let seed = decisions.map(|one| one.0).find(|one| one["interface"] == "seed@0.1.0");
    Ok(serde_json::from_value(seed.context("no seed is recorded")?)?)
}

/// Takes a decision again, without the cluster.
fn is_the_same(record: Record, component: Vec<u8>) -> Result<bool> {
    let again = move || -> Result<bool> {
        let again = replay(&record, &Component::load(&Host::new()?, &component)?);
        Ok(again.is_same_component && again.is_same_outcome && again.is_same_fuel == Some(true))
    };
    let roomy = thread::Builder::new().stack_size(4 * limits::THREAD_STACK);
    roomy.spawn(again)?.join().ok().context("it panicked")?
}

#[tokio::test]
async fn the_policy_of_a_set_picks_its_seed_after_the_power_cut_took_operator_and_source_of_the_policy()
-> Result<()> {
    with_namespace(async |space| {
        let component = fs::read(xtask::policies::component("galera")).context("cargo xtask policies")?;
        manifest::apply(&space.all(), &config_map("galera-1", component.clone())).await?;
        let source = json!({"configMap": {"name": "galera-1", "key": KEY}});
        let set = running(space, |set| set["spec"]["policy"] = source).await?;
        let history = lineage(&set.member(0)).await?;
        for ordinal in 0..3 {
            insert(&set.member(ordinal), ordinal * 10..ordinal * 10 + 10).await?;
        }
        wait::asked("the policy is kept in the cluster", async || {
            Ok(set.status().await?.policy.is_some_and(|policy| policy.kept))
        })
        .await?;
        space.all::<ConfigMap>().delete("galera-1", &DeleteParams::default()).await?;

        let (epoch, operator) = (set.status().await?.epoch, space.operator());
        let members = set.members(3);
        try_join_all(members.iter().map(|member| signal(member, "KILL"))).await?;
        let (gone, operator_gone) =
            futures::join!(try_join_all(members.iter().map(Member::delete_forced)), operator.kill());
        gone.map(drop).and(operator_gone)?;
        set.until_recovered(3, epoch).await?;
        until_all_hold(&set, 30, &history).await?;

        let seed = last_seed(&set).await?;
        let digest = seed.policy.as_ref().and_then(|by| by.digest);
        ensure!(digest == Some(Digest::of(&component)), "decided by {:?}", seed.policy);
        let Question::Seed(input) = &seed.question else { unreachable!("found as one") };
        let compared = |position: &Option<Position>| matches!(position, Some(Position::History(_)));
        ensure!(input.candidates.iter().all(|one| compared(&one.position)), "{:?}", input.candidates);
        ensure!(is_the_same(seed, component)?, "replayed it is another decision");
        Ok(())
    })
    .await
}
