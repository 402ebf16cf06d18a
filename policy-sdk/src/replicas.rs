//! What of a member that is not primary?

use crate::{Candidate, Policy};
use serde::{Deserialize, Serialize};

/// Treats members that are not to be primary.
///
/// ```
/// use policy_sdk::replicas::Answer;
/// use policy_sdk::{Candidate, Replicas};
/// # use policy_sdk::{NoSettings, Policy};
/// # struct MyDb;
/// # impl Policy for MyDb {
/// #     type Settings = NoSettings;
/// #     const NAME: &'static str = "mydb";
/// #     const VERSION: &'static str = "0.1.0";
/// #     const SUMMARY: &'static str = "MyDB.";
/// #     fn new(_: NoSettings) -> Self { Self }
/// # }
///
/// impl Replicas for MyDb {
///     fn treat(&self, member: &Candidate, primaries: &[String]) -> Answer {
///         match primaries.first() {
///             Some(primary) => Answer::follow(primary, format!("{primary} is primary")),
///             None => Answer::hold(format!("{} has no primary to follow", member.name)),
///         }
///     }
/// }
/// ```
pub trait Replicas: Policy {
    /// Decides on one member, stopped or running as secondary. `primaries` are the names of those that are primary, the
    /// lowest ordinal first.
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
