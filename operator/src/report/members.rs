//! What each member is, in the words of status.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use planner::names::ReplicaName;
use planner::record::{Record, Taken};
use planner::{AppState, Observation};

use super::Told;
use crate::api::{Members, ReplicaStatus};

/// What each replica's application is, in the order of their numbers.
#[derive(Clone, Debug)]
pub struct Standing(Vec<(u32, ReplicaName, Option<AppState>)>);

impl Standing {
    /// Of a look. A replica without a pod has no state of its own to tell.
    #[must_use]
    pub fn of(observation: &Observation) -> Self {
        let state = |replica: &planner::observation::Replica| {
            replica.pod.as_ref().map(|pod| AppState::of(Some(pod), &observation.target))
        };
        let mut all: Vec<_> = observation
            .replicas
            .iter()
            .map(|(name, replica)| (replica.ordinal, name.clone(), state(replica)))
            .collect();
        all.sort_by_key(|(ordinal, ..)| *ordinal);
        Self(all)
    }

    /// How many serve.
    #[must_use]
    pub fn serving(&self) -> usize {
        self.states().filter(|(_, state)| state.is_running()).count()
    }

    /// Those that run as primary.
    pub fn primaries(&self) -> impl Iterator<Item = &ReplicaName> {
        self.states().filter(|(_, state)| **state == AppState::Primary).map(|(name, _)| name)
    }

    /// The lists of names.
    #[must_use]
    pub fn members(&self) -> Members {
        let named = |wanted: fn(&AppState) -> bool| -> Vec<String> {
            self.states().filter(|(_, state)| wanted(state)).map(|(name, _)| name.0.clone()).collect()
        };
        Members {
            primary: named(|state| *state == AppState::Primary),
            secondary: named(|state| *state == AppState::Secondary),
            ready: named(AppState::is_running),
            unready: named(|state| !state.is_running()),
            failed: named(|state| matches!(state, AppState::Failed(_))),
        }
    }

    fn states(&self) -> impl Iterator<Item = (&ReplicaName, &AppState)> {
        self.0.iter().filter_map(|(_, name, state)| Some((name, state.as_ref()?)))
    }
}

/// What is known of each replica, with the time since when it is so.
pub(super) fn replica_states(told: &Told<'_>, standing: &Standing) -> Vec<ReplicaStatus> {
    let before: BTreeMap<&str, &ReplicaStatus> =
        told.previous.replica_states.iter().map(|status| (status.name.as_str(), status)).collect();
    let one = |(_, name, state): &(u32, ReplicaName, Option<AppState>)| {
        let app_state = state.as_ref().map(|state| state.name().to_owned());
        let record = newest(told, name);
        let known = before.get(name.0.as_str()).filter(|known| known.app_state == app_state);
        ReplicaStatus {
            name: name.0.clone(),
            reading: record.and_then(reading),
            holder: record.map(|record| record.holder.to_string()),
            since: known.and_then(|known| known.since.clone()).or(Some(Time(told.now))),
            app_state,
        }
    };
    standing.0.iter().map(one).collect()
}

/// The record of the data that the replica has now: the one that has not ended.
fn newest<'a>(told: &Told<'a>, name: &ReplicaName) -> Option<&'a Record> {
    let records = told.plan.memory.holders.values().filter(|record| record.replica == *name);
    records.max_by_key(|record| (!record.ended, record.epoch.number, record.starts))
}

fn reading(record: &Record) -> Option<String> {
    let text = |taken: &Taken| taken.reading.to_string();
    let running = record.running.as_ref().map(|taken| format!("at least {}", text(taken)));
    let past = record.reading.as_ref().map(|taken| format!("{} before its last start", text(taken)));
    record.standing().map(text).or(running).or(past)
}
