//! Operators that are killed, or late.

use anyhow::{Context, Result};
use e2e::{Set, wait, with_namespace};
use operator::api::SetStatus;
use operator::guard::Guarded;
use planner::names::{AttemptId, PodUid};
use serde_json::Value;

use super::outage::{recovered, seeds, unequal};

/// The open starts of the memory: what was promised and is not known to be over.
fn open(status: &SetStatus) -> Vec<Value> {
    let holders = status.memory.as_ref().and_then(|memory| memory.0["holders"].as_array().cloned());
    let starts = holders.into_iter().flatten().filter_map(|holder| holder["open"].as_array().cloned());
    starts.flatten().collect()
}

/// Power is cut, member 2 is to seed and takes so many seconds for it, and the operator is killed once the
/// moment has come: one seed began in all, and no write is lost.
async fn killed_at(moment: impl AsyncFnOnce(&Set<'_>, &[usize]) -> Result<()>, seconds: u32) -> Result<()> {
    with_namespace(async |space| {
        let set = space.running("dummy/cluster").await?;
        let epoch = set.status().await?.epoch;
        let newest = unequal(&set).await?;
        set.member(2).fault("seed-slow", &seconds.to_string()).await?;
        let before = seeds(&set, 3).await?;
        set.cut_power(3).await?;
        moment(&set, &before).await?;
        space.operator().kill().await?;
        recovered(&set, 3, epoch, newest).await?;
        let began: Vec<_> = seeds(&set, 3).await?.iter().zip(before).map(|(now, then)| now - then).collect();
        assert_eq!(began, [0, 0, 1]);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_operator_killed_the_moment_it_promised_a_seed_starts_no_second_one() -> Result<()> {
    let promised = async |set: &Set<'_>, _: &[usize]| {
        let is_promised = |status: &SetStatus| {
            open(status).iter().any(|start| start["kind"] == "Seed" && start["confirmed"] == false)
        };
        set.until("a seed is promised", is_promised).await.map(drop)
    };
    killed_at(promised, 0).await
}

/// The command line that began a member, as the guard wraps it.
fn guarded(start: &Value, epoch: u64) -> Result<Vec<String>> {
    let text = |key: &str| Some(start[key].as_str()?.to_owned());
    let pod = PodUid(text("pod").context("the start names no pod")?);
    let attempt = AttemptId(text("attempt").context("the start has no name")?);
    let argv = ["/dummy", "primary", "rss-dummy-1.dummy-svc"].map(str::to_owned);
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
        member.until_followed(&uid).await?;
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

mod full {
    use super::*;

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

    #[tokio::test]
    async fn an_operator_killed_while_its_seed_runs_starts_no_second_one() -> Result<()> {
        let running = async |set: &Set<'_>, before: &[usize]| {
            wait::asked("the seed runs", async || Ok(set.member(2).began("seed").await? > before[2])).await
        };
        killed_at(running, 15).await
    }
}
