//! Why no exit code came back.

use kube::Error;
use kube::client::UpgradeConnectionError;
use kube::core::Status;
use std::fmt;

/// Why no exit code came back. None of these says that the command did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LostReason {
    /// The API server could not be reached, or gave no answer: no stream was opened. The request may have arrived all the
    /// same.
    Connect,
    /// The operator may not run commands there.
    Forbidden,
    /// Pod or container is not there, or does not run.
    NotFound(Missing),
    /// The API server, or the kubelet through it, refused with this code.
    Api(u16),
    /// The stream broke while the command ran.
    Stream,
    /// The deadline passed while its stream was open.
    Deadline,
    /// The stream ended in order, without an exit code: the container's runtime could not run the
    /// program, in its own words.
    NoExitStatus(String),
}

/// What was not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The pod.
    Pod,
    /// The container in the pod.
    Container,
}

impl LostReason {
    /// From the failure to open a stream.
    pub(super) fn opening(error: &Error) -> Self {
        match error {
            Error::Api(status) => Self::refused(status),
            Error::UpgradeConnection(UpgradeConnectionError::ProtocolSwitch(code)) => {
                Self::Api(code.as_u16())
            }
            _ => Self::Connect,
        }
    }

    /// From a refusal of the API server, or of the kubelet through it.
    #[must_use]
    pub fn refused(status: &Status) -> Self {
        let pod = status.details.as_ref().is_some_and(|details| details.kind == "pods");
        match status.code {
            401 | 403 => Self::Forbidden,
            404 if pod => Self::NotFound(Missing::Pod),
            // 400: no container of this name, or the pod was not placed yet.
            400 | 404 => Self::NotFound(Missing::Container),
            code => Self::Api(code),
        }
    }

    /// The word for logs and metrics.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Connect => "Connect",
            Self::Forbidden => "Forbidden",
            Self::NotFound(Missing::Pod) => "PodNotFound",
            Self::NotFound(Missing::Container) => "ContainerNotFound",
            Self::Api(_) => "Api",
            Self::Stream => "Stream",
            Self::Deadline => "Deadline",
            Self::NoExitStatus(_) => "NoExitStatus",
        }
    }
}

impl fmt::Display for LostReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect => write!(f, "the API server gave no answer"),
            Self::Forbidden => {
                write!(f, "the operator may not run commands in this pod: its role lacks create of pods/exec")
            }
            Self::NotFound(Missing::Pod) => write!(f, "the pod is not there"),
            Self::NotFound(Missing::Container) => write!(f, "the container is not there, or does not run"),
            Self::Api(code) => write!(f, "the API server answered {code}"),
            Self::Stream => write!(f, "the stream broke before the command ended"),
            Self::Deadline => write!(f, "no end within the deadline"),
            Self::NoExitStatus(why) => write!(f, "ended without an exit code: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    fn refused(code: u16, kind: &str) -> LostReason {
        let status = json!({ "code": code, "details": { "kind": kind } });
        LostReason::opening(&Error::Api(Box::new(from_value(status).unwrap())))
    }

    #[test]
    fn a_pod_that_is_gone_is_told_from_a_container_that_does_not_run() {
        assert_eq!(refused(404, "pods"), LostReason::NotFound(Missing::Pod));
        assert_eq!(refused(400, ""), LostReason::NotFound(Missing::Container));
        assert_eq!(refused(404, ""), LostReason::NotFound(Missing::Container));
    }

    #[test]
    fn a_missing_right_is_told_from_other_refusals() {
        assert_eq!(refused(403, "pods"), LostReason::Forbidden);
        assert_eq!(refused(500, "pods"), LostReason::Api(500));
    }
}
