//! An operator that is killed at each line of its log that begins a promise or an effect, one story after another.

use anyhow::{Result, ensure};
use e2e::{Installation, Member, Set, Space, cut_power_of, manifest, with_bare_namespace};
use operator::api::SetStatus;
use serde_json::json;

use super::lines::{install, killed_at, killed_at_each_line};

/// What befalls a set of three that runs.
#[derive(Clone, Copy, Debug)]
enum Story {
    /// All lose their power: one is seeded, and the others join it.
    PowerCut,
    /// The primary does, which the others follow: one of those is promoted.
    Failover,
    /// Its template changes: one after the other is stopped, replaced and joins the others.
    Rollout,
}

// === impl Story ===

impl Story {
    fn example(self) -> &'static str {
        match self {
            Self::PowerCut | Self::Rollout => "dummy/cluster",
            Self::Failover => "dummy/secondaries",
        }
    }

    /// A member that takes writes.
    async fn writer<'a>(self, set: &Set<'a>) -> Result<Member<'a>> {
        Ok(set.member(match self {
            Self::PowerCut | Self::Rollout => 0,
            Self::Failover => set.primary().await?,
        }))
    }

    async fn begin(self, set: &Set<'_>, writer: &Member<'_>, number: usize) -> Result<()> {
        match self {
            Self::PowerCut => set.cut_power(3).await,
            Self::Failover => cut_power_of(std::slice::from_ref(writer)).await,
            Self::Rollout => {
                let changed = manifest::edited(self.example(), |set| {
                    let round = json!([{"name": "ROUND", "value": number.to_string()}]);
                    set["spec"]["pod"]["containers"][0]["env"] = round;
                })?;
                set.space().apply(&changed).await.map(drop)
            }
        }
    }

    /// Waits until it is over.
    async fn ends(self, set: &Set<'_>, before: &SetStatus) -> Result<()> {
        if let Self::Rollout = self {
            set.until("all have the new template", |now| {
                now.target_version != before.target_version && now.current_version == now.target_version
            })
            .await?;
            return set.until_ready(3).await.map(drop);
        }
        set.until_recovered(3, before.epoch).await.map(drop)
    }

    /// How many are seeded by that.
    fn seeds(self) -> usize {
        match self {
            Self::PowerCut => 1,
            Self::Failover | Self::Rollout => 0,
        }
    }

    /// How many promises and effects come of that at least.
    fn lines(self) -> usize {
        match self {
            // Three are read, one is seeded, two join, three are labelled; seed and joins are promised.
            Self::PowerCut => 3 + 1 + 2 + 3 + 2,
            // Three are asked what they hold, one is promoted, two follow, two are labelled anew; turn and start are promised.
            Self::Failover => 3 + 1 + 2 + 2 + 2,
            // Each is stopped, its pod deleted, and each joins, is labelled, and is promised to join.
            Self::Rollout => 5 * 3,
        }
    }

    /// Tells it once, and what was logged last where the operator is killed at the line of this number.
    async fn told(self, set: &Set<'_>, operator: &Installation, number: usize) -> Result<Option<String>> {
        let writer = self.writer(set).await?;
        let held = writer.write(6).await?;
        set.until_all_hold(3, held).await?;
        let (status, before) = (set.status().await?, seeds(set).await?);
        let killed = killed_at(operator, number, async || self.begin(set, &writer, number).await).await?;
        self.ends(set, &status).await?;
        set.until_all_hold(3, held).await?;
        let began = seeds(set).await? - before;
        ensure!(began == self.seeds(), "{killed:?}: {began} seeds began");
        Ok(killed)
    }
}

/// Makes a set of three, and what was logged last where the operator is killed at the line of this number.
async fn born(operator: &Installation, number: usize) -> Result<Option<String>> {
    let mut killed = None;
    with_bare_namespace(async |space: &Space| {
        let resource = manifest::edited("dummy/cluster", |_| ())?;
        killed = killed_at(operator, number, async || space.apply(&resource).await.map(drop)).await?;
        let set = space.set("dummy");
        set.until_ready(3).await?;
        let began = seeds(&set).await?;
        ensure!(began == 1, "{killed:?}: {began} seeds began");
        set.write_to_all(3).await.map(drop)
    })
    .await?;
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

async fn of_a_set_that_runs(story: Story) -> Result<()> {
    with_bare_namespace(async |space| {
        let operator = install(space.operator()).await?;
        let set = space.running(story.example()).await?;
        let told = async |number: usize| story.told(&set, &operator, number).await;
        killed_at_each_line(&format!("{story:?}"), story.lines(), &operator, told).await
    })
    .await
}

/// Of a failover, too, in which nobody is to be seeded.
#[tokio::test]
async fn an_operator_killed_at_any_promise_or_effect_of_a_recovery_seeds_once_and_loses_no_write()
-> Result<()> {
    let _alone = crate::alone().await;
    of_a_set_that_runs(Story::PowerCut).await?;
    of_a_set_that_runs(Story::Failover).await
}

#[tokio::test]
async fn an_operator_killed_at_any_promise_or_effect_of_a_rollout_seeds_nobody_and_loses_no_write()
-> Result<()> {
    let _alone = crate::alone().await;
    of_a_set_that_runs(Story::Rollout).await
}

#[tokio::test]
async fn an_operator_killed_at_any_promise_or_effect_of_a_birth_seeds_once() -> Result<()> {
    let _alone = crate::alone().await;
    with_bare_namespace(async |home| {
        let operator = install(home.operator_for(&[])).await?;
        let told = async |number: usize| born(&operator, number).await;
        // All that a recovery has, and the set's size and claims besides.
        killed_at_each_line("Birth", Story::PowerCut.lines(), &operator, told).await
    })
    .await
}
