//! What one history holds and another does not: what would be lost without it.

use super::{History, Interval, merged};

impl History {
    /// What is here and not in `other`. Empty if `other` includes all of this.
    #[must_use]
    pub fn beyond(&self, other: &Self) -> Self {
        let left = |source: &String, here: &[Interval]| {
            let there = other.0.get(source).map(|there| merged(there)).unwrap_or_default();
            merged(here).into_iter().flat_map(|interval| interval.without(&there)).collect::<Vec<_>>()
        };
        let all = self.0.iter().map(|(source, here)| (source.clone(), left(source, here)));
        Self(all.filter(|(_, left)| !left.is_empty()).collect())
    }

    /// How many transactions it holds; never more than `u64::MAX`.
    #[must_use]
    pub fn transactions(&self) -> u64 {
        let all = self.0.values().flat_map(|intervals| merged(intervals));
        all.fold(0, |sum: u64, one| sum.saturating_add((one.last - one.first).saturating_add(1)))
    }
}

impl Interval {
    /// What is left of it; `others` are in order and apart.
    fn without(self, others: &[Self]) -> Vec<Self> {
        let mut left = Vec::new();
        let mut first = Some(self.first);
        for other in others.iter().filter(|other| other.last >= self.first && other.first <= self.last) {
            let Some(from) = first else { break };
            if from < other.first {
                left.push(Self { first: from, last: other.first - 1 });
            }
            first = other.last.checked_add(1);
        }
        left.extend(
            first.filter(|from| *from <= self.last).map(|from| Self { first: from, last: self.last }),
        );
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn history(intervals: &[(u64, u64)]) -> History {
        let intervals = intervals.iter().map(|&(first, last)| Interval { first, last }).collect();
        History(BTreeMap::from([("a".to_owned(), intervals)]))
    }

    #[test]
    fn what_only_one_holds_is_cut_out_of_it_exactly() {
        let max = u64::MAX;
        for (here, there, left) in [
            (&[(0, 8812)][..], &[(0, 8790)][..], &[(8791, 8812)][..]),
            (&[(0, 5)], &[(0, 9)], &[]),
            (&[(0, 5)], &[], &[(0, 5)]),
            (&[(0, 9)], &[(2, 3), (5, 5)], &[(0, 1), (4, 4), (6, 9)]),
            (&[(0, 3), (4, 9)], &[(3, 4)], &[(0, 2), (5, 9)]),
            (&[(0, max)], &[(5, max)], &[(0, 4)]),
            (&[(5, max)], &[(0, max)], &[]),
            (&[(7, 9)], &[(0, 5)], &[(7, 9)]),
        ] {
            assert_eq!(
                history(here).beyond(&history(there)),
                if left.is_empty() { History::default() } else { history(left) },
                "{here:?} without {there:?}"
            );
        }
        let other = History::up_to("b", 3);
        assert_eq!(history(&[(0, 2)]).beyond(&other), history(&[(0, 2)]), "of another source");
    }

    #[test]
    fn transactions_are_counted_once_and_never_overflow() {
        assert_eq!(history(&[(8791, 8812)]).transactions(), 22);
        assert_eq!(history(&[(1, 3), (2, 4), (9, 9)]).transactions(), 5);
        assert_eq!(history(&[(0, u64::MAX)]).transactions(), u64::MAX);
        assert_eq!(History::default().transactions(), 0);
    }
}
