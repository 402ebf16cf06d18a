//! How far recovery may go without a person.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::span::Span;

/// Less than ten seconds, in one unit or in none. What is less in several the operator refuses.
const REHEARSAL_RULE: &str =
    "!string(self).matches('^[Pp]?[Tt]?(0*[0-9]([.][0-9]+)?[sS]?|0*[0-9]{1,4}([.][0-9]+)?[mM][sS])$')";

/// The same of thirty.
const REPLACE_RULE: &str = "!string(self).matches('^[Pp]?[Tt]?(0*[12]?[0-9]([.][0-9]+)?[sS]?|0*[12]?[0-9]{1,4}([.][0-9]+)?[mM][sS])$')";

/// How far recovery may go without a person.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Recovery {
    /// Who decides that a set which has data goes on from one of its members, after an outage or a lost primary: Auto,
    /// the operator; Ask, a person, each time, by a key that is bound to what was read; PlanOnly, nobody: what would be
    /// done is only told. The first bootstrap is not asked for, nor is a change of the primary for a new template or a smaller
    /// size. Default: Auto.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<RecoveryMode>,
    /// When a secondary is promoted in the place of a lost primary: Never; NoKnownLoss, when it holds all that the
    /// primary is known to have held; AllowLoss, also when it holds less. Default: NoKnownLoss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failover: Option<Failover>,
    /// What a pod proves that vanished without the kubelet's report of its end: WaitGracePeriod, that its application
    /// ended within its grace period (weaker: time proves nothing); Hold, nothing, a person has to say so.
    /// Default: WaitGracePeriod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced_deletion: Option<ForcedDeletion>,
    /// What the removal of a volume's attachment to the old node proves: Hold, nothing; Closed, that the application
    /// there can write no more, for storage that fences when it detaches. A volume that has no attachment wherever it
    /// is used (local, hostPath, NFS) proves nothing. Default: Hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detached_volume: Option<DetachedVolume>,
    /// How many members may join at the same time; each may copy the whole data from one that runs. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub parallel_joins: Option<i32>,
    /// How often the members of a set that is well are asked with `sequence`, while they run, what they hold; condition
    /// RecoveryReady then says whether all of them, stopped at once, would be brought back, and if not, why. At least 10
    /// seconds. Only for a `sequence` that can answer while the application runs. Absent: they are never asked.
    #[x_kube(validation = Rule::new(REHEARSAL_RULE)
        .message("spec.recovery.rehearsalInterval is less than ten seconds: write 10s or more, or leave it out"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rehearsal_interval: Option<Span>,
    /// With `workload: StatefulCluster`: how long a member has to be away with its machine or its volume until the set goes
    /// on without it and another takes its place, though nobody can read what it held; a follower with `failover:
    /// NoKnownLoss`, any with `AllowLoss`. At least 30 seconds. Default: 10m.
    #[x_kube(validation = Rule::new(REPLACE_RULE)
        .message("spec.recovery.replaceAfter is less than thirty seconds: write 30s or more, or leave it out for 10m"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace_after: Option<Span>,
}

/// Who decides that a set goes on from one of its members.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[schemars(transform = super::undescribed)]
pub enum RecoveryMode {
    /// The operator.
    #[default]
    Auto,
    /// A person, each time.
    Ask,
    /// Nobody.
    PlanOnly,
}

/// When a secondary is promoted in the place of a lost primary.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[schemars(transform = super::undescribed)]
pub enum Failover {
    /// Only a person promotes.
    Never,
    /// When the secondary holds everything that the primary is known to have held.
    #[default]
    NoKnownLoss,
    /// Also when it holds less; the loss is recorded.
    AllowLoss,
}

/// What a pod proves that vanished without the kubelet's report.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[schemars(transform = super::undescribed)]
pub enum ForcedDeletion {
    /// After its grace period the application is taken to have ended. Weaker: time proves nothing.
    #[default]
    WaitGracePeriod,
    /// Nothing: a person has to say that it ended.
    Hold,
}

/// What a detached volume proves.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[schemars(transform = super::undescribed)]
pub enum DetachedVolume {
    /// Nothing.
    #[default]
    Hold,
    /// That the application on the old node can write no more. For storage that fences when it detaches.
    Closed,
}
