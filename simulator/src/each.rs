//! Many stories, told at once.

use std::ops::{AddAssign, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Tells the story of each seed, so many at once as far as there are as many, and sums what they came to: each is one of
/// its own.
///
/// # Errors
/// With a seed whose story went wrong, and what was told of it.
pub fn each<T: Default + AddAssign + Send, E: Send>(
    seeds: Range<u64>,
    threads: u64,
    tell: impl Fn(u64) -> Result<T, E> + Sync,
) -> Result<T, (u64, E)> {
    let next = AtomicU64::new(seeds.start);
    let all = Mutex::new(Ok(T::default()));
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
    // One without work would cost as much as one with it, and of too many the system refuses some.
    let threads = threads.min(seeds.end.saturating_sub(seeds.start));
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
            Ok::<_, ()>(seed)
        });
        assert_eq!(sum, Ok(seeds.clone().sum()));
        let mut told = told.into_inner().expect("no panic");
        told.sort_unstable();
        assert_eq!(told, seeds.clone().collect::<Vec<_>>());
        assert_eq!(each(seeds, 4, |seed| if seed == 20 { Err("no") } else { Ok(1) }), Err((20, "no")));
    }

    #[test]
    fn no_more_threads_are_begun_than_there_are_seeds() {
        assert_eq!(each(3..6, u64::MAX, Ok::<_, ()>), Ok(12));
        assert_eq!(each(3..3, u64::MAX, Ok::<_, ()>), Ok(0));
    }
}
