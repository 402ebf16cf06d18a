//! A real database.

use std::ops::Range;

use anyhow::{Result, ensure};
use e2e::{Member, Set, Space, manifest, wait, with_namespace};
use futures::future::try_join_all;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, from_value};

/// Three databases, edited, with a table for rows.
pub(crate) async fn running(space: &Space, edit: impl FnOnce(&mut Value)) -> Result<Set<'_>> {
    let (secret, mut set): (Secret, Value) = manifest::pair("galera/cluster")?;
    manifest::apply(&space.all(), &secret).await?;
    edit(&mut set);
    let set = space.apply(&from_value(set)?).await?;
    set.until_ready(3).await?;
    sql(&set.member(0), "CREATE TABLE app.rows (id INT PRIMARY KEY)").await?;
    Ok(set)
}

async fn sql(member: &Member<'_>, statement: &str) -> Result<String> {
    member.run(&["mariadb", "--batch", "--skip-column-names", "-e", statement]).await?.said()
}

/// Rows with these ids, each acknowledged by this member.
pub(crate) async fn insert(member: &Member<'_>, ids: Range<u32>) -> Result<()> {
    for id in ids {
        sql(member, &format!("INSERT INTO app.rows VALUES ({id})")).await?;
    }
    Ok(())
}

/// The history that a member is of.
pub(crate) async fn lineage(member: &Member<'_>) -> Result<String> {
    sql(member, "SHOW STATUS LIKE 'wsrep_cluster_state_uuid'").await
}

/// Sends a signal to the database of a member.
pub(crate) async fn signal(member: &Member<'_>, name: &str) -> Result<()> {
    member.sh(&format!("kill -{name} $(pidof mariadbd)")).await.map(drop)
}

/// Every member holds so many rows, and is of this history.
pub(crate) async fn until_all_hold(set: &Set<'_>, rows: u32, history: &str) -> Result<()> {
    for member in &set.members(3) {
        wait::asked("all rows are there", async || {
            let count = sql(member, "SELECT COUNT(*) FROM app.rows").await?;
            ensure!(count == rows.to_string(), "{} has {count} rows", member.name);
            Ok(true)
        })
        .await?;
        assert_eq!(lineage(member).await?, history, "{} is of the old lineage", member.name);
    }
    Ok(())
}

#[tokio::test]
async fn after_a_power_cut_every_acknowledged_row_is_on_every_member() -> Result<()> {
    with_namespace(async |space| {
        let set = running(space, |_| ()).await?;
        let history = lineage(&set.member(0)).await?;
        for ordinal in 0..3 {
            insert(&set.member(ordinal), ordinal * 10..ordinal * 10 + 10).await?;
        }
        let epoch = set.status().await?.epoch;
        let members = set.members(3);
        try_join_all(members.iter().map(|member| signal(member, "KILL"))).await?;
        try_join_all(members.iter().map(Member::delete_forced)).await?;
        set.until_recovered(3, epoch).await?;
        until_all_hold(&set, 30, &history).await
    })
    .await
}

#[tokio::test]
async fn a_stopped_database_is_unknown_while_the_others_serve_and_well_when_it_goes_on() -> Result<()> {
    with_namespace(async |space| {
        // Its patience of three deadlines of `status` is longer than it is stopped here.
        let patient = |set: &mut Value| set["spec"]["pod"]["commands"]["status"]["timeout"] = "30s".into();
        let set = running(space, patient).await?;
        let (history, uids) = (lineage(&set.member(0)).await?, set.uids().await?);
        insert(&set.member(2), 0..10).await?;
        signal(&set.member(2), "STOP").await?;
        set.until_state("rss-galera-2", "Unknown").await?;
        insert(&set.member(0), 10..20).await?;
        insert(&set.member(1), 20..30).await?;
        signal(&set.member(2), "CONT").await?;
        set.until_ready(3).await?;
        assert_eq!(set.uids().await?, uids, "nothing was deleted");
        until_all_hold(&set, 30, &history).await
    })
    .await
}

#[tokio::test]
async fn a_database_that_stays_stopped_is_replaced_after_three_deadlines_of_status() -> Result<()> {
    with_namespace(async |space| {
        let hasty = |set: &mut Value| {
            set["spec"]["pod"]["commands"]["status"]["timeout"] = "5s".into();
            set["spec"]["pod"]["terminationGracePeriodSeconds"] = 5.into();
        };
        let set = running(space, hasty).await?;
        let (history, uids) = (lineage(&set.member(0)).await?, set.uids().await?);
        insert(&set.member(2), 0..10).await?;
        signal(&set.member(2), "STOP").await?;
        insert(&set.member(0), 10..20).await?;
        set.member(2).until_replaced(&uids[2]).await?;
        set.until_ready(3).await?;
        assert_eq!(set.uids().await?[..2], uids[..2], "the others are untouched");
        until_all_hold(&set, 20, &history).await
    })
    .await
}
