//! Clients that write to the databases of the Galera example while they are harmed, and know what was acknowledged.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, DeleteParams, LogParams, PostParams};
use serde_json::{from_value, json};

use crate::galera::sql;
use crate::{Member, Set, Space, manifest, wait};

const POD: &str = "writers";
const SCRIPT: &str = include_str!("writers.sh");
/// So many rows show that writing works.
const ENOUGH: usize = 10;

/// How a row was acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// How much had been committed by then.
    pub committed: u64,
    /// When its client knew, in milliseconds since 1970.
    pub at: u64,
}

/// Rows that were acknowledged, by their ids.
pub type Rows = BTreeMap<u64, Written>;

/// Two writers in one pod, through the client service of a set. Their log is the list of what was
/// acknowledged; no database is asked for that.
pub struct Writers {
    pods: Api<Pod>,
}

// === impl Writers ===

impl Writers {
    /// Begin to write; on this node, if one is named.
    ///
    /// # Errors
    /// If no row is acknowledged.
    pub async fn start(space: &Space, set: &Set<'_>, node: Option<&str>) -> Result<Self> {
        let pod: Pod = from_value(json!({
            "metadata": {"name": POD},
            "spec": {
                "nodeName": node,
                "restartPolicy": "Never",
                "terminationGracePeriodSeconds": 1,
                "containers": [{
                    "name": POD,
                    "image": manifest::image("galera:example"),
                    "imagePullPolicy": "IfNotPresent",
                    "command": ["sh", "-c", SCRIPT],
                    "env": [
                        {"name": "SERVICE", "value": set.name},
                        {"name": "WRITERS", "value": "2"},
                        {"name": "MYSQL_PWD", "valueFrom": {"secretKeyRef": {
                            "name": "galera-account", "key": "password",
                        }}},
                    ],
                }],
            },
        }))?;
        let writers = Self { pods: space.all() };
        writers.pods.create(&PostParams::default(), &pod).await.context("failed to make the writers")?;
        writers.until_more().await?;
        Ok(writers)
    }

    /// What was acknowledged until now.
    ///
    /// # Errors
    /// If the log cannot be had.
    pub async fn rows(&self) -> Result<Rows> {
        let log = self.pods.logs(POD, &LogParams::default()).await?;
        // The last line may be half written.
        let whole = log.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole.lines().map(parse).collect()
    }

    /// Wait until more rows were acknowledged than until now.
    ///
    /// # Errors
    /// If none are.
    pub async fn until_more(&self) -> Result<()> {
        let before = self.rows().await.unwrap_or_default().len();
        wait::asked("more rows are acknowledged", async || Ok(self.rows().await?.len() >= before + ENOUGH))
            .await
    }

    /// Write no more: all that was acknowledged.
    ///
    /// # Errors
    /// If the log cannot be had, or they do not end.
    pub async fn end(self) -> Result<Rows> {
        // A row that is acknowledged after this look is not asked for; none that was is forgotten.
        let rows = self.rows().await?;
        self.pods.delete(POD, &DeleteParams::default()).await?;
        wait::until(&self.pods, POD, "the writers are gone", |pod| pod.is_none()).await?;
        Ok(rows)
    }
}

fn parse(line: &str) -> Result<(u64, Written)> {
    let words: Vec<&str> = line.split(' ').collect();
    let [id, committed, at] = words[..] else { bail!("the writers logged: {line}") };
    Ok((id.parse()?, Written { committed: committed.parse()?, at: at.parse()? }))
}

/// Those of the rows that a member does not have.
///
/// # Errors
/// If it does not answer.
pub async fn missing(member: &Member<'_>, rows: &Rows) -> Result<Rows> {
    // A member may answer from before what another has acknowledged, unless it is told to wait for that.
    let ids = sql(member, "SET SESSION wsrep_sync_wait = 1; SELECT id FROM app.written").await?;
    let mut missing = rows.clone();
    for id in ids.lines() {
        missing.remove(&id.parse()?);
    }
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use super::{Written, parse};

    #[test]
    fn a_line_of_the_log_is_an_id_and_how_much_was_committed_when() {
        assert_eq!(
            parse("7 120 1700000000000").unwrap(),
            (7, Written { committed: 120, at: 1_700_000_000_000 })
        );
        assert!(parse("7 120").is_err() && parse("7  1").is_err() && parse("no such host").is_err());
    }
}
