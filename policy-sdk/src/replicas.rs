//! What of a member that is stopped and is not to be primary?

use crate::{Candidate, Policy};
use serde::{Deserialize, Serialize};

/// Treats members that are not to be primary.
pub trait Replicas: Policy {
    /// Decides on one member. `primaries` are the names of those that are primary, in the order of their names.
    fn treat(&self, member: &Candidate, primaries: &[String]) -> Answer;
}

/// A treatment with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answer {
    /// What becomes of it.
    pub treatment: Treatment,
    /// Why, in one sentence.
    #[serde(default)]
    pub why: String,
}

/// What becomes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Treatment {
    /// Run the command `secondary`. The name, if there is one, is one of `primaries`: its address is the first
    /// argument of the command, so that the member knows whom to follow.
    RunSecondary(Option<String>),
    /// Leave it stopped.
    LeaveStopped,
    /// It should run, but something is in the way; `why` says what.
    Hold,
}

impl Answer {
    /// Run `secondary`, whoever is primary.
    #[must_use]
    pub fn run_secondary(why: impl Into<String>) -> Self {
        Self { treatment: Treatment::RunSecondary(None), why: why.into() }
    }

    /// Run `secondary` as a follower of this primary.
    #[must_use]
    pub fn follow(primary: &str, why: impl Into<String>) -> Self {
        Self { treatment: Treatment::RunSecondary(Some(primary.to_owned())), why: why.into() }
    }

    /// Leave it stopped.
    #[must_use]
    pub fn leave_stopped(why: impl Into<String>) -> Self {
        Self { treatment: Treatment::LeaveStopped, why: why.into() }
    }

    /// Wait, and for what.
    #[must_use]
    pub fn hold(why: impl Into<String>) -> Self {
        Self { treatment: Treatment::Hold, why: why.into() }
    }
}
