//! Operators that are killed, doubled, or late.

use anyhow::{Context, Result, ensure};
use e2e::{Set, is_running, wait, with_bare_namespace, with_namespace};
use operator::api::SetStatus;
use operator::guard::Guarded;
use planner::names::{AttemptId, PodUid};
use serde_json::Value;

use crate::lights_out::{recovered, seeds, unequal};

/// The open starts of the memory: what was promised and is not known to be over.
fn open(status: &SetStatus) -> Vec<Value> {
    let holders = status.memory.as_ref().and_then(|memory| memory.0["holders"].as_array().cloned());
    let starts = holders.into_iter().flatten().filter_map(|holder| holder["open"].as_array().cloned());
    starts.flatten().collect()
}

async fn total_seeds(set: &Set<'_>) -> Result<usize> {
    Ok(seeds(set, 3).await?.iter().sum())
}

#[tokio::test]
async fn an_operator_killed_the_moment_it_promised_a_seed_starts_no_second_one() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/cluster").await?;
        let (epoch, before) = (set.status().await?.epoch, total_seeds(&set).await?);
        let newest = unequal(&set).await?;
        set.cut_power(3).await?;
        let promised = |status: &SetStatus| {
            open(status).iter().any(|start| start["kind"] == "Seed" && start["confirmed"] == false)
        };
        set.until("a seed is promised", promised).await?;
        space.operator().kill().await?;
        recovered(&set, 3, epoch, newest).await?;
        assert_eq!(total_seeds(&set).await?, before + 1);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_operator_killed_while_its_seed_runs_starts_no_second_one() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/cluster").await?;
        let (epoch, before) = (set.status().await?.epoch, total_seeds(&set).await?);
        let newest = unequal(&set).await?;
        set.member(2).fault("seed-slow", "15").await?;
        let old = set.member(2).began("seed").await?;
        set.cut_power(3).await?;
        wait::asked("the seed runs", async || Ok(set.member(2).began("seed").await? > old)).await?;
        space.operator().kill().await?;
        recovered(&set, 3, epoch, newest).await?;
        assert_eq!(total_seeds(&set).await?, before + 1);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_power_cut_that_takes_the_operator_too_loses_no_write() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/cluster").await?;
        let epoch = set.status().await?.epoch;
        let newest = unequal(&set).await?;
        let operator = space.operator();
        let (set_gone, operator_gone) = futures::join!(set.cut_power(3), operator.kill());
        set_gone.and(operator_gone)?;
        recovered(&set, 3, epoch, newest).await
    })
    .await
}

/// The command line that began a member, as the guard wraps it.
fn guarded(start: &Value, epoch: u64) -> Result<Vec<String>> {
    let text = |key: &str| Some(start[key].as_str()?.to_owned());
    let pod = PodUid(text("pod").context("the start names no pod")?);
    let attempt = AttemptId(text("attempt").context("the start has no name")?);
    let argv = ["/start.sh", "rss-dummy-1.dummy-svc"].map(str::to_owned);
    Ok(Guarded { pod: &pod, attempt: &attempt, lock: Some("/data"), epoch, start: true, argv: &argv }.argv())
}

#[tokio::test]
async fn a_command_that_comes_late_is_refused_by_a_restarted_container_and_by_the_next_pod() -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/cluster").await?;
        let (member, status) = (set.member(0), set.status().await?);
        let (uid, container) = (member.uid().await?, member.container().await?);
        let starts = open(&status);
        let start =
            starts.iter().find(|start| start["pod"] == uid.as_str()).context("no start is recorded")?;
        let late = guarded(start, 1)?;
        let late: Vec<&str> = late.iter().map(String::as_str).collect();

        // Without an operator the container comes back and nothing is started in it.
        space.operator().remove().await?;
        member.sh("kill -TERM 1").await?;
        let restarted = |id: &str| id != container;
        wait::asked("the container was restarted", async || Ok(restarted(&member.container().await?)))
            .await?;
        member.until_status(7).await?;
        let began = member.began("primary").await? + member.began("seed").await?;
        assert_eq!(member.run(&late).await?.code, 122, "it began before");

        member.delete_now().await?;
        member
            .until("the next pod", |pod| pod.metadata.uid.as_ref() != Some(&uid) && is_running(pod))
            .await?;
        member.until_status(7).await?;
        assert_eq!(member.run(&late).await?.code, 120, "it was meant for another pod");
        assert_eq!(
            member.began("primary").await? + member.began("seed").await?,
            began,
            "nothing was started"
        );
        space.operator().install(1).await?;
        set.until_serving(3).await.map(drop)
    })
    .await
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
        let before = set.member(0).uid().await?;
        set.member(0).delete_now().await?;
        set.member(0).until_replaced(&before).await?;
        set.until_serving(3).await?;
        assert_ne!(operator.leader().await?, leader);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_second_installation_keeps_away_until_the_first_is_gone() -> Result<()> {
    with_namespace(async |first| {
        with_bare_namespace(async |second| {
            let set = first.running("dummy/cluster").await?;
            let ours = set.status().await?.installation.context("it says whose it is")?.name;
            let other = second.operator_for(&[&first.name]);
            other.install(1).await?;
            let pod = other.leader().await?;
            wait::asked("the second holds", async || {
                Ok(other.log(&pod).await?.contains("looks after this set"))
            })
            .await?;
            let uid = set.member(0).uid().await?;
            set.member(0).delete_now().await?;
            set.member(0).until_replaced(&uid).await?;
            set.until_ready(3).await?;
            let still = set.status().await?.installation.map(|installation| installation.name);
            assert_eq!(still.as_ref(), Some(&ours), "the first looks after it");

            first.operator().remove().await?;
            let uid = set.member(1).uid().await?;
            set.member(1).delete_now().await?;
            set.member(1).until_replaced(&uid).await?;
            let now = set.until_serving(3).await?.installation.map(|installation| installation.name);
            assert_ne!(now, Some(ours), "the second took over");
            Ok(())
        })
        .await
    })
    .await
}
