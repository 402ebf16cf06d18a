//! How much history data holds, and the one question that matters about it:
//! does this data include that data?

mod beyond;
pub(crate) mod compact;
mod text;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How much history data holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Position {
    /// For each source of transactions the numbers that are here. The order is set
    /// inclusion and therefore partial: two lineages are seen to have parted.
    History(History),
    /// A bare number. It says nothing of its lineage, so two of them are compared
    /// within one outage only.
    Ordinal(u64),
}

/// Transactions by source: Galera's `uuid:seqno` is `{uuid: 0..=seqno}`, a GTID set is itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct History(pub BTreeMap<String, Vec<Interval>>);

/// Transaction numbers `first..=last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Interval {
    /// The first number that is here.
    pub first: u64,
    /// The last number that is here; not below `first`.
    pub last: u64,
}

/// The longest position that is remembered, in bytes as text. All annotations of a claim have room for 256 KiB, and a
/// record has up to three positions.
pub const LONGEST: usize = 64 << 10;

impl Position {
    /// Whether all of `other` is here too. A history and a bare number never include each other.
    #[must_use]
    pub fn includes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Ordinal(a), Self::Ordinal(b)) => a >= b,
            (Self::History(a), Self::History(b)) => a.includes(b),
            _ => false,
        }
    }

    /// Whether this is a bare number, comparable within one outage only.
    #[must_use]
    pub fn is_ordinal(&self) -> bool {
        matches!(self, Self::Ordinal(_))
    }
}

impl History {
    /// A history of one source with every number up to `last`.
    #[must_use]
    pub fn up_to(source: &str, last: u64) -> Self {
        Self(BTreeMap::from([(source.to_owned(), vec![Interval { first: 0, last }])]))
    }

    /// Set inclusion: each interval of `other` lies within what is here.
    #[must_use]
    pub fn includes(&self, other: &Self) -> bool {
        let covers = |source: &str, wanted: &Interval| {
            self.0.get(source).is_some_and(|here| merged(here).iter().any(|i| i.encloses(wanted)))
        };
        other.0.iter().all(|(source, intervals)| merged(intervals).iter().all(|i| covers(source, i)))
    }

    /// Whether some source is named by both, however much of it each holds.
    #[must_use]
    pub fn shares_source(&self, other: &Self) -> bool {
        other.0.keys().any(|source| self.0.contains_key(source))
    }
}

impl Interval {
    fn encloses(&self, other: &Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }
}

/// Intervals in order, with those that touch or overlap made one; reversed ones hold nothing.
fn merged(intervals: &[Interval]) -> Vec<Interval> {
    let mut sorted: Vec<Interval> = intervals.iter().copied().filter(|i| i.first <= i.last).collect();
    sorted.sort();
    let mut out: Vec<Interval> = Vec::new();
    for next in sorted {
        match out.last_mut() {
            Some(last) if next.first <= last.last.saturating_add(1) => last.last = last.last.max(next.last),
            _ => out.push(next),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(sources: &[(&str, &[(u64, u64)])]) -> Position {
        let intervals =
            |list: &[(u64, u64)]| list.iter().map(|&(first, last)| Interval { first, last }).collect();
        Position::History(History(
            sources.iter().map(|(s, list)| ((*s).to_owned(), intervals(list))).collect(),
        ))
    }

    #[test]
    fn inclusion_is_by_set_and_not_by_size() {
        let ordinal = Position::Ordinal;
        let cases = [
            ("equal numbers include each other", ordinal(7), ordinal(7), true),
            ("the larger number includes the smaller", ordinal(8), ordinal(7), true),
            ("the smaller number does not include the larger", ordinal(7), ordinal(8), false),
            ("a number and a history are never compared", ordinal(7), history(&[("a", &[(0, 1)])]), false),
            (
                "a longer history includes a shorter one",
                history(&[("a", &[(0, 9)])]),
                history(&[("a", &[(0, 5)])]),
                true,
            ),
            (
                "another lineage is not included",
                history(&[("a", &[(0, 9)])]),
                history(&[("b", &[(0, 1)])]),
                false,
            ),
            (
                "a gap is not included",
                history(&[("a", &[(1, 3), (5, 9)])]),
                history(&[("a", &[(4, 4)])]),
                false,
            ),
            (
                "touching intervals are one",
                history(&[("a", &[(1, 3), (4, 9)])]),
                history(&[("a", &[(2, 8)])]),
                true,
            ),
            (
                "overlapping intervals are one",
                history(&[("a", &[(1, 5), (3, 9)])]),
                history(&[("a", &[(1, 9)])]),
                true,
            ),
            ("an empty history is included in all", history(&[("a", &[(1, 5)])]), history(&[]), true),
            (
                "a reversed interval holds nothing",
                history(&[("a", &[(9, 1)])]),
                history(&[("a", &[(2, 3)])]),
                false,
            ),
            (
                "the last number of all does not wrap",
                history(&[("a", &[(0, u64::MAX)])]),
                history(&[("a", &[(5, u64::MAX)])]),
                true,
            ),
        ];
        for (sentence, here, there, expected) in cases {
            assert_eq!(here.includes(&there), expected, "{sentence}");
        }
    }
}
