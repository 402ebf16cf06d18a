//! Whether this process can do its work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a process must know before it can look after sets; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<Known>);

#[derive(Debug, Default)]
struct Known {
    leader: AtomicBool,
    caches: AtomicBool,
}

impl Readiness {
    /// Says whether it is known who leads, and so whether the API server answers.
    pub fn leader_is_known(&self, known: bool) {
        self.0.leader.store(known, Ordering::Relaxed);
    }

    /// Says that everything that is watched was listed once. It stays so: a watch that breaks goes on
    /// from what it had.
    pub fn caches_are_full(&self) {
        self.0.caches.store(true, Ordering::Relaxed);
    }

    /// What it is not ready for, if anything.
    #[must_use]
    pub fn missing(&self) -> Option<&'static str> {
        match (self.0.leader.load(Ordering::Relaxed), self.0.caches.load(Ordering::Relaxed)) {
            (false, _) => Some("it is not known yet who leads"),
            (true, false) => Some("not everything that is watched was listed yet"),
            (true, true) => None,
        }
    }
}
