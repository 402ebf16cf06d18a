//! In which order do members become primary?

use crate::{Candidate, Policy};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

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
///         Answer::by(members, Candidate::by_rank, "the lowest ordinal first")
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
    /// All members, in the order of `first`, and why. Each goes where it belongs: a sort is some kilobytes more of code in
    /// every policy.
    #[must_use]
    pub fn by(
        members: &[Candidate],
        first: impl Fn(&Candidate, &Candidate) -> Ordering,
        why: impl Into<String>,
    ) -> Self {
        let mut ordered: Vec<&Candidate> = Vec::new();
        for member in members {
            let at = ordered.partition_point(|other| first(other, member).is_le());
            ordered.insert(at, member);
        }
        Self::order(ordered, why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_ordered_and_equals_stay_as_they_were_given() {
        let member = |name: &str, ordinal: u32| Candidate {
            name: name.to_owned(),
            ordinal: Some(ordinal),
            ..Candidate::default()
        };
        let members = [member("c", 2), member("a", 1), member("d", 0), member("b", 1), member("e", 9)];
        let answer = Answer::by(&members, |a, b| a.ordinal.cmp(&b.ordinal), "why");
        assert_eq!(answer.ordering, ["d", "a", "b", "c", "e"]);
        assert!(Answer::by(&[], Candidate::by_rank, "why").ordering.is_empty());
    }
}
