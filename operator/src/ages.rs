//! How long conditions have held, by this process's own monotonic clock. Nothing of it is
//! stored: a new leader begins afresh, because another machine's clock proves nothing here.

use std::collections::BTreeMap;
use std::time::Duration;

use planner::timer::{self, Ripening};
use tokio::time::Instant;

/// The word of a heart for how long a condition has held.
pub trait Age {
    /// Long enough.
    const RIPE: Self;

    /// Not long enough; milliseconds that are left.
    fn too_soon(millis: u64) -> Self;

    /// Milliseconds that are left; `None`: it is ripe.
    fn left(&self) -> Option<u64>;
}

/// A look that comes so much later than it was due was made by a process that stood still.
const LATE: Duration = Duration::from_secs(10);

/// When each condition was first seen, and in how many looks in a row since.
#[derive(Debug)]
pub struct Ages<T> {
    held: BTreeMap<T, Held>,
    /// When the next look is to begin at the latest.
    due: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    since: Instant,
    looks: u32,
}

// === impl Age ===

/// The two hearts know nothing of each other, and each has this word of its own.
macro_rules! word_of_a_heart {
    ($($age:ty),*) => {$(
        impl Age for $age {
            const RIPE: Self = Self::Ripe;

            fn too_soon(millis: u64) -> Self {
                Self::TooSoon(millis)
            }

            fn left(&self) -> Option<u64> {
                match self {
                    Self::TooSoon(millis) => Some(*millis),
                    Self::Ripe => None,
                }
            }
        }
    )*};
}

word_of_a_heart!(timer::Age, stateful_cluster::timer::Age);

// === impl Ages ===

impl<T> Default for Ages<T> {
    fn default() -> Self {
        Self { held: BTreeMap::new(), due: None }
    }
}

impl<T> Ages<T> {
    /// The next look begins at this moment at the latest.
    pub fn rests_until(&mut self, due: Instant) {
        self.due = Some(due);
    }
}

impl<T: Clone + Ord> Ages<T> {
    /// Counts one look, which may last so long: `timers` are the conditions that hold in it. What does not hold any more
    /// is forgotten, so that it must hold anew from the beginning; and so must everything where the process stood still,
    /// for nobody knows what held meanwhile, and what is seen first may be from before.
    pub fn look<A: Age>(
        &mut self,
        timers: &BTreeMap<T, Ripening>,
        now: Instant,
        lasts: Duration,
    ) -> BTreeMap<T, A> {
        let latest = self.due.map(|due| due + lasts + LATE);
        let stood_still = latest.is_some_and(|latest| now > latest);
        self.held.retain(|timer, _| timers.contains_key(timer) && !stood_still);
        timers
            .iter()
            .map(|(timer, ripening)| {
                let held = self.held.entry(timer.clone()).or_insert(Held { since: now, looks: 0 });
                held.looks = held.looks.saturating_add(1);
                (timer.clone(), age(*held, *ripening, now))
            })
            .collect()
    }
}

impl<T: Ord> Ages<T> {
    /// When a condition that held in the last look will have held for so long.
    pub fn lasts(&self, timer: &T, long: Duration) -> Option<Instant> {
        self.held.get(timer).map(|held| held.since + long)
    }
}

/// A condition is ripe once it held both long enough and in enough looks.
fn age<A: Age>(held: Held, ripening: Ripening, now: Instant) -> A {
    let left = Duration::from_secs(ripening.seconds).saturating_sub(now.duration_since(held.since));
    if left.is_zero() && held.looks >= ripening.looks {
        return A::RIPE;
    }
    // Rounded up: a wait of what is left must not end a moment too early and look in vain.
    let millis = left.as_nanos().div_ceil(1_000_000);
    A::too_soon(u64::try_from(millis).unwrap_or(u64::MAX))
}

/// How soon the next condition ripens. One that only misses a further look says nothing here: the
/// rounds come often enough by themselves while anything ripens.
#[must_use]
pub fn soonest<T, A: Age>(ages: &BTreeMap<T, A>) -> Option<Duration> {
    let left = ages.values().filter_map(Age::left).filter(|millis| *millis > 0);
    left.map(Duration::from_millis).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use timer::Age::{self, Ripe, TooSoon};

    fn timers<'a>(list: &[(&'a str, u64, u32)]) -> BTreeMap<&'a str, Ripening> {
        list.iter().map(|&(name, seconds, looks)| (name, Ripening { seconds, looks })).collect()
    }

    fn seen<'a>(
        ages: &mut Ages<&'a str>,
        timers: &BTreeMap<&'a str, Ripening>,
        now: Instant,
    ) -> BTreeMap<&'a str, Age> {
        ages.look(timers, now, Duration::ZERO)
    }

    #[test]
    fn what_a_process_that_stood_still_did_not_see_counts_for_nothing() {
        let (wanted, start) = (timers(&[("a", 60, 1)]), Instant::now());
        let due = start + Duration::from_secs(5);
        for (late, lasts, expected) in [
            (0, 0, TooSoon(55_000)),
            (10, 0, TooSoon(45_000)),
            (11, 0, TooSoon(60_000)),
            (11, 1, TooSoon(44_000)),
            (3600, 1, TooSoon(60_000)),
        ] {
            let mut ages = Ages::default();
            seen(&mut ages, &wanted, start);
            ages.rests_until(due);
            let now = due + Duration::from_secs(late);
            let told: BTreeMap<_, Age> = ages.look(&wanted, now, Duration::from_secs(lasts));
            assert_eq!(told["a"], expected, "{late} s late, where a look may last {lasts} s");
        }
    }

    #[test]
    fn a_condition_is_ripe_after_both_its_time_and_its_looks() {
        let (mut ages, start) = (Ages::default(), Instant::now());
        let wanted = timers(&[("a", 10, 3)]);
        assert_eq!(seen(&mut ages, &wanted, start)["a"], TooSoon(10_000), "just begun");
        let later = start + Duration::from_millis(10_500);
        assert_eq!(seen(&mut ages, &wanted, later)["a"], TooSoon(0), "a look is missing");
        assert_eq!(seen(&mut ages, &wanted, later)["a"], Ripe);
    }

    #[test]
    fn a_condition_that_was_broken_begins_anew() {
        let (mut ages, start) = (Ages::default(), Instant::now());
        let wanted = timers(&[("a", 10, 1)]);
        seen(&mut ages, &wanted, start);
        seen(&mut ages, &timers(&[]), start + Duration::from_secs(5));
        let again = seen(&mut ages, &wanted, start + Duration::from_secs(11));
        assert_eq!(again["a"], TooSoon(10_000));
    }

    #[test]
    fn the_next_look_is_due_when_the_first_condition_ripens() {
        let (mut ages, start) = (Ages::default(), Instant::now());
        let three = seen(&mut ages, &timers(&[("a", 10, 1), ("b", 4, 1), ("c", 0, 9)]), start);
        assert_eq!(soonest(&three), Some(Duration::from_secs(4)));
        assert_eq!(soonest(&BTreeMap::<&str, Age>::new()), None);
    }

    #[test]
    fn when_a_condition_ripens_stays_the_same_until_it_is_broken() {
        let (mut ages, start) = (Ages::default(), Instant::now());
        let (wanted, long) = (timers(&[("a", 10, 1)]), Duration::from_secs(10));
        for (after, told) in [(0, Some(10)), (4, Some(10)), (9, Some(10))] {
            seen(&mut ages, &wanted, start + Duration::from_secs(after));
            assert_eq!(ages.lasts(&"a", long), told.map(|told| start + Duration::from_secs(told)));
        }
        seen(&mut ages, &timers(&[]), start + Duration::from_secs(9));
        assert_eq!(ages.lasts(&"a", long), None);
    }

    #[test]
    fn what_is_left_is_rounded_up() {
        let (mut ages, start) = (Ages::default(), Instant::now());
        seen(&mut ages, &timers(&[("a", 1, 1)]), start);
        let nearly = start + Duration::from_micros(999_500);
        assert_eq!(seen(&mut ages, &timers(&[("a", 1, 1)]), nearly)["a"], TooSoon(1));
    }

    #[test]
    fn both_hearts_are_told_the_same() {
        let (mut ages, start) = (Ages::default(), Instant::now());
        let wanted = timers(&[("a", 10, 1)]);
        let told: BTreeMap<_, stateful_cluster::timer::Age> = ages.look(&wanted, start, Duration::ZERO);
        assert_eq!(told["a"], stateful_cluster::timer::Age::TooSoon(10_000));
        assert_eq!(soonest(&told), Some(Duration::from_secs(10)));
        let told: BTreeMap<_, stateful_cluster::timer::Age> =
            ages.look(&wanted, start + Duration::from_secs(10), Duration::ZERO);
        assert_eq!((told["a"], soonest(&told)), (stateful_cluster::timer::Age::Ripe, None));
    }
}
