//! A real database that is harmed while clients write, or while it copies.

use anyhow::{Result, ensure};
use e2e::galera::{all_of, insert, lineage, running, signal, sql, until_all_hold};
use e2e::power::Doomed;
use e2e::writers::{Writers, missing};
use e2e::{Set, is_active, wait, with_namespace};
use serde_json::Value;
use xtask::cluster::CutOff;

/// Every member has every row.
async fn lost_nothing(set: &Set<'_>, writers: Writers) -> Result<()> {
    let rows = writers.end().await?;
    for member in set.members(3) {
        let missing = missing(&member, &rows).await?;
        ensure!(
            missing.is_empty(),
            "{} of {} rows are not on {}: {missing:?}",
            missing.len(),
            rows.len(),
            member.name
        );
    }
    Ok(())
}

/// SIGKILL to all three databases, and nothing knows of their pods any more.
async fn cut_power(set: &Set<'_>) -> Result<()> {
    let doomed = Doomed::nobody().and(&set.pods().await?, "mariadbd")?;
    doomed.kill()?;
    doomed.delete(set.space()).await
}

/// Its copy stands still before a byte of it has come; then power is cut. What it has is half of something.
async fn hold_the_copy(set: &Set<'_>, ordinal: u32) -> Result<()> {
    let joiner = set.member(ordinal);
    joiner
        .sh("setsid sh -c 'until pkill -STOP -x rsync; do :; done; touch /run/mysqld/held' >/dev/null 2>&1 &")
        .await?;
    signal(&joiner, "KILL").await?;
    joiner.sh("rm -rf /var/lib/mysql/data/*").await?;
    wait::asked("its copy stands still", async || {
        Ok(joiner.run(&["test", "-e", "/run/mysqld/held"]).await?.code == 0)
    })
    .await
}

/// All databases die, and that of the seed dies once more as soon as the log of the member that joins it says this.
async fn lose_the_seed(set: &Set<'_>, said: &str) -> Result<()> {
    let epoch = set.status().await?.epoch;
    for member in set.members(3) {
        member.sh("rm /run/mysqld/error.log").await?;
    }
    Doomed::nobody().and(&set.pods().await?, "mariadbd")?.kill()?;
    let (seed, joiner) = (set.member(0), set.member(1));
    // It stands still until then, or would be done too soon.
    let is_said = format!("until grep -qs '{said}' /run/mysqld/error.log; do :; done");
    joiner.sh(&format!("timeout 120 sh -c \"{is_said}\" && kill -STOP $(pidof mariadbd)")).await?;
    signal(&seed, "KILL").await?;
    signal(&joiner, "CONT").await?;
    set.until_recovered(3, epoch).await.map(drop)
}

mod full {
    use super::*;

    #[tokio::test]
    async fn neither_a_member_that_is_cut_off_nor_a_power_cut_under_load_costs_an_acknowledged_row()
    -> Result<()> {
        with_namespace(async |space| {
            let set = running(space, |_| ()).await?;
            let history = lineage(&set.member(0)).await?;
            let writers = Writers::start(space, &set, None).await?;

            let alone = set.member(2);
            let mut others = Vec::new();
            for member in set.members(2) {
                others.push(member.address().await?);
            }
            let cut = CutOff::from(&alone.uid().await?, &others)?;
            alone.until("clients are led elsewhere", |pod| !is_active(pod)).await?;
            let row = sql(&alone, "INSERT INTO app.rows VALUES (1)").await;
            ensure!(row.is_err(), "who is cut off acknowledges nothing");
            writers.until_more().await?;
            drop(cut);
            set.until_ready(3).await?;

            let epoch = set.status().await?.epoch;
            cut_power(&set).await?;
            set.until_recovered(3, epoch).await?;
            writers.until_more().await?;
            lost_nothing(&set, writers).await?;
            all_of(&set, &history).await
        })
        .await
    }

    #[tokio::test]
    async fn neither_half_a_copy_nor_a_broken_note_of_the_position_is_ever_begun_from() -> Result<()> {
        with_namespace(async |space| {
            // A copy that stands still has all of it before it is ended.
            let brief = |set: &mut Value| set["spec"]["pod"]["terminationGracePeriodSeconds"] = 5.into();
            let set = running(space, brief).await?;
            let history = lineage(&set.member(0)).await?;
            let writers = Writers::start(space, &set, None).await?;
            let epoch = set.status().await?.epoch;
            hold_the_copy(&set, 0).await?;
            cut_power(&set).await?;
            set.until_recovered(3, epoch).await?;
            writers.until_more().await?;

            // Without a power cut of pods: the broken note is there when it is read.
            let epoch = set.status().await?.epoch;
            set.member(0).sh("echo broken >/var/lib/mysql/data/grastate.dat").await?;
            Doomed::nobody().and(&set.pods().await?, "mariadbd")?.kill()?;
            let hold = set.until_held("LostData").await?;
            ensure!(hold.message.as_deref().unwrap_or_default().contains("rss-galera-0"), "{hold:?}");
            ensure!(set.status().await?.epoch == epoch, "nobody is seeded without a word");
            set.allow_offered("LostData", "AcceptLoss/rss-galera-0/").await?;
            // What cannot be read is not overwritten either before somebody says so.
            set.allow_offered("Errant", "AcceptErrant/rss-galera-0/").await?;
            set.until_recovered(3, epoch).await?;
            writers.until_more().await?;
            lost_nothing(&set, writers).await?;
            all_of(&set, &history).await
        })
        .await
    }

    #[tokio::test]
    async fn a_member_whose_seed_dies_while_it_joins_does_not_keep_the_set_dark_for_the_time_of_a_join()
    -> Result<()> {
        with_namespace(async |space| {
            let set = running(space, |_| ()).await?;
            let history = lineage(&set.member(0)).await?;
            insert(&set.member(0), 0..10).await?;
            // It is in the group and has nothing yet; it has asked for what it lacks.
            for said in ["view(view_id(PRIM", "requested state transfer"] {
                lose_the_seed(&set, said).await?;
            }
            until_all_hold(&set, 10, &history).await
        })
        .await
    }
}
