//! What this process uses of what is kept. A status names a policy only once a look by it was written down, and that may
//! be long after it was kept: while looks of the set fail, for one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::garbage::InUse;
use crate::policy::Digest;

/// All that is in use. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Holds(Arc<Mutex<BTreeMap<Key, Hold>>>);

type Key = (String, Digest);

#[derive(Default)]
struct Hold {
    users: usize,
    /// It was looked for, and is not there.
    is_gone: bool,
}

/// One use by a namespace of one policy that is kept: for as long as this is there, it is not removed.
pub struct Held {
    holds: Holds,
    key: Key,
}

impl Holds {
    pub(super) fn hold(&self, namespace: &str, digest: Digest) -> Held {
        let key = (namespace.to_owned(), digest);
        let mut all = self.locked();
        let hold = all.entry(key.clone()).or_default();
        hold.users += 1;
        drop(all);
        Held { holds: self.clone(), key }
    }

    /// All that is in use at the moment.
    pub(super) fn all(&self) -> InUse {
        self.locked().keys().cloned().collect()
    }

    /// What a list of all that is kept says of what was in use before it was asked for.
    pub(super) fn seen(&self, before: &InUse, there: &InUse) {
        for (key, hold) in self.locked().iter_mut().filter(|(key, _)| before.contains(*key)) {
            hold.is_gone = !there.contains(key);
        }
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<Key, Hold>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Whether it is there still, as far as it was looked for.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.holds.locked().get(&self.key).is_some_and(|hold| !hold.is_gone)
    }

    /// It was found to be there.
    pub(super) fn found(self) -> Self {
        if let Some(hold) = self.holds.locked().get_mut(&self.key) {
            hold.is_gone = false;
        }
        self
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut all = self.holds.locked();
        if let Some(hold) = all.get_mut(&self.key) {
            hold.users -= 1;
            if hold.users == 0 {
                all.remove(&self.key);
            }
        }
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (namespace, digest) = &self.key;
        write!(f, "Held({namespace}, {digest})")
    }
}
