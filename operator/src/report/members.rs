//! What each member is, in the words of status.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use planner::decision::Judgement;
use planner::names::ReplicaName;
use planner::observation::Pod;
use planner::record::{Reading, Record, Taken};
use planner::rehearsal::Heard;
use planner::{AppState, Memory, Rehearsal, holder_of};

use super::{Told, starting};
use crate::api::{Members, ReplicaStatus};

/// What each replica is, in the order of their numbers.
#[derive(Clone, Debug)]
pub struct Standing(Vec<(u32, ReplicaName, Option<MemberState>)>);

/// What a member is, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
enum MemberState {
    /// It is being started: until that is over its own word says nothing else.
    Starting,
    /// What its application and the kubelet say.
    Is(AppState),
}

impl MemberState {
    fn of(name: &ReplicaName, pod: &Pod, told: &Told<'_>) -> Self {
        let state = AppState::of(Some(pod), &told.observation.target);
        if starting::is_starting(name, pod, &state, told.observation, &told.plan.memory) {
            Self::Starting
        } else {
            Self::Is(state)
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Starting => "Starting",
            Self::Is(state) => state.name(),
        }
    }

    fn serves(&self) -> bool {
        matches!(self, Self::Is(state) if state.is_running())
    }
}

impl Standing {
    /// Of a look. A replica without a pod has no state of its own to tell.
    #[must_use]
    pub fn of(told: &Told<'_>) -> Self {
        let replicas = told.observation.replicas.iter();
        let mut all: Vec<_> = replicas
            .map(|(name, replica)| {
                let state = replica.pod.as_ref().map(|pod| MemberState::of(name, pod, told));
                (replica.ordinal, name.clone(), state)
            })
            .collect();
        all.sort_by_key(|(ordinal, ..)| *ordinal);
        Self(all)
    }

    /// How many serve.
    #[must_use]
    pub fn serving(&self) -> usize {
        self.states().filter(|(_, state)| state.serves()).count()
    }

    /// Those that run as primary.
    pub fn primaries(&self) -> impl Iterator<Item = &ReplicaName> {
        let primary = MemberState::Is(AppState::Primary);
        self.states().filter(move |(_, state)| **state == primary).map(|(name, _)| name)
    }

    /// The lists of names.
    #[must_use]
    pub fn members(&self) -> Members {
        let named = |wanted: fn(&MemberState) -> bool| -> Vec<String> {
            self.states().filter(|(_, state)| wanted(state)).map(|(name, _)| name.0.clone()).collect()
        };
        Members {
            primary: named(|state| *state == MemberState::Is(AppState::Primary)),
            secondary: named(|state| *state == MemberState::Is(AppState::Secondary)),
            ready: named(MemberState::serves),
            unready: named(|state| !state.serves()),
            failed: named(|state| matches!(state, MemberState::Is(AppState::Failed(_)))),
        }
    }

    fn states(&self) -> impl Iterator<Item = (&ReplicaName, &MemberState)> {
        self.0.iter().filter_map(|(_, name, state)| Some((name, state.as_ref()?)))
    }
}

/// What is known of each replica, with the time since when it is so.
pub(super) fn replica_states(told: &Told<'_>, standing: &Standing) -> Vec<ReplicaStatus> {
    let before: BTreeMap<&str, &ReplicaStatus> =
        told.previous.replica_states.iter().map(|status| (status.name.as_str(), status)).collect();
    let one = |(_, name, state): &(u32, ReplicaName, Option<MemberState>)| {
        let app_state = state.as_ref().map(|state| state.name().to_owned());
        let record = newest(told, name);
        let known = before.get(name.0.as_str()).filter(|known| known.app_state == app_state);
        ReplicaStatus {
            name: name.0.clone(),
            reading: record.and_then(|record| reading(record, &told.plan.memory)),
            holder: record.map(|record| record.holder.to_string()),
            since: known.and_then(|known| known.since.clone()).or(Some(Time(told.now))),
            app_state,
        }
    };
    standing.0.iter().map(one).collect()
}

/// The record of the data that the replica has now; where it has none, the last one of it that has not ended.
fn newest<'a>(told: &Told<'a>, name: &ReplicaName) -> Option<&'a Record> {
    let replica = told.observation.replicas.get(name);
    let here = replica.and_then(|replica| holder_of(replica, &told.observation.target));
    if let Some(record) = here.and_then(|holder| told.plan.memory.holders.get(&holder)) {
        return Some(record);
    }
    let records = told.plan.memory.holders.values().filter(|record| record.replica == *name);
    records.max_by_key(|record| (!record.ended, record.epoch.number, record.starts))
}

fn reading(record: &Record, memory: &Memory) -> Option<String> {
    let text = |taken: &Taken| taken.reading.to_string();
    let running = record.running.as_ref().map(|taken| format!("at least {}", text(taken)));
    let running = running.or_else(|| rehearsed(record, memory));
    let past = record.reading.as_ref().map(|taken| format!("{} before its last start", text(taken)));
    record.standing().map(text).or(running).or(past)
}

/// What it said of this data while it ran, in a set that was well.
fn rehearsed(record: &Record, memory: &Memory) -> Option<String> {
    let is_its = |said: &&Rehearsal| said.holder == record.holder && said.starts == record.starts;
    match &memory.rehearsals.values().find(is_its)?.heard {
        Heard::Said(Judgement { reading: Reading::At(position), .. }) => Some(format!("at least {position}")),
        Heard::Said(_) | Heard::Nothing(_) => None,
    }
}
