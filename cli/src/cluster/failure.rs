//! Why an API server did not do what it was asked, and what can be done.

use std::error::Error;
use std::io::{self, ErrorKind};

use anyhow::anyhow;
use kube::core::Status;
use operator::policy::fetch::below::{root, tls};
use thiserror::Error as ThisError;

use super::kubeconfig::first_line;
use super::place::Place;
use super::timeout::{CONNECT, Timeout};
use crate::progress;
use crate::terminal::in_line;

/// Characters of what a server says that are shown.
const QUOTED: usize = 300;

/// What to do where it may be another server than the one that is meant.
const CURE: &str = "see that it is up, or name another by --context or --kubeconfig";

/// Why there is no answer to a request, or which.
#[derive(Debug, ThisError)]
pub(super) enum Failure {
    #[error("{0} has not answered within {1} (--request-timeout); {CURE}")]
    Late(Place, Timeout),
    #[error("{0} does not answer: {1}; {CURE}")]
    Silent(Place, String),
    #[error("the certificate of {0} is not trusted: {1}; see that the kubeconfig is that of this cluster")]
    Certificate(Place, String),
    #[error("{0} does not speak TLS: {1}; see that the kubeconfig has its address right")]
    NoTls(Place, String),
    #[error("{0} does not know who asks (401); log in again, or choose another context by --context")]
    Anonymous(Place),
    #[error(
        "the credentials for {0} are of no use: {1}; log in again, or choose another context by --context"
    )]
    Credentials(Place, String),
    #[error("{0} does not allow it (403): {1}")]
    Forbidden(Place, String),
    /// It has no such object.
    #[error("{0} has no such object (404)")]
    NoObject(Place),
    #[error("the object was changed since it was read (409)")]
    Changed,
    #[error(
        "{0} knows no ReplicatedStatefulSet (404); see that the operator is installed there, and that it is the API server \
         of a cluster"
    )]
    NoKind(Place),
    #[error("{0} answered {1}: {2}")]
    Answered(Place, u16, String),
    #[error(
        "what {0} answered is no ReplicatedStatefulSet: {1}; see that it is the API server of a cluster, and that this tool \
         is as new as the operator there"
    )]
    NoSet(Place, String),
}

/// Asks, for as long as the person wants, who is told that it takes long.
pub(super) async fn asked<T>(
    place: &Place,
    timeout: Timeout,
    question: impl Future<Output = kube::Result<T>>,
) -> Result<T, Failure> {
    let waiting = format!("waiting for {}", in_line(&place.to_string()));
    match progress::awaited(&waiting, timeout.bound(question)).await {
        Ok(answered) => answered.map_err(|error| Failure::of(place.clone(), &error)),
        Err(timeout) => Err(Failure::Late(place.clone(), timeout)),
    }
}

/// Why a client is not to be had, without what a proxy's address or a program's output has of secrets.
pub(super) fn of_credentials(place: &Place, error: &kube::Error) -> anyhow::Error {
    match error {
        kube::Error::ProxyProtocolDisabled { .. } | kube::Error::ProxyProtocolUnsupported { .. } => anyhow!(
            "{place} is not asked: this tool speaks to no proxy; unset HTTPS_PROXY, or ask by `kubectl proxy` (proxy-url in \
             the kubeconfig is one, too)"
        ),
        // These errors have the words of their causes in their own.
        error => anyhow!("failed to use the credentials for {place}: {}", quoted(&first_line(error))),
    }
}

// === impl Failure ===

impl Failure {
    fn of(place: Place, error: &kube::Error) -> Self {
        match error {
            kube::Error::Api(status) => Self::of_status(place, status),
            kube::Error::Auth(error) => Self::Credentials(place, quoted(&first_line(error))),
            kube::Error::SerdeError(error) => Self::NoSet(place, quoted(&error.to_string())),
            kube::Error::FromUtf8(error) => Self::NoSet(place, quoted(&error.to_string())),
            other => Self::of_connection(place, other),
        }
    }

    fn of_status(place: Place, status: &Status) -> Self {
        // The API server gives its reason; a path that it does not know, and any other server, has none.
        match (status.code, status.reason.as_str()) {
            (401, _) => Self::Anonymous(place),
            (403, _) => Self::Forbidden(place, quoted(&status.message)),
            (404, "NotFound") => Self::NoObject(place),
            (404, _) => Self::NoKind(place),
            (409, _) => Self::Changed,
            (code, _) => Self::Answered(place, code, quoted(&status.message)),
        }
    }

    fn of_connection(place: Place, error: &(dyn Error + 'static)) -> Self {
        match tls(error) {
            Some(error @ rustls::Error::InvalidCertificate(_)) => Self::Certificate(place, error.to_string()),
            Some(error @ rustls::Error::InvalidMessage(_)) => Self::NoTls(place, error.to_string()),
            _ if is_late(error) => {
                Self::Silent(place, format!("no connection came about within {CONNECT:?}"))
            }
            _ => Self::Silent(place, quoted(&root(error))),
        }
    }

    /// Whether the server may have done what it was asked all the same.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Late(..) | Self::Silent(..) | Self::Answered(_, 500.., _) | Self::NoSet(..))
    }
}

/// Whether a connection took too long; requests have a bound of their own.
fn is_late(error: &(dyn Error + 'static)) -> bool {
    let mut chain = std::iter::successors(Some(error), |&error| error.source());
    chain.any(|error| error.downcast_ref().map(io::Error::kind) == Some(ErrorKind::TimedOut))
}

/// What another wrote, as a part of a line.
fn quoted(text: &str) -> String {
    in_line(&text.trim().chars().take(QUOTED).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_takes_too_long_is_told_with_its_bound() {
        let config = kube::Config::new("http://127.0.0.1:1".parse().unwrap());
        let place = Place::of(&config, "context here of x".to_owned());
        let error = |kind| kube::Error::Service(Box::new(io::Error::new(kind, "deadline has elapsed")));
        let late = Failure::of(place.clone(), &error(ErrorKind::TimedOut)).to_string();
        assert!(
            late.contains("does not answer: no connection came about within 10s; see that it is up"),
            "{late}"
        );
        let other = Failure::of(place, &error(ErrorKind::Other)).to_string();
        assert!(other.contains("does not answer: deadline has elapsed;"), "{other}");
    }
}
