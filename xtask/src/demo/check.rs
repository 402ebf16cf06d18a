//! What the databases themselves say after the recovery.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::place::Place;
use super::recovery::Recovery;
use super::set;

/// What was found on a member.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checked {
    /// The pod.
    pub(crate) pod: String,
    /// Rows that were acknowledged and are not there.
    pub(crate) lost: Vec<u64>,
    /// Which history it is in.
    pub(crate) lineage: String,
    /// How it came to what it missed.
    pub(crate) transfer: Transfer,
}

/// How a member came to the data that it missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Transfer {
    /// It missed nothing, or was the seed.
    None,
    /// It took what it missed.
    #[serde(rename = "IST")]
    Incremental,
    /// It took a copy of everything.
    #[serde(rename = "SST")]
    Full,
}

// === impl Transfer ===

impl Transfer {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::None => "it missed nothing",
            Self::Incremental => "took what it missed (IST)",
            Self::Full => "took a full copy (SST)",
        }
    }
}

/// The history that the set is in, which every member must agree on.
pub(crate) fn lineage(place: &Place) -> Result<String> {
    let mut all = BTreeSet::new();
    for pod in set::pods(place)?.keys() {
        all.insert(lineage_of(place, pod)?);
    }
    ensure!(all.len() == 1, "the members are in different histories: {all:?}");
    all.pop_first().context("the set has no members")
}

fn lineage_of(place: &Place, pod: &str) -> Result<String> {
    let answer = set::sql(place, pod, "SHOW GLOBAL STATUS LIKE 'wsrep_cluster_state_uuid'")?;
    Ok(answer.split_whitespace().last().unwrap_or_default().to_owned())
}

/// Look for every acknowledged row on every member.
pub(crate) fn members(place: &Place, recovery: &Recovery, known: &BTreeSet<u64>) -> Result<Vec<Checked>> {
    recovery.members.keys().map(|pod| member(place, pod, known).with_context(|| pod.clone())).collect()
}

fn member(place: &Place, pod: &str, known: &BTreeSet<u64>) -> Result<Checked> {
    // A member may answer from before what another has acknowledged, unless it is told to wait for that.
    let ids = set::sql(place, pod, "SET SESSION wsrep_sync_wait = 1; SELECT id FROM app.written")?;
    let present: BTreeSet<u64> = ids.lines().map(str::parse).collect::<Result<_, _>>()?;
    let log = place.within(&["exec", pod, "--", "cat", "/run/mysqld/error.log"])?;
    Ok(Checked {
        pod: pod.to_owned(),
        lost: known.difference(&present).copied().collect(),
        lineage: lineage_of(place, pod)?,
        transfer: transfer(&log),
    })
}

/// What a database's log of one start tells of its data's way. After a full copy it takes what was
/// written meanwhile by IST as well.
fn transfer(log: &str) -> Transfer {
    if log.contains("SST completed on joiner") {
        Transfer::Full
    } else if log.contains("Receiving IST: ") {
        Transfer::Incremental
    } else {
        Transfer::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_tells_how_the_data_came() {
        let ist = "WSREP_SST: [INFO] rsync SST started on joiner (20261120 05:53:18.920)\n\
            WSREP_SST: [INFO] rsync IST completed on joiner (20261120 05:53:24.023)\n\
            2026-11-20  5:53:25 2 [Note] WSREP: Receiving IST: 12 writesets, seqnos 59-70\n";
        let donor = "WSREP_SST: [INFO] rsync IST completed on donor (20261120 05:53:34.949)";
        assert_eq!(transfer(ist), Transfer::Incremental);
        assert_eq!(transfer(&ist.replace("IST completed", "SST completed")), Transfer::Full);
        assert_eq!(transfer(donor), Transfer::None);
    }
}
