//! The operator's log, and its end at one line of it.
#![expect(clippy::print_stderr, reason = "it is a long run, and told as it goes")]

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use e2e::power::Doomed;
use e2e::tail::Tail;
use e2e::{Installation, wait};
use k8s_openapi::api::core::v1::Pod;
use serde_json::Value;
use xtask::counts::count;

/// What is about to be done, as the operator logs it.
const BEGINNINGS: [&str; 2] = [r#""message":"promise""#, r#""message":"step""#];
/// After so long without such a line a story has no more of them; none of its waits is longer.
const SILENCE: Duration = Duration::from_secs(20);
const PROGRAM: &str = "rss-operator";

/// Installs one that says what it is about to do.
pub(crate) async fn install(operator: Installation) -> Result<Installation> {
    let operator = operator.with("--log-level=info,operator::reconcile=debug,operator::enact=debug");
    operator.install(1).await?;
    Ok(operator)
}

/// Begins something, and kills the operator at the line of this number after that; none, if there were fewer.
pub(crate) async fn killed_at(
    operator: &Installation,
    number: usize,
    begin: impl AsyncFnOnce() -> Result<()>,
) -> Result<Option<String>> {
    let pods = operator.pods().await?;
    let pod: &Pod = pods.first().context("the operator has no pod")?;
    let mut tail = Tail::of(pod)?;
    let doomed = Doomed::nobody().and(&pods, PROGRAM)?;
    begin().await?;
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

/// Tells a story again and again, with a kill at one line after the other, of which there are at least so many.
pub(crate) async fn killed_at_each_line(
    story: &str,
    least: usize,
    operator: &Installation,
    told: impl AsyncFn(usize) -> Result<Option<String>>,
) -> Result<()> {
    let mut kinds = BTreeSet::new();
    for number in 1.. {
        let killed = told(number).await.with_context(|| format!("{story}, killed at line {number}"))?;
        let Some(line) = killed else {
            let all = number - 1;
            ensure!(kinds.len() == BEGINNINGS.len(), "{story}: there are promises and effects: {kinds:?}");
            ensure!(all >= least, "{story}: only {all} lines: there are more promises and effects");
            eprintln!("faults: {story}, killed at each of {all} lines");
            return count("operator kills in the cluster", all as u64);
        };
        eprintln!("faults: {story}, killed at line {number}: {}", words(&line));
        kinds.extend(BEGINNINGS.into_iter().filter(|beginning| line.contains(beginning)));
        wait::asked("an operator runs", async || Ok(operator.pods().await?.len() == 1)).await?;
        operator.until_ready(1).await?;
    }
    Ok(())
}

fn words(line: &str) -> String {
    // The runtime writes the time and the stream before what the operator wrote.
    let said: Value =
        line.find('{').and_then(|from| serde_json::from_str(&line[from..]).ok()).unwrap_or_default();
    format!("{} {}", said["message"], said["step"])
}
