//! What the volumes held in an outage, as the status told it while it lasted.

use std::sync::{Arc, Mutex, PoisonError};

use e2e::Set;
use futures::StreamExt;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{Config, Event, watcher};
use operator::api::ReplicatedStatefulSet;
use tokio::task::{JoinHandle, spawn};

/// Follows the status of a set until it is dropped.
pub(crate) struct Readings {
    seen: Arc<Mutex<Option<u64>>>,
    task: JoinHandle<()>,
}

// === impl Readings ===

impl Readings {
    pub(crate) fn follow(set: &Set<'_>) -> Self {
        let seen = Arc::new(Mutex::new(None));
        let (found, api, name) = (Arc::clone(&seen), set.api(), set.name.clone());
        let task = spawn(async move {
            let config = Config::default().fields(&format!("metadata.name={name}"));
            // An API server that is away is asked again.
            let mut events = watcher(api, config).default_backoff().boxed();
            while let Some(event) = events.next().await {
                if let Ok(Event::Apply(set) | Event::InitApply(set)) = event {
                    let mut seen = found.lock().unwrap_or_else(PoisonError::into_inner);
                    *seen = (*seen).max(furthest(&set));
                }
            }
        });
        Self { seen, task }
    }

    /// How far the data of any member reached that was read; none, if nobody was.
    pub(crate) fn furthest(&self) -> Option<u64> {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Readings {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn furthest(set: &ReplicatedStatefulSet) -> Option<u64> {
    let states = set.status.as_ref().map(|status| status.replica_states.as_slice()).unwrap_or_default();
    states.iter().filter_map(|state| number(state.reading.as_deref()?)).max()
}

/// The last number of a history of one source, from its beginning on.
fn number(reading: &str) -> Option<u64> {
    let (source, numbers) = reading.rsplit_once(':')?;
    let last = numbers.strip_prefix("0-").filter(|_| source.len() == 36)?;
    last.parse().ok()
}

#[test]
fn only_a_history_says_how_far_data_reached() {
    let history = "91a2ccd1-e562-11f1-b925-ce12b9ce3e99:0-381";
    assert_eq!(number(history), Some(381));
    for other in ["unreadable: exit 1: \"no history\"", "empty", "381", "0-1-381"] {
        assert_eq!(number(other), None, "{other}");
    }
}
