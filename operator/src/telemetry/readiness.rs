//! Whether this process can do its work.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::{Kind, Watches};

/// What is known of who leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leader {
    /// Nothing: the API server did not answer.
    #[default]
    Unknown,
    /// The lease may not be read or written with these rights (403).
    Forbidden,
    /// Who it is.
    Known,
}

/// What a process must know before it can look after sets; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<Known>);

#[derive(Debug, Default)]
struct Known {
    leader: watch::Sender<Leader>,
    watches: Mutex<BTreeMap<Kind, Watches>>,
}

impl Readiness {
    /// Says whether it is known who leads, and so whether the API server answers.
    pub fn leader(&self, leader: Leader) {
        self.0.leader.send_replace(leader);
    }

    /// Reads these watches from now on.
    pub(crate) fn watching(&self, watches: &Watches) {
        let mut all = self.0.watches.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(watches.controller(), watches.clone());
    }

    /// The reason why this process is not ready, if it is not. One namespace that is ready is enough. Otherwise one
    /// missing namespace would block each rollout of the operator.
    #[must_use]
    pub fn missing(&self) -> Option<&'static str> {
        let all = self.0.watches.lock().unwrap_or_else(PoisonError::into_inner);
        // StatefulClusters are optional.
        let keeps_waiting = all.get(&Kind::ReplicatedStatefulSet).is_none_or(Watches::keeps_waiting);
        match (*self.0.leader.borrow(), keeps_waiting) {
            (Leader::Unknown, _) => Some("it is not known yet who leads"),
            (Leader::Forbidden, _) => {
                Some("the lease is forbidden (403): the role is not bound to this account")
            }
            (Leader::Known, true) => Some("not everything that is watched was listed yet"),
            (Leader::Known, false) => None,
        }
    }

    /// One line for each namespace in which a kind cannot be watched.
    #[must_use]
    pub fn notes(&self) -> String {
        let all = self.0.watches.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines = String::new();
        for missing in all.values().flat_map(Watches::missing) {
            // Writing to a String does not fail.
            let _ = writeln!(lines, "{missing}");
        }
        lines
    }
}
