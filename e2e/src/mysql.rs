//! What is asked of the databases of the example with one primary and done to them.

use std::fs;

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use k8s_openapi::api::core::v1::{Secret, Service};
use operator::api::ReplicatedStatefulSet;
use serde_json::from_value;

pub use crate::galera::insert;
use crate::galera::{signal, sql};
use crate::{Member, Set, Space, manifest, wait};

/// The bytes of the policy that the example names.
///
/// # Errors
/// If it was not built.
pub fn policy() -> Result<Vec<u8>> {
    fs::read(xtask::policies::component("mysql")).context("cargo xtask policies")
}

/// A primary, with a service of its own, and two secondaries, with their policy in a ConfigMap; a table for rows is on all of them.
///
/// # Errors
/// If they do not come to that.
pub async fn running(space: &Space) -> Result<Set<'_>> {
    let (secret, set): (Secret, ReplicatedStatefulSet) = manifest::pair("mysql/cluster")?;
    manifest::apply(&space.all(), &secret).await?;
    let policy = manifest::binary("mysql-policy-1", "policy.wasm", policy()?);
    manifest::apply(&space.all(), &policy).await?;
    let service: Service = from_value(manifest::example("mysql/service")?)?;
    manifest::apply(&space.all(), &service).await?;
    let set = space.apply(&set).await?;
    let primary = primary(&set).await?;
    sql(&set.member(primary), "CREATE TABLE app.rows (id INT PRIMARY KEY)").await?;
    until_all_hold(&set, 0).await?;
    Ok(set)
}

/// Wait until one of three is primary, and the others follow it: its ordinal.
///
/// # Errors
/// If they do not.
pub async fn primary(set: &Set<'_>) -> Result<u32> {
    let members = set.until_ready(3).await?.members;
    ensure!((members.primary.len(), members.secondary.len()) == (1, 2), "{members:?}");
    let name = &members.primary[0];
    let primary: u32 = name.rsplit('-').next().unwrap_or_default().parse()?;
    let follows = format!("Master_Host: {name}.{}-svc", set.name);
    for member in others(set, primary) {
        wait::asked(&format!("{} follows {name}", member.name), async || {
            let replication =
                member.run(&["mariadb", "--vertical", "-e", "SHOW SLAVE STATUS"]).await?.said()?;
            let says = |line: &str| replication.lines().any(|said| said.trim() == line);
            Ok(says(&follows) && says("Slave_IO_Running: Yes") && says("Slave_SQL_Running: Yes"))
        })
        .await?;
    }
    Ok(primary)
}

/// Wait until another pod or start than this served as primary, and one does again: its ordinal.
///
/// # Errors
/// If none does.
pub async fn next_primary(set: &Set<'_>, old: u32) -> Result<u32> {
    let name = set.member(old).name;
    set.until("its end is seen", |status| !status.members.primary.contains(&name)).await?;
    primary(set).await
}

/// Those of three that are not this one.
#[must_use]
pub fn others<'a>(set: &Set<'a>, one: u32) -> Vec<Member<'a>> {
    (0..3).filter(|ordinal| *ordinal != one).map(|ordinal| set.member(ordinal)).collect()
}

/// A row that only the primary has, since its secondaries stand still: it waits for them in vain, and its client with it.
///
/// # Errors
/// If it never gets as far as that.
pub async fn insert_alone(set: &Set<'_>, primary: u32, id: u32) -> Result<()> {
    try_join_all(others(set, primary).iter().map(|member| signal(member, "STOP"))).await?;
    let member = set.member(primary);
    let statement = format!("INSERT INTO app.rows VALUES ({id})");
    // Its client outlives this command: how long that takes is nobody's to know.
    member.sh(&format!("setsid mariadb -e '{statement}' </dev/null >/dev/null 2>&1 &")).await?;
    let waits = "SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE '%semi-sync%'";
    wait::asked("the row waits", async || Ok(sql(&member, waits).await? != "0")).await
}

/// A row that a client writes through the service of the primary.
///
/// # Errors
/// If it never gets there.
pub async fn insert_as_client(client: &Member<'_>, id: u32) -> Result<()> {
    let statement = format!("INSERT INTO app.rows VALUES ({id})");
    let login = "MYSQL_PWD=$MARIADB_PASSWORD timeout 5 mariadb --host=mysql-primary --user=app";
    wait::asked("the service leads to the primary", async || {
        client.sh(&format!("{login} -e '{statement}'")).await.map(|_| true)
    })
    .await
}

/// Every member holds so many rows.
///
/// # Errors
/// If one does not, or cannot be asked.
pub async fn until_all_hold(set: &Set<'_>, rows: u32) -> Result<()> {
    for member in &set.members(3) {
        wait::asked("all rows are there", async || {
            let count = sql(member, "SELECT COUNT(*) FROM app.rows").await?;
            ensure!(count == rows.to_string(), "{} has {count} rows", member.name);
            Ok(true)
        })
        .await?;
    }
    Ok(())
}
