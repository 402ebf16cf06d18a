use crate::Named;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Transactions by source, such as a lineage or a server.
///
/// One history includes another if every interval of the other lies within its own; the order is partial. The host
/// takes at most 4096 intervals, 64 KiB as text with each interval written `NAME:FIRST-LAST`, and names of 1 to 256 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct History(Named<Vec<Interval>>);

/// The transactions `first` to `last`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// The first number that is here.
    pub first: u64,
    /// The last number that is here; not below `first`.
    pub last: u64,
}

impl History {
    /// A history without transactions: all others include it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Of one source, everything from 0 to `last`.
    #[must_use]
    pub fn up_to(source: &str, last: u64) -> Self {
        let mut history = Self::new();
        history.insert(source, 0, last);
        history
    }

    /// Adds the transactions `first` to `last` of a source; none if `last` is below `first`. What touches or overlaps
    /// becomes one.
    pub fn insert(&mut self, source: &str, first: u64, last: u64) {
        if first > last {
            return;
        }
        insert(self.0.of(source), Interval { first, last });
    }

    /// Each source with its intervals, in ascending order.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &[Interval])> {
        self.0.iter().map(|(source, intervals)| (source, intervals.as_slice()))
    }

    /// How many transactions there are. What includes another has at least as many.
    #[must_use]
    pub fn count(&self) -> u128 {
        self.0
            .iter()
            .flat_map(|(_, intervals)| intervals)
            .map(|i| u128::from(i.last) - u128::from(i.first) + 1)
            .sum()
    }

    /// Whether all of `other` is here too.
    #[must_use]
    pub fn includes(&self, other: &Self) -> bool {
        let has = |source: &str, wanted: &Interval| {
            self.0
                .get(source)
                .is_some_and(|here| here.iter().any(|i| i.first <= wanted.first && wanted.last <= i.last))
        };
        other.sources().all(|(source, intervals)| intervals.iter().all(|wanted| has(source, wanted)))
    }
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (source, intervals)) in self.sources().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{source}")?;
            for Interval { first, last } in intervals {
                if first == last { write!(f, ":{first}")? } else { write!(f, ":{first}-{last}")? }
            }
        }
        Ok(())
    }
}

/// Ascending intervals that do not touch stay so. Each goes where it belongs: a sort is some kilobytes more of code in every
/// policy.
fn insert(intervals: &mut Vec<Interval>, new: Interval) {
    let is_apart =
        |one: &Interval, next: &Interval| one.last.checked_add(1).is_some_and(|end| end < next.first);
    let from = intervals.partition_point(|here| is_apart(here, &new));
    let touching = intervals[from..].iter().take_while(|here| !is_apart(&new, here)).count();
    let Some(last) = intervals[from..from + touching].last().map(|here| here.last.max(new.last)) else {
        return intervals.insert(from, new);
    };
    intervals[from] = Interval { first: intervals[from].first.min(new.first), last };
    intervals.drain(from + 1..from + touching);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sources, each with a first and a last number.
    type Given<'a> = &'a [(&'a str, u64, u64)];

    fn history(intervals: Given<'_>) -> History {
        let mut history = History::new();
        for &(source, first, last) in intervals {
            history.insert(source, first, last);
        }
        history
    }

    #[test]
    fn intervals_that_touch_or_overlap_become_one_in_whatever_order_they_come() {
        let cases: [(&str, Given<'_>, &str); 11] = [
            ("nothing", &[], ""),
            ("apart", &[("a", 1, 3), ("a", 5, 9)], "a:1-3:5-9"),
            ("backwards", &[("a", 5, 9), ("a", 1, 3)], "a:1-3:5-9"),
            ("touching", &[("a", 1, 3), ("a", 4, 9)], "a:1-9"),
            ("one fills the gap", &[("a", 1, 3), ("a", 5, 9), ("a", 4, 4)], "a:1-9"),
            (
                "one over several",
                &[("a", 1, 1), ("a", 3, 3), ("a", 5, 5), ("a", 9, 9), ("a", 2, 6)],
                "a:1-6:9",
            ),
            ("one between two", &[("a", 1, 1), ("a", 9, 9), ("a", 5, 5)], "a:1:5:9"),
            (
                "the last number, and what is before it",
                &[("a", 0, 0), ("a", u64::MAX, u64::MAX), ("a", 7, 7)],
                "a:0:7:18446744073709551615",
            ),
            ("one within another", &[("a", 1, 9), ("a", 2, 3), ("b", 1, 1)], "a:1-9,b:1"),
            ("reversed", &[("a", 9, 1)], ""),
            ("the last number of all", &[("a", 5, u64::MAX), ("a", 0, 4)], "a:0-18446744073709551615"),
        ];
        for (sentence, intervals, text) in cases {
            assert_eq!(history(intervals).to_string(), text, "{sentence}");
        }
    }

    #[test]
    fn inclusion_is_by_set_and_what_includes_more_counts_more() {
        let whole = history(&[("a", 1, 9), ("b", 0, u64::MAX)]);
        let gap = history(&[("a", 1, 3), ("a", 5, 9)]);
        assert!(whole.includes(&gap) && !gap.includes(&whole));
        assert!(whole.includes(&History::new()) && gap.includes(&gap.clone()));
        assert!(!whole.includes(&history(&[("c", 1, 1)])), "another source is not included");
        assert!(!gap.includes(&history(&[("a", 3, 5)])), "an interval over a gap is not included");
        assert_eq!((gap.count(), whole.count()), (8, 9 + (1_u128 << 64)));
    }
}
