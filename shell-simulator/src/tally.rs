//! Many stories, told at once, and what they came to.

use std::ops::{AddAssign, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What stories came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Processes of the operator that died.
    pub crashes: u64,
    /// What befell the cluster, and requests that went wrong.
    pub faults: u64,
    /// Stories that ended in a wait for a person.
    pub held: u64,
    /// Identities that took the place of others.
    pub replaced: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.crashes += other.crashes;
        self.faults += other.faults;
        self.held += other.held;
        self.replaced += other.replaced;
    }
}

/// Tells the story of each seed, so many at once: each is one of its own, with a clock of its own.
///
/// # Errors
/// With a seed whose story went wrong, and what was told of it.
pub fn each(
    seeds: Range<u64>,
    threads: u64,
    tell: impl Fn(u64) -> Result<Tally, String> + Sync,
) -> Result<Tally, (u64, String)> {
    let next = AtomicU64::new(seeds.start);
    let all = Mutex::new(Ok(Tally::default()));
    let tell_some = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            let told = tell(seed);
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            match (all.as_mut(), told) {
                (Ok(sum), Ok(told)) => *sum += told,
                (Ok(_), Err(told)) => *all = Err((seed, told)),
                (Err(_), _) => return,
            }
        }
    };
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(tell_some))));
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_is_told_once_and_one_that_goes_wrong_is_named() {
        let (seeds, told) = (3..50, Mutex::new(Vec::new()));
        let sum = each(seeds.clone(), 4, |seed| {
            told.lock().expect("no panic").push(seed);
            Ok(Tally { faults: seed, ..Tally::default() })
        });
        assert_eq!(sum, Ok(Tally { faults: seeds.clone().sum(), ..Tally::default() }));
        let mut told = told.into_inner().expect("no panic");
        told.sort_unstable();
        assert_eq!(told, seeds.clone().collect::<Vec<_>>());
        let wrong =
            each(seeds, 4, |seed| if seed == 20 { Err("no".to_owned()) } else { Ok(Tally::default()) });
        assert_eq!(wrong, Err((20, "no".to_owned())));
    }
}
