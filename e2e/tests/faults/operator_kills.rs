//! An operator that is killed at each line of its log that begins a promise or an effect, one story after another.
#![expect(clippy::print_stderr, reason = "it is a long run, and told as it goes")]

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use e2e::power::Doomed;
use e2e::tail::Tail;
use e2e::{Installation, Member, Set, cut_power_of, wait, with_bare_namespace};
use k8s_openapi::api::core::v1::Pod;
use serde_json::Value;
use xtask::evidence::{Figure, count};

/// What is about to be done, as the operator logs it.
const BEGINNINGS: [&str; 2] = [r#""message":"promise""#, r#""message":"step""#];
/// After so long without such a line a story has no more of them; none of its waits is longer.
const SILENCE: Duration = Duration::from_secs(20);
const PROGRAM: &str = "rss-operator";

/// What befalls a set of three.
#[derive(Clone, Copy, Debug)]
enum Story {
    /// All lose their power: one is seeded, and the others join it.
    PowerCut,
    /// The primary does, which the others follow: one of those is promoted.
    Failover,
}

// === impl Story ===

impl Story {
    fn example(self) -> &'static str {
        match self {
            Self::PowerCut => "dummy/cluster",
            Self::Failover => "dummy/secondaries",
        }
    }

    /// A member that takes writes.
    async fn writer<'a>(self, set: &Set<'a>) -> Result<Member<'a>> {
        Ok(set.member(match self {
            Self::PowerCut => 0,
            Self::Failover => set.primary().await?,
        }))
    }

    async fn strike(self, set: &Set<'_>, writer: &Member<'_>) -> Result<()> {
        match self {
            Self::PowerCut => set.cut_power(3).await,
            Self::Failover => cut_power_of(std::slice::from_ref(writer)).await,
        }
    }

    /// How many are seeded by that.
    fn seeds(self) -> usize {
        match self {
            Self::PowerCut => 1,
            Self::Failover => 0,
        }
    }

    /// How many promises and effects come of that at least.
    fn lines(self) -> usize {
        match self {
            // Three are read, one is seeded, two join, three are labelled; seed and joins are promised.
            Self::PowerCut => 3 + 1 + 2 + 3 + 2,
            // Three are asked what they hold, one is promoted, two follow, two are labelled anew; turn and start are promised.
            Self::Failover => 3 + 1 + 2 + 2 + 2,
        }
    }
}

/// Kills the operator at the line of this number after the story began; none, if there were fewer.
async fn killed_at(
    story: Story,
    set: &Set<'_>,
    writer: &Member<'_>,
    operator: &Installation,
    number: usize,
) -> Result<Option<String>> {
    let pods = operator.pods().await?;
    let pod: &Pod = pods.first().context("the operator has no pod")?;
    let mut tail = Tail::of(pod)?;
    let doomed = Doomed::nobody().and(&pods, PROGRAM)?;
    story.strike(set, writer).await?;
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

async fn killed_at_each_line(story: Story) -> Result<()> {
    with_bare_namespace(async |space| {
        let operator =
            space.operator().with("--log-level=info,operator::reconcile=debug,operator::enact=debug");
        operator.install(1).await?;
        let (set, mut kinds) = (space.running(story.example()).await?, BTreeSet::new());
        for number in 1.. {
            let writer = story.writer(&set).await?;
            let held = writer.write(6).await?;
            set.until_all_hold(3, held).await?;
            let (epoch, before) = (set.status().await?.epoch, seeds(&set).await?);
            let killed = killed_at(story, &set, &writer, &operator, number).await?;
            set.until_recovered(3, epoch).await?;
            set.until_all_hold(3, held).await?;
            let began = seeds(&set).await? - before;
            ensure!(began == story.seeds(), "killed at line {number}, {killed:?}: {began} seeds began");
            let Some(line) = killed else {
                let all = number - 1;
                ensure!(kinds.len() == BEGINNINGS.len(), "there are promises and effects: {kinds:?}");
                ensure!(all >= story.lines(), "only {all} lines: there are more promises and effects");
                eprintln!("faults: {story:?}, killed at each of {all} lines");
                return count(Figure::Kills, all as u64);
            };
            eprintln!("faults: {story:?}, killed at line {number}: {}", words(&line));
            kinds.extend(BEGINNINGS.into_iter().filter(|beginning| line.contains(beginning)));
            wait::asked("an operator runs", async || Ok(operator.pods().await?.len() == 1)).await?;
            operator.until_ready(1).await?;
        }
        Ok(())
    })
    .await
}

/// Of a failover, too, in which nobody is to be seeded.
#[tokio::test]
async fn an_operator_killed_at_any_promise_or_effect_of_a_recovery_seeds_once_and_loses_no_write()
-> Result<()> {
    let _alone = crate::alone().await;
    for story in [Story::PowerCut, Story::Failover] {
        killed_at_each_line(story).await.with_context(|| format!("{story:?}"))?;
    }
    Ok(())
}
