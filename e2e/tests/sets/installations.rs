//! Installations of the operator: two replicas, two of them, and what each is limited to.

use anyhow::{Context, Result, ensure};
use e2e::{Set, manifest, wait, with_bare_namespace, with_namespace};
use operator::api::SetStatus;

use super::outage::{recovered, unequal};

/// Somebody looks after the set: a member that is deleted is replaced and joins.
async fn acts(set: &Set<'_>) -> Result<SetStatus> {
    let uid = set.member(0).uid().await?;
    set.member(0).delete_now().await?;
    set.member(0).until_replaced(&uid).await?;
    set.until_serving(3).await
}

#[tokio::test]
async fn of_two_operators_one_acts_and_the_other_takes_over() -> Result<()> {
    with_bare_namespace(async |space| {
        let operator = space.operator();
        operator.install(2).await?;
        let set = space.running("dummy/cluster").await?;
        let leader = operator.leader().await?;
        for pod in operator.pods().await? {
            let name = pod.metadata.name.unwrap_or_default();
            let acts = operator.log(&name).await?.contains("\"message\":\"plan\"");
            ensure!(acts == (name == leader), "{name}: {leader} leads");
        }
        operator.kill_pod(&leader).await?;
        acts(&set).await?;
        assert_ne!(operator.leader().await?, leader);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_rights_of_one_namespace_are_enough_to_bring_its_sets_back() -> Result<()> {
    with_bare_namespace(async |space| {
        let operator = space.operator().with_role_alone();
        operator.install(1).await?;
        let set = space.running("dummy/cluster").await?;
        let epoch = set.status().await?.epoch;
        let newest = unequal(&set).await?;
        set.cut_power(3).await?;
        recovered(&set, 3, epoch, newest).await?;
        let log = operator.log(&operator.leader().await?).await?;
        // The two kinds that belong to no namespace, which `role.yaml` says it does without, and what has a role of its own.
        let foregone = |line: &&str| {
            ["nodes is", "volumeattachments", "statefulclusters"].iter().any(|kind| line.contains(kind))
        };
        let refused = log.lines().filter(|line| line.contains("orbidden") && !foregone(line));
        ensure!(refused.clone().count() == 0, "it asks for more: {:?}", refused.collect::<Vec<_>>());
        Ok(())
    })
    .await
}

mod full {
    use super::*;

    #[tokio::test]
    async fn a_second_installation_keeps_away_until_the_first_is_gone() -> Result<()> {
        with_namespace(async |first| {
            with_bare_namespace(async |second| {
                let set = first.running("dummy/cluster").await?;
                let ours = set.status().await?.installation.context("it says whose it is")?.name;
                let other = second.operator_for(&[&first.name]);
                other.install(1).await?;
                wait::asked("the second says whose it is", async || Ok(set.told("NotOurs").await? > 0))
                    .await?;
                acts(&set).await?;
                let still = set.status().await?.installation.map(|installation| installation.name);
                assert_eq!(still.as_ref(), Some(&ours), "the first looks after it");

                first.operator().remove().await?;
                let now = acts(&set).await?.installation.map(|installation| installation.name);
                assert_ne!(now, Some(ours), "the second took over");
                Ok(())
            })
            .await
        })
        .await
    }

    #[tokio::test]
    async fn two_operators_limited_to_different_namespaces_both_act() -> Result<()> {
        with_bare_namespace(async |home| {
            with_bare_namespace(async |one| {
                with_bare_namespace(async |other| {
                    home.operator_for(&[&one.name]).named("rss-one").install(1).await?;
                    home.operator_for(&[&other.name]).named("rss-other").install(1).await?;
                    let first = one.running("dummy/cluster").await?;
                    let second = other.running("dummy/cluster").await?;
                    let [first, second] = [acts(&first).await?, acts(&second).await?];
                    let whose = |status: SetStatus| status.installation.context("it says whose it is");
                    assert_ne!(whose(first)?.name, whose(second)?.name, "each has its own");
                    Ok(())
                })
                .await
            })
            .await
        })
        .await
    }

    #[tokio::test]
    async fn an_operator_looks_after_all_namespaces_that_it_is_given_and_no_other() -> Result<()> {
        with_bare_namespace(async |home| {
            with_bare_namespace(async |one| {
                with_bare_namespace(async |other| {
                    let foreign = home.apply(&manifest::edited("dummy/cluster", |_| ())?).await?;
                    home.operator_for(&[&one.name, &other.name]).install(1).await?;
                    acts(&one.running("dummy/cluster").await?).await?;
                    acts(&other.running("dummy/cluster").await?).await?;
                    ensure!(foreign.pods().await?.is_empty(), "nothing is made for a set elsewhere");
                    let seen = foreign.status().await?.observed_generation;
                    assert_eq!(seen, Some(-1), "nor was it looked at");
                    Ok(())
                })
                .await
            })
            .await
        })
        .await
    }
}
