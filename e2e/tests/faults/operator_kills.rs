//! An operator that is killed at each line of its log that begins a promise or an effect, one recovery after another.
#![expect(clippy::print_stderr, reason = "it is a long run, and told as it goes")]

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use e2e::power::Doomed;
use e2e::tail::Tail;
use e2e::{Installation, Set, wait, with_bare_namespace};
use k8s_openapi::api::core::v1::Pod;
use serde_json::Value;

/// What is about to be done, as the operator logs it.
const BEGINNINGS: [&str; 2] = [r#""message":"promise""#, r#""message":"step""#];
/// After so long without such a line a recovery has no more of them; none of its waits is longer.
const SILENCE: Duration = Duration::from_secs(20);
const PROGRAM: &str = "rss-operator";

/// Kills the operator at the line of this number after the power cut; false, if there were fewer.
async fn killed_at(set: &Set<'_>, operator: &Installation, number: usize) -> Result<Option<String>> {
    let pods = operator.pods().await?;
    let pod: &Pod = pods.first().context("the operator has no pod")?;
    let mut tail = Tail::of(pod)?;
    let doomed = Doomed::nobody().and(&pods, PROGRAM)?;
    set.cut_power(3).await?;
    let killed = tokio::task::spawn_blocking(move || -> Result<Option<String>> {
        let mut last = None;
        for _ in 0..number {
            last = tail.next(&BEGINNINGS, SILENCE)?;
            if last.is_none() {
                return Ok(None);
            }
        }
        doomed.kill()?;
        Ok(last)
    })
    .await??;
    if killed.is_some() {
        operator.kill().await?;
    }
    Ok(killed)
}

/// How often members were seeded in all.
async fn seeds(set: &Set<'_>) -> Result<usize> {
    let mut seeds = 0;
    for member in set.members(3) {
        seeds += member.began("seed").await?;
    }
    Ok(seeds)
}

fn words(line: &str) -> String {
    // The runtime writes the time and the stream before what the operator wrote.
    let said: Value =
        line.find('{').and_then(|from| serde_json::from_str(&line[from..]).ok()).unwrap_or_default();
    format!("{} {}", said["message"], said["step"])
}

#[tokio::test]
async fn an_operator_killed_at_any_promise_or_effect_of_a_recovery_seeds_once_and_loses_no_write()
-> Result<()> {
    let _alone = crate::alone().await;
    with_bare_namespace(async |space| {
        let operator =
            space.operator().with("--log-level=info,operator::reconcile=debug,operator::enact=debug");
        operator.install(1).await?;
        let (set, mut kinds) = (space.running("dummy/cluster").await?, BTreeSet::new());
        for number in 1.. {
            let held = set.write_to_all(3).await?;
            let (epoch, before) = (set.status().await?.epoch, seeds(&set).await?);
            let killed = killed_at(&set, &operator, number).await?;
            set.until_recovered(3, epoch).await?;
            set.until_all_hold(3, held).await?;
            let began = seeds(&set).await? - before;
            ensure!(began == 1, "killed at line {number}, {killed:?}: {began} seeds began");
            let Some(line) = killed else {
                ensure!(kinds.len() == BEGINNINGS.len(), "a recovery has promises and effects: {kinds:?}");
                eprintln!("faults: killed at each of {} lines of a recovery", number - 1);
                return Ok(());
            };
            eprintln!("faults: killed at line {number}: {}", words(&line));
            kinds.extend(BEGINNINGS.into_iter().filter(|beginning| line.contains(beginning)));
            wait::asked("an operator runs", async || Ok(operator.pods().await?.len() == 1)).await?;
            operator.until_ready(1).await?;
        }
        Ok(())
    })
    .await
}
