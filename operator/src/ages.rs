//! How long conditions have held, by this process's own monotonic clock. Nothing of it is
//! stored: a new leader begins afresh, because another machine's clock proves nothing here.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use planner::timer::{Age, Ripening, Timer};

/// When each condition was first seen, and in how many looks in a row since.
#[derive(Debug, Default)]
pub struct Ages {
    held: BTreeMap<Timer, Held>,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    since: Instant,
    looks: u32,
}

impl Ages {
    /// Counts one look at the set: `timers` are the conditions that hold in it. What does not hold
    /// any more is forgotten, so that it must hold anew from the beginning.
    pub fn look(&mut self, timers: &BTreeMap<Timer, Ripening>, now: Instant) -> BTreeMap<Timer, Age> {
        self.held.retain(|timer, _| timers.contains_key(timer));
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

/// A condition is ripe once it held both long enough and in enough looks.
fn age(held: Held, ripening: Ripening, now: Instant) -> Age {
    let left = Duration::from_secs(ripening.seconds).saturating_sub(now.duration_since(held.since));
    if left.is_zero() && held.looks >= ripening.looks {
        return Age::Ripe;
    }
    // Rounded up: a wait of what is left must not end a moment too early and look in vain.
    let millis = left.as_nanos().div_ceil(1_000_000);
    Age::TooSoon(u64::try_from(millis).unwrap_or(u64::MAX))
}

/// How soon the next condition ripens. One that only misses a further look says nothing here: the
/// rounds come often enough by themselves while anything ripens.
#[must_use]
pub fn soonest(ages: &BTreeMap<Timer, Age>) -> Option<Duration> {
    let left = |age: &Age| match age {
        Age::TooSoon(millis) if *millis > 0 => Some(Duration::from_millis(*millis)),
        Age::TooSoon(_) | Age::Ripe => None,
    };
    ages.values().filter_map(left).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timer(name: &str) -> Timer {
        Timer::Well(name.into())
    }

    fn timers(list: &[(&str, u64, u32)]) -> BTreeMap<Timer, Ripening> {
        list.iter().map(|&(name, seconds, looks)| (timer(name), Ripening { seconds, looks })).collect()
    }

    #[test]
    fn a_condition_is_ripe_after_both_its_time_and_its_looks() {
        let (mut ages, start) = (Ages::default(), Instant::now());
        let wanted = timers(&[("a", 10, 3)]);
        assert_eq!(ages.look(&wanted, start)[&timer("a")], Age::TooSoon(10_000), "just begun");
        let later = start + Duration::from_millis(10_500);
        assert_eq!(ages.look(&wanted, later)[&timer("a")], Age::TooSoon(0), "a look is missing");
        assert_eq!(ages.look(&wanted, later)[&timer("a")], Age::Ripe);
    }

    #[test]
    fn a_condition_that_was_broken_begins_anew() {
        let (mut ages, start) = (Ages::default(), Instant::now());
        let wanted = timers(&[("a", 10, 1)]);
        ages.look(&wanted, start);
        ages.look(&timers(&[]), start + Duration::from_secs(5));
        let again = ages.look(&wanted, start + Duration::from_secs(11));
        assert_eq!(again[&timer("a")], Age::TooSoon(10_000));
    }

    #[test]
    fn the_next_look_is_due_when_the_first_condition_ripens() {
        let (mut ages, start) = (Ages::default(), Instant::now());
        let seen = ages.look(&timers(&[("a", 10, 1), ("b", 4, 1), ("c", 0, 9)]), start);
        assert_eq!(soonest(&seen), Some(Duration::from_secs(4)));
        assert_eq!(soonest(&BTreeMap::new()), None);
    }

    #[test]
    fn what_is_left_is_rounded_up() {
        let (mut ages, start) = (Ages::default(), Instant::now());
        ages.look(&timers(&[("a", 1, 1)]), start);
        let nearly = start + Duration::from_micros(999_500);
        assert_eq!(ages.look(&timers(&[("a", 1, 1)]), nearly)[&timer("a")], Age::TooSoon(1));
    }
}
