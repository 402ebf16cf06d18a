//! What was promised: written to the claims and to status before anything is done.

use crate::measure::Measure;
use crate::names::{ContainerId, Reader, ReplicaName, Revision};
use crate::position::Position;
use crate::record::{HolderId, Record, Taken};
use crate::rehearsal::Rehearsal;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One line of history of the set.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Epoch {
    /// Its number; 0 = the set was never bootstrapped.
    pub number: u64,
    /// The position of the member that it began with, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    /// Whose data was given up with its beginning, in a set that ran on; nobody's where a start began it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<HolderId>,
}

/// Where an epoch began.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Base {
    /// The position.
    #[serde(with = "crate::position::compact")]
    pub position: Position,
    /// In which outage it was read, and by whom.
    #[serde(flatten)]
    pub measure: Measure,
}

impl Base {
    /// Whether the epoch began with all that was read there.
    #[must_use]
    pub fn includes(&self, taken: &Taken) -> bool {
        taken.position().is_some_and(|there| self.measure.includes(&self.position, &taken.measure, there))
    }
}

/// An outage: from the first look in which no member answers Primary or Secondary and none is
/// Unknown, until one is confirmed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outage {
    /// By whose readings the list is, and the word of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<Reader>,
    /// The equal candidates, written down with the first promise of a seed. The list only shrinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<HolderId>>,
    /// A person named the seed (`AcceptSeed`): what the others hold beyond it is given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<HolderId>,
    /// The seeds of this outage that came to nothing, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<Failure>,
}

/// A seed that came to nothing, in words for a person.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// Who was tried.
    pub replica: ReplicaName,
    /// How its command ended: `Start::said`.
    pub why: String,
}

/// What was promised, of the whole set. Empty = nothing is known, which is never proof that
/// nothing was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Memory {
    /// The newest epoch.
    pub epoch: Epoch,
    /// Every holder that is known.
    #[serde(with = "as_list")]
    pub holders: BTreeMap<HolderId, Record>,
    /// The outage that goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outage: Option<Outage>,
    /// How many outages there were: the number of the last one.
    pub outages: u64,
    /// The set was paused when last looked at.
    pub paused: bool,
    /// The size before the set was scaled to 0; coming back with fewer is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore_replicas: Option<u32>,
    /// Repairs of each replica since it was last well.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub repairs: BTreeMap<ReplicaName, u32>,
    /// Containers in which no volume lock can be had (guard code 124, or a person said so).
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub lockless: BTreeSet<ContainerId>,
    /// The revision with which the whole set was last well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub good: Option<Revision>,
    /// The generation of the resource whose template no pod could start with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<i64>,
    /// Keys that were used, each by its text: a key works once.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub used_keys: BTreeSet<String>,
    /// What members answered when they were asked while they ran. Of no account for a seed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rehearsals: BTreeMap<ReplicaName, Rehearsal>,
}

impl Memory {
    /// The records of a replica, newest data first is not implied.
    pub fn of<'a>(&'a self, replica: &'a ReplicaName) -> impl Iterator<Item = &'a Record> {
        self.holders.values().filter(move |record| &record.replica == replica)
    }

    /// Whether any start of the set may be alive.
    #[must_use]
    pub fn has_open_start(&self) -> bool {
        self.holders.values().any(|record| !record.open.is_empty())
    }
}

/// A map whose key is part of its value travels as a list: JSON has no keys but strings.
mod as_list {
    use super::{BTreeMap, HolderId, Record};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        map: &BTreeMap<HolderId, Record>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(map.values())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<HolderId, Record>, D::Error> {
        let list = Vec::<Record>::deserialize(from)?;
        Ok(list.into_iter().map(|record| (record.holder.clone(), record)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{memory, record};

    #[test]
    fn what_is_written_down_is_read_back_with_all_records() {
        let known = memory([record(0).confirmed_in(2).at(5), record(1).confirmed_in(1).open_start("a")]);
        let text = serde_json::to_string(&known).unwrap();
        assert_eq!(serde_json::from_str::<Memory>(&text).unwrap(), known);
    }
}
