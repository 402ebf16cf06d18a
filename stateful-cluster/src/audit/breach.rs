//! What the audit found wrong.

use crate::names::Identity;

/// A guarantee that a plan breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Which.
    pub rule: Rule,
    /// About whom, if it is about one.
    pub identity: Option<Identity>,
}

/// The guarantees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Nothing is done, and nothing learned, while the resource says so.
    Paused,
    /// An identity is given once: its name was drawn for this look, and nothing bears it.
    NewIdentity,
    /// A pod is made again for an identity alone that has claims and was not given up by its owner, once the one before
    /// it is gone.
    SameIdentity,
    /// An identity is written down before its pod is made.
    Promised,
    /// At most one more than asked for may be alive, as far as is known.
    Room,
    /// No more are replaced in one window than may be.
    Budget,
    /// The unhealthy and those of silent nodes go one after the other, the next once the last one is made up for.
    Turn,
    /// A pod is deleted only as it was seen, and because of what was seen of it.
    Cause,
    /// Nobody is thrown away for silence or for want of health where no node is heard.
    Dark,
    /// What is deleted as surplus leaves as many as are asked for, with all others that go.
    Enough,
    /// A claim is made for a pod that is there, and for what it mounts.
    OwnClaim,
    /// A claim is deleted only where the resource says so, and nobody mounts it or may.
    UnusedClaim,
    /// Where an owner says who goes, nobody else goes, is changed or loses a claim, and no other takes its place.
    Consent,
    /// A template is proven by all pods, and taken back after as long as the resource says.
    Template,
    /// What was promised is forgotten only for a reason that was seen.
    Forgotten,
}

// === impl Breach ===

impl Breach {
    pub(super) fn of(rule: Rule, identity: &Identity) -> Self {
        Self { rule, identity: Some(identity.clone()) }
    }
}
