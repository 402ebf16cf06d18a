//! What was there before comes back, as from a snapshot of etcd.

use crate::store::Store;
use crate::told::Change;

// === impl Store ===

impl Store {
    /// The versions at which something changed that is watched.
    #[must_use]
    pub fn versions(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.changes.values().flatten().map(|change| change.version).collect();
        all.sort_unstable();
        all
    }

    /// All that is watched is again as it was at a version: nobody can be told what was written since, and its versions are
    /// given once more, but no UID is. Whoever watches has to begin anew. What nobody watches stays as it is: leases.
    pub fn go_back(&mut self, version: u64) {
        let is_since = |change: &mut Change| change.version > version;
        let mut undone: Vec<Change> =
            self.changes.values_mut().flat_map(|changes| changes.extract_if(.., is_since)).collect();
        undone.sort_by_key(|change| std::cmp::Reverse(change.version));
        for change in undone {
            match change.before {
                Some(before) => drop(self.beside(&change.path).insert(change.path.clone(), before)),
                None => drop(self.beside(&change.path).remove(&change.path)),
            }
        }
        self.version = version.min(self.version);
        self.told = self.told.min(self.version);
    }
}
