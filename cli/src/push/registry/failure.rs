//! Why a registry did not take something, and what can be done.

use std::error::Error;
use std::io::{self, ErrorKind};

use oci_client::errors::{OciDistributionError, OciErrorCode};
use operator::policy::fetch::below::{root, tls};

use crate::access::Tls;
use crate::login::Login;

/// Characters of what a registry says that are shown.
const QUOTED: usize = 300;

/// Why a registry did not take something.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    #[error("it wants to know who asks (401); log in: docker login {0}")]
    Anonymous(String),
    #[error("it does not take the login (401); log in again: docker login {0}")]
    Unauthorized(String),
    #[error("this login may not push there (403); give it the right, or push to another repository")]
    Denied,
    #[error("there is no such repository (404); make it there, or correct the name")]
    NotFound,
    #[error("its certificate is not trusted: {0}; {cure}", cure = .1.untrusted())]
    Certificate(String, Tls),
    #[error("it does not speak TLS: {0}; {cure}", cure = .1.not_spoken())]
    NoTls(String, Tls),
    #[error("it cannot be reached: {0}; see that the registry is up and its name is right")]
    Unreachable(String),
    #[error("the connection broke: {0}; see that the registry is well{cure}", cure = .1.broken())]
    Broken(String, Tls),
    #[error("it answered {0}")]
    Answered(String),
}

// === impl Failure ===

impl Failure {
    /// Of a registry by its host, to which this login was shown.
    pub(super) fn of(error: &OciDistributionError, host: &str, login: &Login, tls: Tls) -> Self {
        match error {
            OciDistributionError::RequestError(error) => Self::of_request(error, error.is_connect(), tls),
            OciDistributionError::UnauthorizedError { .. } => Self::of_login(host, login),
            OciDistributionError::ServerError { code: 401, .. } => Self::of_login(host, login),
            OciDistributionError::ServerError { code, message, .. } => Self::of_status(*code, message),
            OciDistributionError::AuthenticationFailure(_) => Self::of_login(host, login),
            OciDistributionError::RegistryError { envelope, .. } => {
                let first = envelope.errors.first();
                match first.map(|error| &error.code) {
                    Some(OciErrorCode::Unauthorized) => Self::of_login(host, login),
                    Some(OciErrorCode::Denied) => Self::Denied,
                    Some(OciErrorCode::NameUnknown) => Self::NotFound,
                    _ => Self::Answered(quoted(&envelope.to_string())),
                }
            }
            other => Self::Answered(quoted(&other.to_string())),
        }
    }

    fn of_login(host: &str, login: &Login) -> Self {
        match login {
            Login::Nobody => Self::Anonymous(host.to_owned()),
            _ => Self::Unauthorized(host.to_owned()),
        }
    }

    fn of_status(status: u16, message: &str) -> Self {
        match status {
            403 => Self::Denied,
            404 => Self::NotFound,
            _ => Self::Answered(format!("{status} {}", quoted(message))),
        }
    }

    /// Of a request, which may have failed while a connection was made.
    fn of_request(error: &(dyn Error + 'static), is_connect: bool, asked: Tls) -> Self {
        match tls(error) {
            Some(error @ rustls::Error::InvalidCertificate(_)) => Self::Certificate(error.to_string(), asked),
            Some(error @ rustls::Error::InvalidMessage(_)) => Self::NoTls(error.to_string(), asked),
            // What TLS is makes no difference to a connection that never came about.
            _ if is_connect && !was_there(error) => Self::Unreachable(quoted(&root(error))),
            _ => Self::Broken(quoted(&root(error)), asked),
        }
    }
}

/// Whether somebody was there, who then hung up.
fn was_there(error: &(dyn Error + 'static)) -> bool {
    const HUNG_UP: [ErrorKind; 3] =
        [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset, ErrorKind::ConnectionAborted];
    let mut next = Some(error);
    while let Some(error) = next {
        let io = error.downcast_ref::<io::Error>();
        if io.is_some_and(|io| HUNG_UP.contains(&io.kind())) {
            return true;
        }
        // What an I/O error wraps is none of its sources.
        next = match io.and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    false
}

/// What another wrote, for one line of a message.
fn quoted(text: &str) -> String {
    text.trim().chars().take(QUOTED).flat_map(char::escape_debug).collect()
}
