//! Why a registry did not take something, and what can be done.

use std::error::Error;

use oci_client::errors::{OciDistributionError, OciErrorCode};
use operator::policy::fetch::below::{root, tls};

/// Characters of what a registry says that are shown.
const QUOTED: usize = 300;

/// Why a registry did not take something.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    #[error("it wants to know who asks (401); log in: docker login HOST")]
    Anonymous,
    #[error("it does not take the login (401); log in again: docker login HOST")]
    Unauthorized,
    #[error("this login may not push there (403); give it the right, or push to another repository")]
    Denied,
    #[error("there is no such repository (404); make it there, or correct the name")]
    NotFound,
    #[error("its certificate is not trusted: {0}; name its authority by --ca")]
    Certificate(String),
    #[error("it does not speak TLS: {0}; if it has none: --plain-http")]
    Tls(String),
    #[error("the connection failed: {0}; see that the registry is up and its name is right")]
    Connection(String),
    #[error("it answered {0}")]
    Answered(String),
}

// === impl Failure ===

impl Failure {
    pub(super) fn of(error: &OciDistributionError, is_anonymous: bool) -> Self {
        match error {
            OciDistributionError::RequestError(error) => Self::of_request(error),
            OciDistributionError::UnauthorizedError { .. } => Self::of_status(401, "", is_anonymous),
            OciDistributionError::ServerError { code, message, .. } => {
                Self::of_status(*code, message, is_anonymous)
            }
            OciDistributionError::AuthenticationFailure(_) => Self::of_status(401, "", is_anonymous),
            OciDistributionError::RegistryError { envelope, .. } => {
                let first = envelope.errors.first();
                match first.map(|error| &error.code) {
                    Some(OciErrorCode::Unauthorized) => Self::of_status(401, "", is_anonymous),
                    Some(OciErrorCode::Denied) => Self::Denied,
                    Some(OciErrorCode::NameUnknown) => Self::NotFound,
                    _ => Self::Answered(quoted(&envelope.to_string())),
                }
            }
            other => Self::Answered(quoted(&other.to_string())),
        }
    }

    fn of_status(status: u16, message: &str, is_anonymous: bool) -> Self {
        match status {
            401 if is_anonymous => Self::Anonymous,
            401 => Self::Unauthorized,
            403 => Self::Denied,
            404 => Self::NotFound,
            _ => Self::Answered(format!("{status} {}", quoted(message))),
        }
    }

    fn of_request(error: &(dyn Error + 'static)) -> Self {
        match tls(error) {
            Some(error @ rustls::Error::InvalidCertificate(_)) => Self::Certificate(error.to_string()),
            Some(error @ rustls::Error::InvalidMessage(_)) => Self::Tls(error.to_string()),
            _ => Self::Connection(quoted(&root(error))),
        }
    }
}

/// What another wrote, for one line of a message.
fn quoted(text: &str) -> String {
    text.chars().take(QUOTED).flat_map(char::escape_debug).collect()
}
