use crate::{Pairs, Position};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A member, as `seed`, `primaries` and `replicas` see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// Its number in the StatefulSet, if it has one. The highest is scaled away first. On a StatefulCluster, where there are
    /// no numbers, its place: who runs before who rests, and of equals by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// When its data was created, in seconds since 1970-01-01T00:00:00Z, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<u64>,
    /// What it holds; none for data that is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// As `sequence` told them.
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    pub facts: Pairs,
    /// More about it; ignore names that you do not know.
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    pub extra: Pairs,
}

impl Candidate {
    /// What orders equals: the lowest ordinal, which is scaled away last, then the name. A member without an ordinal
    /// comes after those that have one.
    #[must_use]
    pub fn by_rank(&self, other: &Self) -> Ordering {
        let rank = |member: &Self| (member.ordinal.is_none(), member.ordinal);
        rank(self).cmp(&rank(other)).then_with(|| self.name.cmp(&other.name))
    }

    /// The value of a fact that `sequence` told.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.get(name).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_are_ranked_by_number_and_not_by_name() {
        let member =
            |name: &str, ordinal| Candidate { name: name.to_owned(), ordinal, ..Candidate::default() };
        let mut members =
            [member("a", None), member("x-10", Some(10)), member("x-2", Some(2)), member("b-2", Some(2))];
        members.sort_by(Candidate::by_rank);
        assert_eq!(members.map(|member| member.name), ["b-2", "x-2", "x-10", "a"]);
    }
}
