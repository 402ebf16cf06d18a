//! Whether some data includes other data: the audit's own test.

use crate::position::{Interval, Position};

/// What data holds, with the outage that it was read in.
#[derive(Clone, Copy)]
pub(super) struct Extent<'a> {
    pub(super) position: &'a Position,
    pub(super) outage: u64,
}

impl Extent<'_> {
    /// Whether all of `other` is here. Histories by set inclusion; bare numbers within one outage
    /// only; one kind never includes the other (section 2, Position).
    pub(super) fn includes(self, other: Extent<'_>) -> bool {
        match (self.position, other.position) {
            (Position::Ordinal(here), Position::Ordinal(there)) => {
                self.outage == other.outage && here >= there
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
            let found =
                Extent { position: &here, outage: 1 }.includes(Extent { position: &there, outage: 2 });
            assert_eq!(found, a & b == b, "{here} includes {there}");
            assert_eq!(found, here.includes(&there));
        }
    }

    #[test]
    fn bare_numbers_are_compared_within_one_outage() {
        let (seven, eight) = (Position::Ordinal(7), Position::Ordinal(8));
        let at = |position, outage| Extent { position, outage };
        assert!(at(&eight, 1).includes(at(&seven, 1)));
        assert!(!at(&seven, 1).includes(at(&eight, 1)));
        assert!(!at(&eight, 2).includes(at(&seven, 1)));
    }
}
