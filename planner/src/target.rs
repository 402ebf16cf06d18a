//! What is wanted, parsed: no optional field of the resource reaches further than this.

use crate::key::Key;
use serde::{Deserialize, Serialize};

/// What the resource asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// `metadata.generation`.
    pub generation: i64,
    /// Members wanted; 0 = stopped.
    pub replicas: u32,
    /// How many run as primary; not above `replicas`.
    pub primaries: u32,
    /// Hands off.
    pub paused: bool,
    /// There is a `secondary` command. Without it every running member is a primary.
    pub has_secondary: bool,
    /// The data is on claims; else in the pod or the container.
    pub storage: Storage,
    /// How the members' identities come and go.
    #[serde(default, skip_serializing_if = "Identities::are_numbers")]
    pub identities: Identities,
    /// Whether a recovery goes on by itself.
    pub mode: Mode,
    /// What may be promoted when a primary is lost.
    pub failover: Failover,
    /// What a pod that vanished without a last report proves after its grace period.
    pub forced_deletion: ForcedDeletion,
    /// Whether a volume detached from its old node proves an end.
    pub detached_volume: DetachedVolume,
    /// Seconds for which a member has to be away with its machine or its volume until an epoch begins without it, where
    /// identities are given once; none = never.
    #[serde(default)]
    pub replace_after: Option<u64>,
    /// Seconds after which running members are asked again what they hold; none = never.
    #[serde(default)]
    pub rehearsal_interval: Option<u64>,
    /// How many joins may be under way at once; at least 1.
    pub parallel_joins: u32,
    /// Whether pods of an older template are replaced.
    pub rollout: Rollout,
    /// Seconds that a command may take, by command.
    pub timeouts: Timeouts,
    /// `terminationGracePeriodSeconds` of the pod.
    pub grace_seconds: u64,
    /// What a person allowed, by annotation.
    pub keys: Vec<Key>,
}

/// Where the data of a member lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Storage {
    /// On claims; the volume lock is taken on the first claim's mount, if the first container has one.
    Claims {
        /// The first container mounts the first claim.
        lock: bool,
    },
    /// In an emptyDir: it lives as long as the pod.
    Pod,
    /// In the container's own file system.
    Container,
}

/// How the identities of members come and go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Identities {
    /// By a StatefulSet's numbers: a smaller size takes the highest, and who is gone comes back to its claims.
    #[default]
    Numbered,
    /// By names that are given once: a smaller size takes those that are named with it, and who is gone never comes back.
    GivenOnce,
}

impl Identities {
    /// A StatefulSet's.
    #[must_use]
    pub fn are_numbers(&self) -> bool {
        *self == Self::Numbered
    }
}

/// `recovery.mode`: who decides that a set which has data goes on from one of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// The operator.
    Auto,
    /// A person, each time, on the facts of that moment.
    Ask,
    /// Nobody: what would be done is only told.
    PlanOnly,
}

/// `recovery.failover`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failover {
    /// A secondary is never promoted in place of a lost primary.
    Never,
    /// Promoted only if it includes what the old primary is known to hold.
    NoKnownLoss,
    /// A maximal one is promoted, and the loss recorded.
    AllowLoss,
}

/// `recovery.forcedDeletion`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ForcedDeletion {
    /// A pod that vanished unreported counts as ended after its grace period (weaker).
    WaitGracePeriod,
    /// It never does; a person says so with `AssertFenced`.
    Hold,
}

/// `recovery.detachedVolume`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DetachedVolume {
    /// Proves nothing.
    Hold,
    /// A VolumeAttachment that is gone from the old node closes a start there.
    Closed,
}

/// `updateStrategy.type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rollout {
    /// One at a time, primaries last, only while the set is well.
    RollingUpdate,
    /// A pod takes the new template when somebody deletes it.
    OnDelete,
}

/// Seconds that each command may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeouts {
    /// `sequence`.
    pub sequence: u64,
    /// `seed`.
    pub seed: u64,
    /// `primary`.
    pub primary: u64,
    /// `secondary`.
    pub secondary: u64,
    /// `status`.
    pub status: u64,
    /// `stop`.
    pub stop: u64,
}

impl Target {
    /// Whether a running member is a primary whatever it answers.
    #[must_use]
    pub fn all_primaries(&self) -> bool {
        !self.has_secondary
    }

    /// Whether there is a volume lock to be taken.
    #[must_use]
    pub fn has_lock(&self) -> bool {
        matches!(self.storage, Storage::Claims { lock: true })
    }

    /// Whether the data outlives the pod.
    #[must_use]
    pub fn has_claims(&self) -> bool {
        matches!(self.storage, Storage::Claims { .. })
    }
}
