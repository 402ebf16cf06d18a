//! What can go wrong in a look: one variant for each stage.

use kube::core::error_boundary::InvalidObject;

use crate::api::Reason;
use crate::target::Invalid;
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
    /// One word of a closed set, for logs and metrics.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Observe(_) => "ObserveFailed",
            Self::Promise(_) => "PromiseFailed",
            Self::Enact(_) => "EnactFailed",
            Self::Report(_) => "ReportFailed",
            Self::Resource(_) | Self::Target(_) | Self::Memory(_) | Self::Audit(_) => {
                self.of_the_set().map_or("Failed", Reason::as_str)
            }
        }
    }

    /// What people should be told in the status: what is wrong with the set itself, and not with the
    /// way to the API server.
    #[must_use]
    pub fn of_the_set(&self) -> Option<Reason> {
        match self {
            Self::Resource(_) | Self::Target(_) => Some(Reason::InvalidSpec),
            Self::Memory(_) => Some(Reason::ObservationFailed),
            Self::Audit(_) => Some(Reason::Breach),
            Self::Promise(promise::Error::TooLarge { .. }) => Some(Reason::PositionTooLarge),
            Self::Observe(_) | Self::Promise(_) | Self::Enact(_) | Self::Report(_) => None,
        }
    }

    /// When it is worth trying again.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::Resource(_) | Self::Target(_) | Self::Memory(_) => Retry::OnChange,
            Self::Observe(_) | Self::Audit(_) | Self::Promise(_) | Self::Enact(_) | Self::Report(_) => {
                Retry::Soon
            }
        }
    }
}

/// An error with all its causes, in one line.
#[must_use]
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = words(error);
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&words(error));
        // Its cause is the same answer of the API server once more.
        cause = error.source().filter(|_| !error.is::<kube::Error>());
    }
    text
}

/// kube prints an answer of the API server with all of its fields.
fn words(error: &(dyn std::error::Error + 'static)) -> String {
    match error.downcast_ref::<kube::Error>() {
        Some(kube::Error::Api(status)) => format!("{} ({} {})", status.message, status.code, status.reason),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(code: u16) -> kube::Error {
        let status = json!({"message": "you may not", "reason": "Forbidden", "code": code});
        kube::Error::Api(serde_json::from_value(status).unwrap())
    }

    #[test]
    fn each_cause_is_told_once_and_in_few_words() {
        let error = Error::Promise(promise::Error::Status(refused(403)));
        assert_eq!(
            chain(&error),
            "failed to promise: failed to write the status: you may not (403 Forbidden)"
        );
    }

    #[test]
    fn trouble_on_the_way_to_the_api_server_is_not_told_in_the_status() {
        assert_eq!(Error::Observe(refused(503)).of_the_set(), None);
        assert_eq!(Error::Audit("x".into()).of_the_set(), Some(Reason::Breach));
        let large = promise::Error::TooLarge { what: String::new(), bytes: 2, limit: 1 };
        assert_eq!(Error::Promise(large).of_the_set(), Some(Reason::PositionTooLarge));
    }
}
