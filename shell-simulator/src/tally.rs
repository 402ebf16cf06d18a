//! What stories came to.

use std::ops::AddAssign;

/// What stories came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Processes of the operator that died.
    pub crashes: u64,
    /// What befell the cluster, and requests that went wrong.
    pub faults: u64,
    /// Stories that ended in a wait for a person.
    pub held: u64,
    /// Identities that took the place of others.
    pub replaced: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.crashes += other.crashes;
        self.faults += other.faults;
        self.held += other.held;
        self.replaced += other.replaced;
    }
}
