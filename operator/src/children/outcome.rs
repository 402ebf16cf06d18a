//! What became of the children of a set.

use std::fmt;

use super::ownership::Foreign;
use super::stateful_set::ImmutableField;

/// What a child is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChildKind {
    /// Makes pods and claims.
    StatefulSet,
    /// The same, with identities that are given once.
    StatefulCluster,
    /// By which members find each other, and by which clients find them.
    Service,
    /// Limits drains.
    PodDisruptionBudget,
}

impl ChildKind {
    /// The kind as Kubernetes calls it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::StatefulSet => "StatefulSet",
            Self::StatefulCluster => "StatefulCluster",
            Self::Service => "Service",
            Self::PodDisruptionBudget => "PodDisruptionBudget",
        }
    }
}

impl fmt::Display for ChildKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What became of a child in one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was as it is wanted; nothing was written.
    Settled,
    /// It was made.
    Created,
    /// It was changed.
    Applied,
    /// It was not wanted any more.
    Deleted,
    /// Another object has its name by now, or none: nothing was written, and the next look sees what is there.
    Stale,
    /// It is being deleted; it is made again when it is gone.
    Terminating,
    /// What can be changed is as it is wanted; these fields differ and cannot be changed.
    Immutable(Vec<ImmutableField>),
    /// The name is taken by an object that is not the set's; nothing was written.
    Foreign(Foreign),
}

/// One child after a round.
#[derive(Debug)]
pub struct Child {
    /// What it is.
    pub kind: ChildKind,
    /// Its name, in the namespace of the set.
    pub name: String,
    /// What became of it. A failure of one child keeps no other from its turn.
    pub outcome: Result<Outcome, Error>,
}

/// Why a child could not be brought to what is wanted.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It could not be read.
    #[error("failed to read a child")]
    Read(#[source] kube::Error),
    /// It could not be made.
    #[error("failed to create a child")]
    Create(#[source] kube::Error),
    /// Its fields could not be taken over.
    #[error("failed to take over the fields of a child")]
    TakeOver(#[source] kube::Error),
    /// It could not be changed.
    #[error("failed to apply a child")]
    Apply(#[source] kube::Error),
    /// A revision that is to be gone back to holds no pod template.
    #[error("failed to find a pod template in a revision")]
    NoTemplate,
    /// It could not be removed.
    #[error("failed to delete a child")]
    Delete(#[source] kube::Error),
}
