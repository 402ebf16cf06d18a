//! Why a policy cannot be kept.

use std::time::Duration;

use crate::policy::limits;

/// Why it cannot be kept, or not be said.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// The API server does not give it.
    #[error("failed to read the ConfigMap {0}")]
    Read(String, #[source] kube::Error),
    /// The API server does not take it.
    #[error("failed to write the ConfigMap {0}")]
    Write(String, #[source] kube::Error),
    /// The operator may write it, and something else of the cluster refuses it.
    #[error(
        "the API server does not admit the ConfigMap {0}, by a quota of the operator's namespace for one; make room for it there"
    )]
    NotAdmitted(String, #[source] kube::Error),
    /// They cannot be listed.
    #[error("failed to list the ConfigMaps of policies")]
    List(#[source] kube::Error),
    /// Another changes it all the time.
    #[error("the ConfigMap {0} is made and removed by another all the time")]
    Unsettled(String),
    /// As many are kept for the namespace as may be.
    #[error(
        "{most} policies are kept for the namespace {0}, and no more may be, those that no set has used for less than an hour among them; \
         let its sets share policies, or wait",
        most = limits::KEPT
    )]
    Many(String),
    /// An answer of the API server does not come to its end.
    #[error("the API server did not give all of its answer within {0:?}")]
    Late(Duration),
}

impl KeepError {
    /// The operator has no right to it: the role that lets policies be kept was left out.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        let (Self::Read(_, error) | Self::Write(_, error) | Self::List(error)) = self else { return false };
        has_code(error, 403)
    }

    /// Whether it stays so until somebody changes something or time goes by: it is told on the set.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::NotAdmitted(..) | Self::Many(_))
    }

    /// Of a ConfigMap of this name that was to be created.
    pub(super) fn of_create(name: String, error: kube::Error) -> Self {
        if has_code(&error, 403) && names_an_object(&error) {
            return Self::NotAdmitted(name, error);
        }
        Self::Write(name, error)
    }
}

pub(super) fn has_code(error: &kube::Error, code: u16) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == code)
}

/// Whether a refusal is about an object and not about a right. Quotas and other admission answer with 403 and the reason
/// `Forbidden`, as missing rights do. But rights are looked at before the object is read, and the path of what is created
/// has no name in it: so `details.name` stands in the one alone. (`ForbiddenStatusError` in k8s.io/apiserver's
/// responsewriters has the name of the request, `NewForbidden` in its admission that of the object.)
fn names_an_object(error: &kube::Error) -> bool {
    let kube::Error::Api(status) = error else { return false };
    status.details.as_ref().is_some_and(|details| !details.name.is_empty())
}
