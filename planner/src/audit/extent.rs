//! Whether some data includes other data: the audit's own test.

use crate::measure::Measure;
use crate::position::{Interval, Position};
use crate::record::{Reading, Taken};

/// What data holds, with the outage that it was read in and who read it.
#[derive(Clone, Copy)]
pub(super) struct Extent<'a> {
    pub(super) position: &'a Position,
    pub(super) measure: &'a Measure,
}

impl<'a> Extent<'a> {
    /// What was read, where that gave a position.
    pub(super) fn of(taken: &'a Taken) -> Option<Self> {
        match &taken.reading {
            Reading::At(position) => Some(Self { position, measure: &taken.measure }),
            Reading::Empty | Reading::Unreadable(_) => None,
        }
    }
}

/// Whether numbers that were read so mean the same: in one outage, and by one reader that is known.
pub(super) fn is_one_measure(a: &Measure, b: &Measure) -> bool {
    a.outage == b.outage && a.reader == b.reader && a.reader.is_some()
}

impl Extent<'_> {
    /// Whether all of `other` is here. Histories by set inclusion; bare numbers within one outage and one
    /// reader only; one kind never includes the other (section 2, Position).
    pub(super) fn includes(self, other: Extent<'_>) -> bool {
        match (self.position, other.position) {
            (Position::Ordinal(here), Position::Ordinal(there)) => {
                is_one_measure(self.measure, other.measure) && here >= there
            }
            (Position::History(here), Position::History(there)) => there.0.iter().all(|(source, wanted)| {
                let here = here.0.get(source).map(Vec::as_slice).unwrap_or_default();
                wanted.iter().all(|interval| is_covered(here, *interval))
            }),
            _ => false,
        }
    }
}

/// Walks along the wanted numbers, from one interval that is here to the next.
fn is_covered(here: &[Interval], wanted: Interval) -> bool {
    let mut next = wanted.first;
    while next <= wanted.last {
        let around = here.iter().filter(|interval| (interval.first..=interval.last).contains(&next));
        match around.map(|interval| interval.last).max() {
            None => return false,
            Some(reach) if reach >= wanted.last => return true,
            Some(reach) => next = reach + 1,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::History;

    /// Every two sets of numbers out of four, cut into intervals as one likes, compared as sets.
    #[test]
    fn inclusion_agrees_with_sets_and_with_the_planners_own_test() {
        let cut = |bits: u64, whole: bool| {
            let mut out: Vec<Interval> = Vec::new();
            for n in (0..5).filter(|n| bits & (1 << n) != 0) {
                match out.last_mut() {
                    Some(last) if whole && last.last + 1 == n => last.last = n,
                    _ => out.push(Interval { first: n, last: n }),
                }
            }
            out.reverse();
            Position::History(History([("a".to_owned(), out)].into()))
        };
        for (a, b, whole) in (0..32).flat_map(|a| (0..32).flat_map(move |b| [(a, b, true), (a, b, false)])) {
            let (here, there) = (cut(a, whole), cut(b, true));
            let (by_one, by_none) = (by(1, Some("a")), by(2, None));
            let here_by_one = Extent { position: &here, measure: &by_one };
            let found = here_by_one.includes(Extent { position: &there, measure: &by_none });
            assert_eq!(found, a & b == b, "{here} includes {there}");
            assert_eq!(found, here.includes(&there));
        }
    }

    #[test]
    fn the_last_number_that_there_is_is_held_as_any_other() {
        let (all, measure) = (Position::History(History::up_to("a", u64::MAX)), by(1, Some("a")));
        let extent = Extent { position: &all, measure: &measure };
        assert!(extent.includes(extent));
    }

    fn by(outage: u64, reader: Option<&str>) -> Measure {
        Measure { outage, reader: reader.map(Into::into) }
    }

    #[test]
    fn bare_numbers_are_compared_within_one_outage_and_one_reader() {
        let (seven, eight) = (Position::Ordinal(7), Position::Ordinal(8));
        let includes = |here: &Position, mine: Measure, there: &Position, other: Measure| {
            Extent { position: here, measure: &mine }.includes(Extent { position: there, measure: &other })
        };
        assert!(includes(&eight, by(1, Some("a")), &seven, by(1, Some("a"))));
        assert!(!includes(&seven, by(1, Some("a")), &eight, by(1, Some("a"))));
        assert!(!includes(&eight, by(2, Some("a")), &seven, by(1, Some("a"))), "another outage");
        assert!(!includes(&eight, by(1, Some("b")), &seven, by(1, Some("a"))), "another reader");
        assert!(!includes(&eight, by(1, None), &seven, by(1, None)), "nobody knows by whom");
    }
}
