//! What the client's errors mean. They keep neither the status of an error in the form of the registries' own, nor headers.

use std::error::Error;

use oci_client::errors::{DigestError, OciDistributionError, OciEnvelope, OciErrorCode};

use super::error::{Cause, quoted};
use super::manifest::NotAPolicy;

impl Cause {
    /// `with_login`: one was sent.
    pub(super) fn of(error: &OciDistributionError, with_login: bool) -> Self {
        match error {
            OciDistributionError::RequestError(error) => Self::of_request(error),
            OciDistributionError::UnauthorizedError { .. } => Self::of_status(401, "", with_login),
            OciDistributionError::ServerError { code, message, .. } => {
                Self::of_status(*code, message, with_login)
            }
            OciDistributionError::RegistryError { envelope, .. } => Self::of_envelope(envelope, with_login),
            OciDistributionError::AuthenticationFailure(reason) => Self::Token(quoted(reason)),
            OciDistributionError::RegistryTokenDecodeError(reason) => Self::Token(quoted(reason)),
            OciDistributionError::DigestError(DigestError::VerificationError { expected, .. }) => {
                Self::WrongDigest(quoted(expected))
            }
            OciDistributionError::IoError(error) => {
                match error.get_ref().and_then(|error| error.downcast_ref()) {
                    Some(why) => Self::NotAPolicy(NotAPolicy::clone(why)),
                    None => Self::Broken(error.to_string()),
                }
            }
            other => Self::Answered(quoted(&other.to_string())),
        }
    }

    fn of_request(error: &reqwest::Error) -> Self {
        match tls(error) {
            Some(error @ rustls::Error::InvalidCertificate(_)) => Self::Certificate(error.to_string()),
            Some(error @ rustls::Error::InvalidMessage(_)) => Self::Tls(error.to_string()),
            _ if error.is_builder() || error.is_redirect() => Self::Answered(quoted(&root(error))),
            _ => Self::Broken(quoted(&root(error))),
        }
    }

    fn of_status(status: u16, message: &str, with_login: bool) -> Self {
        match status {
            401 if with_login => Self::Unauthorized,
            401 => Self::Anonymous,
            403 => Self::Denied,
            404 => Self::NotFound,
            429 => Self::Busy,
            408 | 500..=599 => Self::Unwell(status),
            _ => Self::Answered(format!("{status} {}", quoted(message))),
        }
    }

    /// The client keeps the registry's own code and not that of HTTP.
    fn of_envelope(envelope: &OciEnvelope, with_login: bool) -> Self {
        use OciErrorCode as Code;
        let Some(first) = envelope.errors.first() else {
            return Self::Answered("an empty list of errors".to_owned());
        };
        match first.code {
            Code::Unauthorized => Self::of_status(401, "", with_login),
            Code::Denied => Self::Denied,
            Code::Toomanyrequests => Self::Busy,
            Code::BlobUnknown
            | Code::ManifestBlobUnknown
            | Code::ManifestUnknown
            | Code::NameUnknown
            | Code::NotFound => Self::NotFound,
            ref other => Self::Answered(quoted(&format!("{other:?}: {}", first.message))),
        }
    }
}

/// What is below it all.
fn root(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// An I/O error is no source of what it wraps.
fn tls<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        let found = error.downcast_ref().or_else(|| wrapped.and_then(|wrapped| wrapped.downcast_ref()));
        if found.is_some() {
            return found;
        }
        next = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}
