//! What must have been so for a while before it is acted on. The planner names the condition,
//! the shell measures it with the leader's own monotonic clock; a new leader begins afresh.

use crate::names::{AttemptId, ContainerId, PodUid, ReplicaName};
use serde::{Deserialize, Serialize};

/// A condition that is measured.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// The attempt was promised: ripe when its command's timeout has passed.
    Deadline(AttemptId),
    /// The progress that the member reports while this attempt is open has not changed.
    NoProgress(AttemptId, Option<String>),
    /// The member answers Failed.
    Failed(ReplicaName, ContainerId),
    /// `status` hangs while the shell answers.
    Hung(ReplicaName, ContainerId),
    /// The member's `status` gives no answer.
    Silent(ReplicaName, ContainerId),
    /// The kubelet cannot start the pod's container.
    CannotStart(PodUid),
    /// The member answers Stopped although it has an open start.
    StoppedOpen(AttemptId),
    /// The volume lock is busy on a member that answers Stopped.
    LockBusy(ReplicaName, ContainerId),
    /// `sequence` gave no position, or did not get the volume lock: ripe when it is asked again.
    Unreadable(ReplicaName, ContainerId),
    /// A stopped member whose join was under way was not read yet: ripe when nobody waits for what it holds any more.
    Unasked(ReplicaName, ContainerId),
    /// A pod vanished from the API without a last report of its container.
    Vanished(PodUid),
    /// The member runs well: ripe when its repairs are forgotten.
    Well(ReplicaName),
    /// It was repaired this often: ripe when the next repair is allowed.
    Repaired(ReplicaName, u32),
    /// The member is Stopped or Down while another serves.
    Behind(ReplicaName),
    /// The member is away with its machine or its volume: ripe when an epoch may begin without it.
    Lost(ReplicaName),
    /// A member that is to leave does not stop.
    Leaving(ReplicaName),
    /// A member answered this while it ran: ripe when it is asked again.
    Rehearsed(AttemptId),
    /// The same answer: ripe when it is too old to say anything.
    RehearsalOld(AttemptId),
}

/// When a condition ripens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ripening {
    /// Seconds for which it must hold without a break.
    pub seconds: u64,
    /// Looks in a row in which it must hold.
    pub looks: u32,
}

/// How long a condition has held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Age {
    /// Not long enough; milliseconds that are left (0 = only a further look is missing).
    TooSoon(u64),
    /// Long enough.
    Ripe,
}
