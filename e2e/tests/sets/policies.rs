//! A policy of the set's own.

mod registry;

use std::fs;

use anyhow::{Context, Result, ensure};
use e2e::galera::{insert, lineage, running, until_all_hold};
use e2e::power::Doomed;
use e2e::registry::{log_in, pods, policy, start, stay_away};
use e2e::{Set, manifest, tool, with_bare_namespace};
use operator::api::PolicyStatus;
use operator::policy::Digest;
use operator::policy::question::Question;
use operator::policy::record::Record;
use planner::position::Position;
use serde_json::{Value, from_value, json};
use xtask::policies::component;

pub(crate) const KEY: &str = "policy.wasm";

/// Wait until a policy decides that came as an image and is kept in the cluster.
async fn until_pulled(set: &Set<'_>) -> Result<PolicyStatus> {
    let pulled = |policy: &PolicyStatus| policy.image.is_some() && policy.kept;
    let status = set.until("a pulled policy decides", |status| status.policy.as_ref().is_some_and(pulled));
    status.await?.policy.context("a policy decides")
}

/// The last seed that is recorded, as the command line tool prints it.
pub(crate) async fn last_seed(set: &Set<'_>) -> Result<Value> {
    let decisions = tool::decisions(set).await?.into_iter().rev();
    let mut seeds = decisions.filter(|one| one["interface"] == "seed@0.1.0");
    seeds.next().context("no seed is recorded")
}

/// Takes a decision again, without the cluster.
async fn assert_the_same(seed: &Value, set: &Set<'_>) -> Result<()> {
    let replayed = tool::replayed(set.namespace(), seed, &fs::read(component("galera"))?).await?;
    let fuel = &seed["fuel"];
    ensure!(fuel.is_u64() && replayed.len() == 1, "{seed} {replayed:?}");
    ensure!(replayed[0]["identical"] == true && replayed[0]["fuel"] == "same", "{replayed:?}");
    ensure!(replayed[0]["here"]["fuel"] == *fuel, "{replayed:?}");
    Ok(())
}

#[tokio::test]
async fn the_policy_of_a_set_picks_its_seed_after_the_power_cut_took_registry_and_operator_too() -> Result<()>
{
    with_bare_namespace(async |space| {
        let registry = start(space).await?;
        space.operator().fetching_from(&registry).install(1).await?;
        log_in(space, &registry, "login", &registry.password).await?;
        let bytes = fs::read(component("galera")).context("cargo xtask policies")?;
        manifest::apply(&space.all(), &manifest::binary("galera-1", KEY, bytes.clone())).await?;
        let source = json!({"configMap": {"name": "galera-1", "key": KEY}});
        let set = running(space, |set| set["spec"]["policy"] = source).await?;
        let history = lineage(&set.member(0)).await?;
        for ordinal in 0..3 {
            insert(&set.member(ordinal), ordinal * 10..ordinal * 10 + 10).await?;
        }

        let (uids, image) = (set.uids().await?, format!("{}/policies/galera:1", registry.host));
        let pushed = registry.push("galera", &image)?;
        let mut named = policy(&registry, "policies/galera:1", "login");
        named["configMap"] = Value::Null;
        set.patch(json!({"spec": {"policy": named}})).await?;
        let pinned = until_pulled(&set).await?;
        let digest = pinned.image_digest.context("it is pinned")?;
        assert_eq!(pushed, format!("{}/policies/galera@{digest}", registry.host));
        assert_eq!((pinned.image.as_ref(), pinned.digest), (Some(&image), Some(Digest::of(&bytes))));
        assert_eq!(set.uids().await?, uids, "no member was restarted");

        let (epoch, operators) = (set.status().await?.epoch, space.operator().pods().await?);
        let doomed = Doomed::nobody().and(&set.pods().await?, "mariadbd")?.and(&operators, "rss-operator")?;
        let doomed = doomed.and(&pods(space).await?, "registry")?;
        doomed.kill()?;
        stay_away(space).await?;
        doomed.delete(space).await?;
        set.until_recovered(3, epoch).await?;
        until_all_hold(&set, 30, &history).await?;

        assert!(pods(space).await?.is_empty(), "nobody was there to be asked");
        assert_eq!(set.status().await?.policy, Some(pinned), "the same decides");
        let seed = last_seed(&set).await?;
        let record: Record = from_value(seed.clone())?;
        ensure!(record.policy.and_then(|by| by.digest) == Some(Digest::of(&bytes)), "{seed}");
        let Question::Seed(input) = &record.question else { unreachable!("found as one") };
        let compared = |position: &Option<Position>| matches!(position, Some(Position::History(_)));
        ensure!(input.candidates.iter().all(|one| compared(&one.position)), "{:?}", input.candidates);
        assert_the_same(&seed, &set).await
    })
    .await
}
