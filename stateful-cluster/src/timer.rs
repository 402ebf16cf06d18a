//! What must have been so for a while before it is acted on. The planner names the condition, the
//! shell measures it with the leader's own monotonic clock; a new leader begins afresh.

use crate::names::{Identity, PodUid};
use crate::target::Revision;
use serde::{Deserialize, Serialize};

/// A condition that is measured.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// The pod is not available: ripe when it is replaced.
    Unhealthy(PodUid),
    /// Nothing is heard of the pod's node: ripe when it is replaced.
    Unheard(PodUid),
    /// The pod of an identity that comes back ended: ripe when it makes room for the next one.
    Ended(PodUid),
    /// Nobody here knows what became of this creation: ripe when it cannot land any more.
    Unknown(Identity),
    /// It replaced another one: ripe when the window is over.
    Spent(Identity),
    /// Pods of a template that is not proven are not available: ripe when it is taken back.
    Stuck(Revision),
}

/// How long a condition has held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Age {
    /// Not long enough; milliseconds that are left.
    TooSoon(u64),
    /// Long enough.
    Ripe,
}
