//! What the client's errors mean. They keep neither the status of an error in the form of the registries' own, nor headers.

use oci_client::errors::{DigestError, OciDistributionError, OciEnvelope, OciErrorCode};

use super::below::{root, tls};
use super::error::{Absent, Cause, quoted};
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
            404 => Self::NotFound(Absent::Unsaid),
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
            Code::NameUnknown => Self::NotFound(Absent::Repository),
            Code::ManifestUnknown => Self::NotFound(Absent::Manifest),
            Code::BlobUnknown | Code::ManifestBlobUnknown => Self::NotFound(Absent::Blob),
            Code::NotFound => Self::NotFound(Absent::Unsaid),
            ref other => Self::Answered(quoted(&format!("{other:?}: {}", first.message))),
        }
    }
}
