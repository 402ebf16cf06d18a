//! What the status knows of each replica's data. Nothing is concluded here that the status does not say.

mod measured;
mod offered;
mod person;

use std::collections::{BTreeMap, BTreeSet};

use operator::api::{HoldStatus, ReplicaStatus, SetStatus};
use planner::memory::Outage;
use planner::record::Reading;
use planner::{Memory, Position, Record, Rehearsal};
use serde::Deserialize;

use super::known::{Compared, Known};

/// The data of a set.
pub(super) struct Data {
    memory: Option<Memory>,
    trouble: Option<String>,
    /// By replica, the identity of the data that it has.
    holders: BTreeMap<String, String>,
    /// Replicas of which a hold says that data is lost.
    lost: BTreeSet<String>,
    /// What the policy was told in this outage, by replica.
    offered: BTreeMap<String, Position>,
    /// Members are wanted: where none are, that none serve is no outage.
    is_wanted: bool,
}

// === impl Data ===

impl Data {
    pub(super) fn of(status: &SetStatus, is_wanted: bool) -> Self {
        let read = status.memory.as_ref().map(|memory| Memory::deserialize(&*memory.0));
        let holder = |replica: &ReplicaStatus| Some((replica.name.clone(), replica.holder.clone()?));
        let holders = status.replica_states.iter().filter_map(holder).collect();
        let is_lost = |hold: &&HoldStatus| hold.reason == "LostData";
        let lost = status.holds.iter().filter(is_lost).map(|hold| hold.scope.clone()).collect();
        let offered = offered::positions(status);
        let told = |error| {
            format!("status.memory is not of this version of the tool ({error}): positions are not compared")
        };
        match read.transpose() {
            Ok(memory) => Self { memory, trouble: None, holders, lost, offered, is_wanted },
            Err(error) => {
                Self { memory: None, trouble: Some(told(error)), holders, lost, offered, is_wanted }
            }
        }
    }

    /// Why nothing is known, where something should be.
    pub(super) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    pub(super) fn outage(&self) -> Option<&Outage> {
        self.memory.as_ref().filter(|_| self.is_wanted)?.outage.as_ref()
    }

    pub(super) fn is_outage(&self) -> bool {
        self.outage().is_some()
    }

    pub(super) fn epoch(&self) -> u64 {
        self.memory.as_ref().map_or(0, |memory| memory.epoch.number)
    }

    /// The record of the data that the status shows for a replica.
    pub(super) fn record(&self, replica: &str) -> Option<&Record> {
        let holder = self.holders.get(replica)?;
        self.memory.as_ref()?.holders.values().find(|record| record.holder.to_string() == *holder)
    }

    /// Whether a replica has this data now: not where its claim was deleted, whether another one came in its place or not.
    pub(super) fn is_there(&self, record: &Record) -> bool {
        let replica = &record.replica.0;
        self.is_current(record) && (!self.lost.contains(replica) || self.came_in_its_place(record))
    }

    /// Whether it is the data that the status shows for its replica.
    fn is_current(&self, record: &Record) -> bool {
        self.holders.get(&record.replica.0).is_some_and(|holder| record.holder.to_string() == *holder)
    }

    /// Whether other data of its replica counts, which it took the place of: a hold about the replica is about that.
    fn came_in_its_place(&self, record: &Record) -> bool {
        self.counting().any(|other| other.replica == record.replica && !self.is_current(other))
    }

    /// The records that going on without this replica gives up: of data that is gone, if there is any, else of what it has.
    pub(super) fn given_up_with(&self, replica: &str) -> Vec<&Record> {
        let its = self.counting().filter(|record| record.replica.0 == replica && !record.is_new());
        let gone: Vec<&Record> = its.filter(|record| !self.is_current(record)).collect();
        if gone.is_empty() { self.record(replica).into_iter().collect() } else { gone }
    }

    /// The records whose data is part of what the set holds now: not given up, not half a copy, not of an earlier epoch.
    pub(super) fn counting(&self) -> impl Iterator<Item = &Record> {
        self.records().filter(|record| self.counts(record))
    }

    /// All that are remembered.
    fn records(&self) -> impl Iterator<Item = &Record> {
        self.memory.iter().flat_map(|memory| memory.holders.values())
    }

    pub(super) fn counts(&self, record: &Record) -> bool {
        let is_left_out = record.ended || record.waived || record.joining || record.is_behind();
        self.is_of_epoch(record) && !is_left_out
    }

    /// Whether its data may be part of the newest epoch.
    fn is_of_epoch(&self, record: &Record) -> bool {
        record.confirmed == 0 || record.confirmed == self.epoch()
    }

    /// What is known best of some data: what stands, else what it had when it ran, else what it had before that.
    pub(super) fn known(&self, record: &Record) -> Option<Known> {
        let rehearsed = || {
            let all = self.memory.iter().flat_map(|memory| memory.rehearsals.values());
            let is_its = |said: &&Rehearsal| said.holder == record.holder && said.starts == record.starts;
            all.into_iter().find(is_its).and_then(Known::rehearsed)
        };
        let standing = Known::standing(record).or_else(|| Known::running(record));
        standing.or_else(rehearsed).or_else(|| Known::past(record))
    }

    /// The one that holds all that was read of those that count and are there, if there is one.
    pub(super) fn best(&self) -> Option<(&Record, Known)> {
        let there = || self.counting().filter(|record| self.is_there(record));
        let standing = || there().filter_map(|record| Some((record, Known::standing(record)?)));
        let holds_all = |known: &Known| {
            standing().all(|(_, other)| matches!(known.compared(&other), Compared::Same | Compared::Ahead(_)))
        };
        standing().find(|(_, known)| holds_all(known))
    }
}

/// Whether there is nothing in the data.
pub(super) fn is_nothing(record: &Record) -> bool {
    record.is_new() || record.standing().is_some_and(|taken| taken.reading == Reading::Empty)
}
