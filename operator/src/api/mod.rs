//! The custom resources: what people write, and what the operator answers in their status.
//!
//! These types say what the API server may hold, not what is sensible: [`crate::target`] turns a
//! resource into values that can be acted on. Fields are optional wherever an absent one has a
//! meaning, so that an object stored under an older schema still reads.

#![allow(unreachable_pub, reason = "the schema derive repeats each struct inside a function")]

mod candidate;
mod commands;
pub mod condition;
mod decider;
mod ignored;
mod known;
mod metadata;
mod pod;
mod policy;
mod reason;
mod recovery;
mod service;
mod set;
mod span;
mod stateful_cluster;
mod status;
mod update;

pub use candidate::CandidateStatus;
pub use commands::{Command, Commands};
pub use decider::{Demander, PolicyStatus, PolicyTrial, VerifiedBy};
pub use ignored::{StaticTls, Tls, TlsMember};
pub use metadata::SetMetadata;
pub use pod::Pod;
pub use policy::{
    Builtin, Candidate, ConfigMapKey, PolicySpec, PublicKey, PullPolicy, SecretKey, Settings, Verification,
};
pub use reason::{Phase, Reason};
pub use recovery::{DetachedVolume, Failover, ForcedDeletion, Recovery, RecoveryMode};
pub use service::{Service, SessionAffinity};
pub(crate) use set::LONGEST_NAME;
pub use set::{ReplicatedStatefulSet, SetSpec, Workload};
pub use span::{Span, SpanError};
pub(crate) use stateful_cluster::LONGEST_CLUSTER_NAME;
pub use stateful_cluster::{
    ClusterSpec, ClusterStatus, MARKED, NAME_LABEL, PodManagement, Replacement, StatefulCluster,
};
pub use status::{Decision, HoldStatus, Installation, Members, Memory, ReplicaStatus, SetStatus};
pub use update::{ClaimRetention, DisruptionBudget, Retention, UpdateKind, UpdateStrategy};

/// The API group of a `ReplicatedStatefulSet`, and the prefix of the operator's own labels and annotations.
pub const GROUP: &str = "clusterlabs.org";

/// Takes the description from an enum's schema, so that the one of the field that holds it, with its default, is kept.
fn undescribed(schema: &mut schemars::Schema) {
    schema.remove("description");
}
