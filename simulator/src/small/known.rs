//! What is known of states, whichever beginning they come of, by their prints alone.

use super::print::Print;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Of so many parts two threads seldom want the same one.
const PARTS: usize = 256;

/// All that comes of it is explored, or will be by whoever found it first.
const FOUND: u8 = 1;
/// From there the world comes to rest, and to a good end.
const SETTLED: u8 = 2;
/// What is known where nobody may wait for a person is known of all worlds; not the other way round.
const ALONE: u8 = 4;

/// Halves of a print take less room than the whole, which begins at every sixteenth byte.
type Part = HashMap<[u64; 2], u8, BuildHasherDefault<AsItIs>>;

/// Prints of states of sets of one kind.
#[derive(Debug)]
pub(crate) struct Known(Vec<Mutex<Part>>);

impl Default for Known {
    fn default() -> Self {
        Self((0..PARTS).map(|_| Mutex::default()).collect())
    }
}

impl Known {
    /// Whether nobody found it before: where `alone`, nobody for whom that was so, too.
    pub(crate) fn find(&self, print: Print, alone: bool) -> bool {
        let mut part = self.part(print);
        let marks = part.entry(halves(print)).or_default();
        let is_new = !is_known(*marks, FOUND, alone);
        *marks |= all(FOUND, alone);
        is_new
    }

    pub(crate) fn settles(&self, print: Print, alone: bool) -> bool {
        self.part(print).get(&halves(print)).is_some_and(|marks| is_known(*marks, SETTLED, alone))
    }

    pub(crate) fn settle(&self, print: Print, alone: bool) {
        *self.part(print).entry(halves(print)).or_default() |= all(SETTLED, alone);
    }

    fn part(&self, print: Print) -> MutexGuard<'_, Part> {
        let at = (print >> 120) as usize % PARTS;
        // Whoever panics there has said what is wrong.
        self.0[at].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_known(marks: u8, mark: u8, alone: bool) -> bool {
    let asked = if alone { mark * ALONE } else { mark };
    marks & asked != 0
}

fn all(mark: u8, alone: bool) -> u8 {
    if alone { mark | (mark * ALONE) } else { mark }
}

fn halves(print: Print) -> [u64; 2] {
    [print as u64, (print >> 64) as u64]
}

/// A print is as good as any hash of it.
#[derive(Debug, Default)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, half: u64) {
        self.0 ^= half;
    }

    fn write_usize(&mut self, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_found_once_whether_it_is_known_to_settle_or_not() {
        let known = Known::default();
        known.settle(7, false);
        assert!(known.find(7, false) && !known.find(7, false) && known.find(7 << 100, false));
        assert!(known.settles(7, false) && !known.settles(7 << 100, false));
    }

    #[test]
    fn what_needs_a_person_at_most_is_not_taken_for_what_needs_nobody() {
        let known = Known::default();
        assert!(known.find(7, false) && known.find(7, true) && !known.find(7, true));
        assert!(known.find(8, true) && !known.find(8, false));
        known.settle(7, false);
        assert!(!known.settles(7, true));
        known.settle(7, true);
        known.settle(8, true);
        assert!(known.settles(7, true) && known.settles(8, false));
    }
}
