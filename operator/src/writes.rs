//! How objects are written, wherever that is: under our name, and only the one that was looked at.

use kube::api::{DeleteParams, PostParams, Preconditions};

use crate::children::FIELD_MANAGER;
use crate::promise::is_stale;

/// To make an object.
pub(crate) fn post() -> PostParams {
    PostParams { field_manager: Some(FIELD_MANAGER.into()), ..PostParams::default() }
}

/// To delete an object within its own grace period, and only if it is still the one of this UID.
pub(crate) fn only(uid: Option<String>) -> DeleteParams {
    DeleteParams::default().preconditions(Preconditions { uid, ..Preconditions::default() })
}

/// A conflict, or an object that is gone: somebody else was first, and the next look sees what they did. False: so it was.
pub(crate) fn unless_stale(answer: kube::Result<()>) -> kube::Result<bool> {
    match answer {
        Err(error) if is_stale(&error) => Ok(false),
        answer => answer.map(|()| true),
    }
}

/// Whether the operator lacks a right.
pub(crate) fn is_forbidden(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 403)
}
