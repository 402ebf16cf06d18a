//! What is wanted, parsed: nothing behind this module meets an optional field or a text that could be wrong.

mod commands;
mod copied;
#[cfg(test)]
mod fuzzed;
mod given_once;
mod invalid;
mod notice;
mod parse;
mod policy;
mod template;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::ServicePort;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

pub use commands::{Command, Commands, DEFAULT_TIMEOUT};
pub use invalid::{Invalid, Problem};
pub use notice::Notice;
pub use parse::DEFAULT_INTERVAL;
pub use policy::{Policy, Source, Wanted};
pub use template::{Storage, Template};

use crate::api::{
    DetachedVolume, Failover, ForcedDeletion, RecoveryMode, Retention, SessionAffinity, UpdateKind, Workload,
};

/// What is wanted of one set.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// `metadata.name`: a DNS label of at most 48 characters.
    pub name: String,
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.generation`.
    pub generation: i64,
    /// Labels for StatefulSet, pods and services, beside the operator's own.
    pub labels: BTreeMap<String, String>,
    /// Annotations for StatefulSet and pods.
    pub annotations: BTreeMap<String, String>,
    /// What runs the pods.
    pub workload: Workload,
    /// Hands off.
    pub paused: bool,
    /// Members wanted; 0 = stopped.
    pub replicas: u32,
    /// How many run as primary; not above `replicas`, and all of them without a `secondary` command.
    pub primaries: u32,
    /// How often `status` is asked when nothing else happens; at least a second.
    pub interval: Duration,
    /// What can be asked of the application.
    pub commands: Commands,
    /// The name of the container in which commands run: the first one.
    pub container: String,
    /// Where the data of a replica lives.
    pub storage: Storage,
    /// The pod.
    pub template: Template,
    /// Ports of both services.
    pub ports: Vec<ServicePort>,
    /// The client service, if there is to be one.
    pub client_service: Option<ClientService>,
    /// Who takes the decisions.
    pub policy: Policy,
    /// Who is asked the same and never followed, if anybody; or why that cannot be.
    pub candidate: Option<Result<Policy, Invalid>>,
    /// How far recovery may go without a person.
    pub recovery: Recovery,
    /// Who replaces pods of an older template.
    pub rollout: UpdateKind,
    /// What becomes of claims that are no longer wanted.
    pub retention: KeptClaims,
    /// How many pods a drain may take at once; `None`: there is no budget.
    pub disruption_budget: Option<IntOrString>,
    /// What was accepted and has no effect.
    pub notices: Vec<Notice>,
}

/// The service that clients use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientService {
    /// Its name.
    pub name: String,
    /// Whether a client stays with one member.
    pub session_affinity: SessionAffinity,
}

/// How far recovery may go without a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// Who decides that a set goes on from one of its members.
    pub mode: RecoveryMode,
    /// When a secondary is promoted in the place of a lost primary.
    pub failover: Failover,
    /// What a pod proves that vanished unreported.
    pub forced_deletion: ForcedDeletion,
    /// What a detached volume proves.
    pub detached_volume: DetachedVolume,
    /// How many members may join at once; at least 1.
    pub parallel_joins: u32,
    /// How often members are asked while they run; none = never.
    pub rehearsal_interval: Option<Duration>,
    /// How long a member has to be lost until an epoch begins without it, where identities are given once.
    pub replace_after: Duration,
}

/// What becomes of claims that are no longer wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptClaims {
    /// When the resource is deleted.
    pub when_deleted: Retention,
    /// When the set is made smaller.
    pub when_scaled: Retention,
}
