//! Rounds of faults by chance against a real database, with clients that write all the while.
#![expect(clippy::print_stderr, reason = "it is a long run, and told as it goes")]

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use e2e::galera::{all_of, lineage, running, sql};
use e2e::writers::{Rows, Writers, missing};
use e2e::{Installation, Set, Space, dark, with_bare_namespace};
use xtask::cluster::Cluster;
use xtask::counts::count;

use super::chance::{Chance, Story};
use super::harm::{apply, heal, is_there};
use super::seeds::Watch;
use super::settled::{all_serve, settled};

/// Where to begin, and how many.
const FROM: &str = "RSS_FAULTS_FROM";
const COUNT: &str = "RSS_FAULTS_COUNT";

/// What all rounds are about.
struct Place<'a> {
    set: Set<'a>,
    operator: Installation,
    history: String,
}

/// What became of a round.
struct Outcome {
    keys: Vec<String>,
    /// Faults that found something to harm.
    struck: u64,
    acknowledged: usize,
    /// Rows that no volume held when the seed was chosen: the database's own loss.
    own_loss: Rows,
}

fn number(name: &str, otherwise: u64) -> Result<u64> {
    std::env::var(name).map_or(Ok(otherwise), |text| text.parse().with_context(|| format!("{name}={text}")))
}

async fn round(space: &Space, place: &Place<'_>, story: &Story) -> Result<Outcome> {
    let set = &place.set;
    sql(&set.member(0), "DROP TABLE IF EXISTS app.written").await?;
    let writers = Writers::start(space, set, Some(&spare_node(set).await?)).await?;
    let watch = Watch::begin();
    let (struck, destroyed) = strike(place, story).await?;
    let keys = settled(set, destroyed).await?;
    writers.until_more().await?;
    let rows = writers.end().await?;
    let mut lacking = BTreeMap::new();
    for member in set.members(3) {
        let missing = missing(&member, &rows).await?;
        lacking.insert(member.name, missing);
    }
    let destroyed = destroyed.map(|member| set.member(member).name);
    let own_loss = watch.end()?.own_loss(&lacking, destroyed.as_deref())?;
    all_of(set, &place.history).await?;
    ensure!(all_serve(set).await?, "the members are in one component no more");
    place.operator.until_ready(2).await?;
    Ok(Outcome { keys, struck, acknowledged: rows.len(), own_loss })
}

/// Does what the story says, and heals it: how many faults found something to harm, and whose data is destroyed.
async fn strike(place: &Place<'_>, story: &Story) -> Result<(u64, Option<u32>)> {
    let (set, mut struck, mut destroyed, mut harms) = (&place.set, 0, None, Vec::new());
    for (fault, pause) in &story.faults {
        match apply(set, &place.operator, fault).await {
            Ok(harm) => {
                harms.extend(harm);
                struck += 1;
                destroyed = destroyed.or(fault.destroys());
            }
            // A pod that is gone or a database that is dead already cannot be harmed.
            Err(error) if !is_there(set, &place.operator, fault).await => {
                eprintln!("faults: not harmed by {fault:?}: {error:#}");
            }
            Err(error) => return Err(error.context(format!("what is there was not harmed by {fault:?}"))),
        }
        tokio::time::sleep(*pause).await;
    }
    ensure!(struck > 0, "no fault found anything to harm: nothing was tried");
    tokio::time::sleep(story.unhealed).await;
    heal(harms).await?;
    Ok((struck, destroyed))
}

/// A node without a member, which no fault takes: the log of what was acknowledged is there.
async fn spare_node(set: &Set<'_>) -> Result<String> {
    let mut taken = Vec::new();
    for member in set.members(3) {
        taken.push(dark::node_of(&member).await?);
    }
    let spare = Cluster::attach()?.nodes().into_iter().find(|node| !taken.contains(node));
    spare.context("every node has a member: the cluster has too few")
}

mod full {
    use super::*;

    #[tokio::test]
    async fn whatever_happens_by_chance_no_row_is_lost_that_a_volume_held_and_the_set_serves_again()
    -> Result<()> {
        let _alone = crate::alone().await;
        with_bare_namespace(async |space| {
        let operator = space.operator();
        operator.install(2).await?;
        let set = running(space, |set| set["spec"]["pod"]["antiAffinity"] = true.into()).await?;
        let place = Place { history: lineage(&set.member(0)).await?, set, operator };
        let (from, rounds) = (number(FROM, 1)?, number(COUNT, 3)?);
        for seed in from..from + rounds {
            let (story, begun) = (Chance::new(seed).story(), Instant::now());
            eprintln!("faults: seed {seed}: {story}");
            let outcome = round(space, &place, &story).await;
            let outcome = outcome.with_context(|| format!("faults: seed {seed} failed: {story}"))?;
            count("faults in the cluster", outcome.struck)?;
            count("rows acknowledged", outcome.acknowledged as u64)?;
            count("rows lost by the database", outcome.own_loss.len() as u64)?;
            eprintln!(
                "faults: seed {seed}: {} rows acknowledged, {} lost by the database itself, keys {:?}, {} s",
                outcome.acknowledged,
                outcome.own_loss.len(),
                outcome.keys,
                begun.elapsed().as_secs()
            );
        }
        Ok(())
    })
    .await
    }
}
