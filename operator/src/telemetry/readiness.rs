//! Whether this process can do its work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

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
    caches: AtomicBool,
}

impl Readiness {
    /// Says whether it is known who leads, and so whether the API server answers.
    pub fn leader(&self, leader: Leader) {
        self.0.leader.send_replace(leader);
    }

    /// Says that everything that is watched was listed once. It stays so: a watch that breaks goes on
    /// from what it had.
    pub fn caches_are_full(&self) {
        self.0.caches.store(true, Ordering::Relaxed);
    }

    /// What it is not ready for, if anything.
    #[must_use]
    pub fn missing(&self) -> Option<&'static str> {
        match (*self.0.leader.borrow(), self.0.caches.load(Ordering::Relaxed)) {
            (Leader::Unknown, _) => Some("it is not known yet who leads"),
            (Leader::Forbidden, _) => {
                Some("the lease is forbidden (403): the role is not bound to this account")
            }
            (Leader::Known, false) => Some("not everything that is watched was listed yet"),
            (Leader::Known, true) => None,
        }
    }
}
