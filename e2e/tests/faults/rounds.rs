//! Rounds of faults by chance against a real database, with clients that write all the while.
#![expect(clippy::print_stderr, reason = "it is a long run, and told as it goes")]

use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use e2e::galera::{all_of, lineage, running, sql};
use e2e::writers::{Rows, Writers, missing};
use e2e::{Installation, Set, Space, dark, wait, with_bare_namespace};
use operator::api::SetStatus;
use xtask::cluster::Cluster;
use xtask::evidence::{Figure, count};

use crate::chance::{Chance, Story};
use crate::harm::{apply, heal, is_there};
use crate::readings::Readings;
use crate::seeds::Watch;

/// Where to begin, and how many.
const FROM: &str = "RSS_FAULTS_FROM";
const COUNT: &str = "RSS_FAULTS_COUNT";

/// What a person says of data that was destroyed: it is given up, and then it may be overwritten.
const WORDS: [(&str, &str); 2] = [("LostData", "AcceptLoss"), ("Errant", "AcceptErrant")];

/// What all rounds are about.
struct Place<'a> {
    set: Set<'a>,
    operator: Installation,
    history: String,
}

/// What became of a round.
#[derive(Default)]
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

#[tokio::test]
async fn whatever_happens_by_chance_no_row_is_lost_that_a_volume_held_and_the_set_serves_again() -> Result<()>
{
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
            count(Figure::Faults, outcome.struck)?;
            count(Figure::Acknowledged, outcome.acknowledged as u64)?;
            count(Figure::Lost, outcome.own_loss.len() as u64)?;
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

async fn round(space: &Space, place: &Place<'_>, story: &Story) -> Result<Outcome> {
    let set = &place.set;
    sql(&set.member(0), "DROP TABLE IF EXISTS app.written").await?;
    let writers = Writers::start(space, set, Some(&spare_node(set).await?)).await?;
    let mut struck = 0;
    let (watch, readings, mut harms) = (Watch::begin(), Readings::follow(set), Vec::new());
    for (fault, pause) in &story.faults {
        match apply(set, &place.operator, fault).await {
            Ok(harm) => {
                harms.extend(harm);
                struck += 1;
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
    let destroyed = story.faults.iter().find_map(|(fault, _)| fault.destroys());
    let mut outcome = Outcome { keys: settled(set, destroyed).await?, struck, ..Outcome::default() };
    writers.until_more().await?;
    let rows = writers.end().await?;
    outcome.acknowledged = rows.len();
    for member in set.members(3) {
        let missing = missing(&member, &rows).await?;
        // Without an outage no volume was chosen, and nothing may be missing at all.
        let held = readings.furthest().unwrap_or(u64::MAX);
        let (lost, own): (Rows, Rows) = missing.into_iter().partition(|(_, committed)| *committed <= held);
        ensure!(lost.is_empty(), "{}: volumes held up to {held}; rows are missing: {lost:?}", member.name);
        outcome.own_loss.extend(own);
    }
    watch.end()?;
    all_of(set, &place.history).await?;
    ensure!(all_serve(set).await?, "the members are in one component no more");
    place.operator.until_ready(2).await?;
    Ok(outcome)
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

/// Wait until all serve, as a person does who gives what is offered for the data that was destroyed, and nothing else.
async fn settled(set: &Set<'_>, destroyed: Option<u32>) -> Result<Vec<String>> {
    let mut keys = Vec::new();
    loop {
        let mut stalled = None;
        let settles = wait::asked("all serve, or a person is needed", async || {
            let status = set.status().await?;
            // An operator that was cut off just now may not have told yet what has happened.
            let is_over = is_stalled(&status) || is_well(&status) && all_serve(set).await?;
            stalled = Some(status).filter(is_stalled);
            Ok(is_over)
        });
        if let Err(error) = settles.await {
            bail!("{error:#}; it waits for {:#?}", set.status().await?.holds);
        }
        let Some(status) = stalled else { return Ok(keys) };
        let destroyed = destroyed.map(|member| set.member(member).name);
        let destroyed = destroyed.with_context(|| format!("no data was destroyed: {:#?}", status.holds))?;
        let offered = |(reason, kind): &(&str, &str)| {
            let key = format!("{kind}/{destroyed}/");
            let mut of_reason = status.holds.iter().filter(|hold| hold.reason == *reason);
            of_reason.any(|hold| hold.keys.iter().any(|offered| offered.starts_with(&key)))
        };
        let given_up = WORDS.into_iter().find(offered);
        let (reason, kind) = given_up
            .with_context(|| format!("it waits for another than {destroyed}: {:#?}", status.holds))?;
        set.allow_offered(reason, &format!("{kind}/{destroyed}/")).await?;
        keys.push(format!("{kind}/{destroyed}"));
    }
}

/// Each member itself says that it serves, in one component with the others.
async fn all_serve(set: &Set<'_>) -> Result<bool> {
    for member in set.members(3) {
        let size = sql(&member, "SHOW STATUS LIKE 'wsrep_cluster_size'").await?;
        let ready = sql(&member, "SHOW STATUS LIKE 'wsrep_ready'").await?;
        if !size.ends_with("\t3") || !ready.ends_with("\tON") {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_well(status: &SetStatus) -> bool {
    status.ready.as_deref() == Some("3/3")
        && is(status, "Ready", "True")
        && is(status, "Reconciling", "False")
}

fn is_stalled(status: &SetStatus) -> bool {
    is(status, "Stalled", "True")
}

fn is(status: &SetStatus, kind: &str, value: &str) -> bool {
    status.conditions.iter().any(|condition| condition.type_ == kind && condition.status == value)
}
