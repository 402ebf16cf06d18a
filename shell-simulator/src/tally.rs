//! What stories came to.

use std::ops::AddAssign;

/// What stories came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Processes of the operator that died.
    pub crashes: u64,
    /// What befell the cluster, and requests that went wrong otherwise than by a death: what was drawn and struck nothing
    /// does not count.
    pub faults: u64,
    /// Keys that a person gave, where a set waited for one.
    pub keys: u64,
    /// Identities that took the place of others.
    pub replaced: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.crashes += other.crashes;
        self.faults += other.faults;
        self.keys += other.keys;
        self.replaced += other.replaced;
    }
}
