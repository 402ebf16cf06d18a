//! Why an API server did not do what it was asked, and what can be done.

mod cure;

use std::error::Error;

use http_body_util::LengthLimitError;
use kube::core::Status;
use operator::policy::fetch::below::{root, tls};
use thiserror::Error as ThisError;

use super::ANSWER;
use super::answer::Unread;
use super::cause::{Elsewhere, chain, is_late};
use super::kubeconfig::first_line;
use super::place::Place;
use super::timeout::{CONNECT, Timeout};
use crate::progress;
use crate::shell;
use crate::terminal::in_line;
use cure::{cure, nobody, role, unknown};

/// Characters of what a server says that are shown.
const QUOTED: usize = 300;

/// What to do where it may be another server than the one that is meant.
const CURE: &str = "see that it is up, or name another by --context or --kubeconfig";

/// Why there is no answer to a request, or which.
#[derive(Debug, ThisError)]
pub(super) enum Failure {
    #[error("{0} has not answered within {1} (--request-timeout){or}; {CURE}", or = .0.or_plugin())]
    Late(Place, Timeout),
    #[error("{0} does not answer: {1}; {CURE}")]
    Silent(Place, String),
    #[error("the certificate of {0} is not trusted: {1}; see that the kubeconfig is that of this cluster")]
    Certificate(Place, String),
    #[error("{0} does not speak TLS: {1}; see that the kubeconfig has its address right")]
    NoTls(Place, String),
    #[error("{0} does not know who asks (401); {or}", or = unknown(.0))]
    Anonymous(Place),
    #[error(
        "the credentials for {0} are of no use: {1}; log in again, or choose another context by --context"
    )]
    Credentials(Place, String),
    #[error(
        "{0} does not allow it (403): {2}; {nobody}what is missing is the right to `{1}` replicatedstatefulsets, which {role} of \
         deploy/user-role.yaml gives",
        nobody = nobody(.0),
        role = role(.1)
    )]
    Forbidden(Place, &'static str, String),
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
    #[error("{0} answered {1}: {2}; {cure}", cure = cure(.0, *.1))]
    Answered(Place, u16, String),
    #[error(
        "{0} answered {1}, that it is at {2}: no API server does; see that `server` in the kubeconfig is the address of one, \
         and no page to log in is before it"
    )]
    Moved(Place, u16, String),
    #[error("{0} answered with more than {most} MiB, which no resource has; {CURE}", most = ANSWER >> 20)]
    TooLong(Place),
    #[error("what {0} answered is no ReplicatedStatefulSet: {1}; see that it is the API server of a cluster")]
    NoSet(Place, String),
    #[error(
        "this version of the tool ({version}) cannot read the field {1} of the resource that {0} has; use the version \
         of the operator there; {2} shows the resource whole",
        version = env!("CARGO_PKG_VERSION")
    )]
    Unreadable(Place, String, String),
}

/// Asks, for as long as the person wants, who is told that it takes long.
pub(super) async fn asked<T>(
    place: &Place,
    timeout: Timeout,
    verb: &'static str,
    question: impl Future<Output = kube::Result<T>>,
) -> Result<T, Failure> {
    let waiting = format!("waiting for {}", in_line(&place.to_string()));
    match progress::awaited(&waiting, timeout.bound(question)).await {
        Ok(answered) => answered.map_err(|error| Failure::of(place.clone(), verb, &error)),
        Err(timeout) => Err(Failure::Late(place.clone(), timeout)),
    }
}

// === impl Failure ===

impl Failure {
    fn of(place: Place, verb: &'static str, error: &kube::Error) -> Self {
        match error {
            kube::Error::Api(status) => Self::of_status(place, verb, status),
            kube::Error::Auth(error) => Self::Credentials(place, quoted(&first_line(error))),
            kube::Error::FromUtf8(error) => Self::NoSet(place, quoted(&error.to_string())),
            other => Self::of_connection(place, other),
        }
    }

    /// Why an answer has no set; `words` are what commands have behind a name.
    pub(super) fn of_answer(place: Place, unread: &Unread, words: &str) -> Self {
        match unread {
            Unread::Field { name, .. } => {
                let shown = format!("`kubectl get rss {}{words} -o yaml`", shell::word(&quoted(name)));
                Self::Unreadable(place, quoted(&unread.to_string()), shown)
            }
            Unread::Other(what) => Self::NoSet(place, quoted(what)),
        }
    }

    fn of_status(place: Place, verb: &'static str, status: &Status) -> Self {
        // The API server gives its reason; a path that it does not know, and any other server, has none.
        match (status.code, status.reason.as_str()) {
            (401, _) => Self::Anonymous(place),
            (403, _) => Self::Forbidden(place, verb, quoted(&status.message)),
            (404, "NotFound") => Self::NoObject(place),
            (404, _) => Self::NoKind(place),
            (409, _) => Self::Changed,
            (code, _) => Self::Answered(place, code, quoted(&status.message)),
        }
    }

    fn of_connection(place: Place, error: &(dyn Error + 'static)) -> Self {
        if let Some(Elsewhere { code, location }) = chain(error).find_map(|error| error.downcast_ref()) {
            return Self::Moved(place, *code, quoted(location));
        }
        if chain(error).any(|error| error.is::<LengthLimitError>()) {
            return Self::TooLong(place);
        }
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
        let answered = matches!(self, Self::TooLong(_) | Self::NoSet(..) | Self::Unreadable(..));
        answered || matches!(self, Self::Late(..) | Self::Silent(..) | Self::Answered(_, 500.., _))
    }
}

/// What another wrote, as a part of a line.
pub(super) fn quoted(text: &str) -> String {
    in_line(&text.trim().chars().take(QUOTED).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, ErrorKind};

    #[test]
    fn a_connection_that_takes_too_long_is_told_with_its_bound() {
        let config = kube::Config::new("http://127.0.0.1:1".parse().unwrap());
        let place = Place::of(&config, "context here of x".to_owned());
        let error = |kind| kube::Error::Service(Box::new(io::Error::new(kind, "deadline has elapsed")));
        let late = Failure::of(place.clone(), "get", &error(ErrorKind::TimedOut)).to_string();
        assert!(
            late.contains("does not answer: no connection came about within 10s; see that it is up"),
            "{late}"
        );
        let other = Failure::of(place, "get", &error(ErrorKind::Other)).to_string();
        assert!(other.contains("does not answer: deadline has elapsed;"), "{other}");
    }
}
