//! What can go wrong in a look: one variant for each stage.

use kube::core::error_boundary::InvalidObject;

use crate::api::Reason;
use crate::target::Invalid;
use crate::writes::is_forbidden;
use crate::{enact, promise};

/// Why a look at a set was not finished. Waiting is no error: it is part of a plan.
#[derive(Debug, thiserror::Error)]
pub enum Error {
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
    #[error("failed to look at the set")]
    Observe(#[source] kube::Error),
    /// What a promise rests on could not be asked for once more.
    #[error("failed to look again before a promise")]
    Confirm(#[source] kube::Error),
    /// The independent check found the plan wrong.
    #[error("failed the audit of the plan: {0}")]
    Audit(String),
    /// What is to be done could not be written down, so it was not done.
    #[error("failed to promise")]
    Promise(#[source] promise::Error),
    /// A step was not taken.
    #[error("failed to take a step")]
    Enact(#[source] enact::Error),
    /// What is so could not be told.
    #[error("failed to report")]
    Report(#[source] promise::Error),
}

/// When it is worth trying again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// By itself it may go away.
    Soon,
    /// Not before somebody changes something.
    OnChange,
}

impl Error {
    /// One word of a closed set: the same in status, events and logs.
    #[must_use]
    pub fn reason(&self) -> Reason {
        match self {
            Self::Resource(_) | Self::Target(_) => Reason::InvalidSpec,
            Self::Memory(_) | Self::Observe(_) => Reason::ObservationFailed,
            Self::Audit(_) => Reason::Breach,
            Self::Promise(promise::Error::TooLarge { .. }) => Reason::PositionTooLarge,
            Self::Confirm(_) | Self::Promise(_) => Reason::PromiseFailed,
            Self::Enact(_) => Reason::StepFailed,
            Self::Report(_) => Reason::ReportFailed,
        }
    }

    /// Whether something is wrong with the set itself, and not with the way to the API server.
    fn is_of_the_set(&self) -> bool {
        match self {
            Self::Resource(_) | Self::Target(_) | Self::Memory(_) | Self::Audit(_) => true,
            Self::Promise(error) => matches!(error, promise::Error::TooLarge { .. }),
            Self::Observe(_) | Self::Confirm(_) | Self::Enact(_) | Self::Report(_) => false,
        }
    }

    /// Whether only a person can end it: somebody corrects the set, or gives the operator a right.
    #[must_use]
    pub fn needs_a_person(&self) -> bool {
        matches!(self, Self::Observe(error) if is_forbidden(error)) || self.is_of_the_set()
    }

    /// When it is worth trying again.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::Resource(_) | Self::Target(_) | Self::Memory(_) => Retry::OnChange,
            Self::Observe(_)
            | Self::Confirm(_)
            | Self::Audit(_)
            | Self::Promise(_)
            | Self::Enact(_)
            | Self::Report(_) => Retry::Soon,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reconcile::chain::refused;

    #[test]
    fn what_is_wrong_with_the_set_and_a_missing_right_need_a_person() {
        let large = promise::Error::TooLarge { what: String::new(), bytes: 2, limit: 1 };
        for (error, is_of_the_set, needs_a_person) in [
            (Error::Observe(refused(503)), false, false),
            (Error::Observe(refused(403)), false, true),
            (Error::Report(promise::Error::Status(refused(403))), false, false),
            (Error::Audit("x".into()), true, true),
            (Error::Promise(large), true, true),
        ] {
            assert_eq!((error.is_of_the_set(), error.needs_a_person()), (is_of_the_set, needs_a_person));
        }
    }
}
