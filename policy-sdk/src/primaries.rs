//! In which order do members become primary?

use crate::{Candidate, Policy};
use serde::{Deserialize, Serialize};

/// Orders members for becoming primary.
pub trait Primaries: Policy {
    /// Orders at least one member. The order in which they are given means nothing. For a promotion only those are
    /// given that hold all that any of those that remain holds.
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
