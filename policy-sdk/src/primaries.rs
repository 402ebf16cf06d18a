//! In which order do members become primary?

use crate::{Candidate, Policy};
use serde::{Deserialize, Serialize};

/// Orders members for becoming primary.
///
/// ```
/// use policy_sdk::primaries::Answer;
/// use policy_sdk::{Candidate, Primaries};
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
/// impl Primaries for MyDb {
///     fn order(&self, members: &[Candidate]) -> Answer {
///         let mut members: Vec<&Candidate> = members.iter().collect();
///         members.sort_by_key(|member| (member.ordinal, member.name.clone()));
///         Answer::order(members, "the lowest ordinal first")
///     }
/// }
/// ```
pub trait Primaries: Policy {
    /// Orders at least one member. The order in which they are given means nothing. For a promotion only those
    /// secondaries are given that no other is known to be ahead of.
    fn order(&self, members: &[Candidate]) -> Answer;
}

/// An order with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answer {
    /// Every name that was given, once. The first becomes primary first; demotion takes the reverse.
    pub ordering: Vec<String>,
    /// Why, in one sentence.
    #[serde(default)]
    pub why: String,
}

impl Answer {
    /// These members in this order, and why.
    #[must_use]
    pub fn order<'a>(members: impl IntoIterator<Item = &'a Candidate>, why: impl Into<String>) -> Self {
        Self { ordering: members.into_iter().map(|member| member.name.clone()).collect(), why: why.into() }
    }
}
