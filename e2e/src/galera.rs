//! What is asked of the databases of the Galera example and done to them.

use std::fs;
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, from_value};

use crate::{Member, Set, Space, manifest, wait};

/// Three databases, edited, that serve and have a table for rows; their policy is in a ConfigMap.
///
/// # Errors
/// If they do not serve.
pub async fn running(space: &Space, edit: impl FnOnce(&mut Value)) -> Result<Set<'_>> {
    let (secret, mut set): (Secret, Value) = manifest::pair("galera/cluster")?;
    manifest::apply(&space.all(), &secret).await?;
    let policy = fs::read(xtask::policies::component("galera")).context("cargo xtask policies")?;
    manifest::apply(&space.all(), &manifest::binary("galera-policy-1", "policy.wasm", policy)).await?;
    edit(&mut set);
    let set = space.apply(&from_value(set)?).await?;
    set.until_ready(3).await?;
    let members = set.present().await?;
    sql(members.first().context("it has no pods")?, "CREATE TABLE app.rows (id INT PRIMARY KEY)").await?;
    Ok(set)
}

/// What a statement gives.
///
/// # Errors
/// If it does not succeed.
pub async fn sql(member: &Member<'_>, statement: &str) -> Result<String> {
    member.run(&["mariadb", "--batch", "--skip-column-names", "-e", statement]).await?.said()
}

/// Rows with these ids, each acknowledged by this member.
///
/// # Errors
/// If a row is not acknowledged.
pub async fn insert(member: &Member<'_>, ids: Range<u32>) -> Result<()> {
    for id in ids {
        sql(member, &format!("INSERT INTO app.rows VALUES ({id})")).await?;
    }
    Ok(())
}

/// The history that a member is of.
///
/// # Errors
/// If it does not answer.
pub async fn lineage(member: &Member<'_>) -> Result<String> {
    sql(member, "SHOW STATUS LIKE 'wsrep_cluster_state_uuid'").await
}

/// Sends a signal to the database of a member.
///
/// # Errors
/// If none runs.
pub async fn signal(member: &Member<'_>, name: &str) -> Result<()> {
    member.sh(&format!("kill -{name} $(pidof mariadbd)")).await.map(drop)
}

/// All three members hold so many rows, and are of this history.
///
/// # Errors
/// If one does not, or cannot be asked.
pub async fn until_all_hold(set: &Set<'_>, rows: u32, history: &str) -> Result<()> {
    for member in &three(set).await? {
        wait::asked("all rows are there", async || {
            let count = sql(member, "SELECT COUNT(*) FROM app.rows").await?;
            ensure!(count == rows.to_string(), "{} has {count} rows", member.name);
            Ok(true)
        })
        .await?;
    }
    all_of(set, history).await
}

async fn three<'a>(set: &Set<'a>) -> Result<Vec<Member<'a>>> {
    let members = set.present().await?;
    ensure!(members.len() == 3, "{} members", members.len());
    Ok(members)
}

/// All three members are of this history.
///
/// # Errors
/// If one is not, or cannot be asked.
pub async fn all_of(set: &Set<'_>, history: &str) -> Result<()> {
    for member in &three(set).await? {
        let theirs = lineage(member).await?;
        ensure!(theirs == history, "{} is of another lineage: {theirs}", member.name);
    }
    Ok(())
}
