//! What is to be done now, and why the rest waits.

use crate::memory::Memory;
use crate::names::{AttemptId, ContainerId, PodUid, ReplicaName};
use crate::observation::{Attempt, AttemptState, Command, Role};
use serde::{Deserialize, Serialize};

pub use crate::hold::{Hold, Reason, Scope};

/// What one look leads to. At most one step per replica; Seed, Promote, Resize and Recycle go alone.
#[must_use]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// What is to be remembered: written before any step is taken, if it differs.
    pub memory: Memory,
    /// What to do, in this order.
    pub steps: Vec<Step>,
    /// Why the rest waits.
    pub holds: Vec<Hold>,
    /// What happened that people should hear of.
    pub news: Vec<News>,
}

/// One effect, carrying what must still be true when it lands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// A command under the guard.
    Run(Run),
    /// Ask what became of an attempt, and see to it that it never begins if it has not.
    Revoke {
        /// Whose.
        replica: ReplicaName,
        /// Which.
        attempt: AttemptId,
        /// Only in this pod.
        if_pod: PodUid,
    },
    /// Delete a pod, so that a new one takes its place.
    Recycle {
        /// Whose.
        replica: ReplicaName,
        /// Only this pod.
        if_pod: PodUid,
        /// Grace period in seconds; none = the pod's own.
        grace_seconds: Option<u64>,
        /// Why.
        cause: Cause,
    },
    /// Set the number of pods.
    Resize {
        /// To.
        to: u32,
        /// Only from this number.
        if_from: u32,
        /// Who is given up by it, where identities are given once; of numbers the highest go.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        released: Vec<ReplicaName>,
        /// Why.
        cause: Cause,
    },
    /// Say on the pod what its member is.
    Label {
        /// Whose.
        replica: ReplicaName,
        /// Only on this pod.
        if_pod: PodUid,
        /// `rss-active-member`.
        active: bool,
        /// `clusterlabs.org/role`; absent = leave it.
        role: Option<Role>,
    },
    /// Delete the StatefulSet, its pods left alone, so that it is made again.
    Recreate,
}

/// A command under the guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// Where.
    pub replica: ReplicaName,
    /// What.
    pub command: Command,
    /// The name under which it begins at most once.
    pub attempt: AttemptId,
    /// Only in this pod.
    pub if_pod: PodUid,
    /// Only in this container.
    pub if_container: ContainerId,
    /// It takes the volume lock first.
    pub lock: bool,
    /// `Record::starts` when it was planned: what it reads is of that data.
    pub starts: u64,
    /// The member did not run when it was planned: a reading may stand.
    pub at_rest: bool,
    /// The epoch that the command is told.
    pub epoch: u64,
    /// Running primaries, appended to the command line; of a `Follow` the one to follow comes first.
    pub peers: Vec<ReplicaName>,
    /// Why.
    pub cause: Cause,
}

impl Run {
    /// What is known of it once it was begun, or tried to be.
    #[must_use]
    pub fn attempt(&self, state: AttemptState) -> Attempt {
        Attempt {
            replica: self.replica.clone(),
            pod: self.if_pod.clone(),
            container: self.if_container.clone(),
            command: self.command,
            locked: self.lock,
            starts: self.starts,
            at_rest: self.at_rest,
            state,
        }
    }
}

/// Why a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cause {
    /// The look calls for it: a member is stopped that should run, or must be read.
    Answer,
    /// The application itself answered Failed, long enough.
    Failed,
    /// Its `stop` failed.
    StopFailed,
    /// `status` hung while the shell answered, long enough.
    Hung,
    /// The kubelet cannot start the container.
    CannotStart,
    /// A start ended, or timed out, and its member does not run.
    Unconfirmed,
    /// The volume lock stays busy.
    LockBusy,
    /// The resource asks for another size.
    Size,
    /// The resource asks for another template.
    Template,
    /// It runs in an epoch that is over.
    Epoch,
    /// The pod was made without the guard.
    Unguarded,
    /// The pod ended (evicted) or its claims do not exist any more.
    Finished,
}

/// Something that happened; an Event for people.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum News {
    /// No member runs any more.
    OutageNoticed,
    /// A seed was chosen, and why.
    SeedChosen(ReplicaName, String),
    /// An epoch began with this member.
    EpochOpened(u64, ReplicaName),
    /// A member was confirmed.
    Joined(ReplicaName),
    /// Found running, and taken as it is.
    Adopted(ReplicaName),
    /// All data of a claimless set is gone; it is bootstrapped anew.
    DataGone,
    /// All data was read, and none of it names a source of what the epoch began with.
    LineageChanged,
    /// A key was used.
    KeyUsed(String),
    /// A key was refused: the facts have changed, or it names nothing.
    KeyRefused(String),
    /// Somebody is promoted who may lack what this old primary holds.
    LossAccepted(ReplicaName),
    /// An epoch began without this member: what it alone may hold is lost.
    GivenUp(u64, ReplicaName),
}

impl Step {
    /// The replica that it concerns, if it is one's.
    #[must_use]
    pub fn replica(&self) -> Option<&ReplicaName> {
        match self {
            Self::Run(run) => Some(&run.replica),
            Self::Revoke { replica, .. } | Self::Recycle { replica, .. } | Self::Label { replica, .. } => {
                Some(replica)
            }
            Self::Resize { .. } | Self::Recreate => None,
        }
    }
}

impl Command {
    /// Whether it may bring data to life.
    #[must_use]
    pub fn is_start(self) -> bool {
        matches!(self, Self::Seed | Self::Join | Self::Follow | Self::Promote | Self::Demote)
    }

    /// Whether it is `sequence`, so that a policy says what its output means.
    #[must_use]
    pub fn is_sequence(self) -> bool {
        matches!(self, Self::Read | Self::Rehearse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_policy_reads_is_the_output_of_two_commands_and_of_no_other() {
        for command in [Command::Read, Command::Rehearse] {
            assert!(command.is_sequence() && !command.is_start(), "{command:?}");
        }
        for command in [Command::Probe, Command::Stop, Command::Seed, Command::Join, Command::Promote] {
            assert!(!command.is_sequence(), "{command:?}");
        }
    }
}
