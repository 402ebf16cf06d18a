//! What can go wrong in a look: one variant for each stage.

use kube::core::error_boundary::InvalidObject;

use crate::api::Reason;
use crate::cluster::children::Failure;
use crate::cluster::draw::NoRandom;
use crate::cluster::{Invalid, enact};
use crate::writes::is_forbidden;

/// Why a look was not finished. Waiting is no error: it is part of a plan.
#[derive(Debug, thiserror::Error)]
pub(in crate::cluster) enum Error {
    /// The resource does not follow its definition.
    #[error("failed to read the resource")]
    Resource(#[source] Box<InvalidObject>),
    /// The resource asks for what cannot be.
    #[error("failed to understand the resource")]
    Target(#[source] Invalid),
    /// What was promised cannot be read. It is never taken for nothing.
    #[error("failed to read the memory in the status")]
    Memory(#[source] serde_json::Error),
    /// The API server did not answer.
    #[error("failed to look at the pods")]
    Observe(#[source] kube::Error),
    /// No name can be drawn.
    #[error("failed to draw names")]
    Draw(#[source] NoRandom),
    /// The independent check found the plan wrong.
    #[error("failed the audit of the plan: {0}")]
    Audit(String),
    /// What is to be done could not be written down, so it was not done.
    #[error("failed to write the status")]
    Promise(#[source] kube::Error),
    /// A step was not taken.
    #[error("failed to take a step")]
    Enact(#[source] enact::Error),
    /// Service, ControllerRevisions or the owners of claims could not be written; the rest was done.
    #[error("failed to write what stands beside the pods")]
    Children(#[source] Failure),
}

// === impl Error ===

impl Error {
    /// One word of a closed set: the same in status and events.
    pub(in crate::cluster) fn reason(&self) -> Reason {
        match self {
            Self::Resource(_) | Self::Target(_) => Reason::InvalidSpec,
            Self::Memory(_) | Self::Observe(_) => Reason::ObservationFailed,
            Self::Audit(_) => Reason::Breach,
            Self::Promise(_) => Reason::PromiseFailed,
            Self::Draw(_) | Self::Enact(_) => Reason::StepFailed,
            Self::Children(_) => Reason::ChildrenFailed,
        }
    }

    /// Whether the look ended before it could tell how the pods are.
    pub(in crate::cluster) fn is_of_the_look(&self) -> bool {
        matches!(self, Self::Resource(_) | Self::Target(_) | Self::Memory(_) | Self::Observe(_))
    }

    /// Whether only a person can end that: somebody corrects the resource, or gives the operator a right.
    pub(in crate::cluster) fn needs_a_person(&self) -> bool {
        match self {
            Self::Resource(_) | Self::Target(_) | Self::Memory(_) => true,
            Self::Observe(error) => is_forbidden(error),
            _ => false,
        }
    }
}
