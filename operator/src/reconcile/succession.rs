//! When another member takes the place of one that is away, by the clock that people read.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use planner::names::ReplicaName;
use planner::timer::Timer;
use planner::{Memory, Observation};
use tokio::time::Instant;

use super::Session;
use super::stages;

/// What was told of each that is away. The clock is read once for each, so that the time stays what it is while the wait
/// goes on: a message is not to change in each look.
#[derive(Debug, Default)]
pub struct Successions(BTreeMap<ReplicaName, (Instant, Timestamp)>);

/// Of whom it comes by itself, as things stand, and when.
pub(super) fn look(
    session: &mut Session,
    observation: &Observation,
    memory: &Memory,
) -> BTreeMap<ReplicaName, Timestamp> {
    let Some(after) = observation.target.replace_after else { return BTreeMap::new() };
    let due = observation.ages.keys().filter_map(|timer| match timer {
        Timer::Lost(name) => Some((name.clone(), session.ages.lasts(timer, Duration::from_secs(after))?)),
        _ => None,
    });
    let mut told = session.successions.told(due.collect(), Instant::now(), stages::now());
    if !told.is_empty() {
        let successions = planner::to_be_replaced(observation, memory);
        told.retain(|name, _| successions.contains(name));
    }
    told
}

// === impl Successions ===

impl Successions {
    /// The times of these, each of which is due at a moment of the process's own clock.
    fn told(
        &mut self,
        due: BTreeMap<ReplicaName, Instant>,
        now: Instant,
        time: Timestamp,
    ) -> BTreeMap<ReplicaName, Timestamp> {
        let known = std::mem::take(&mut self.0);
        let at = |name: &ReplicaName, due: Instant| match known.get(name) {
            Some((known, at)) if *known == due => *at,
            _ => later(time, due.duration_since(now)),
        };
        self.0 = due.into_iter().map(|(name, due)| (name.clone(), (due, at(&name, due)))).collect();
        self.0.iter().map(|(name, (_, at))| (name.clone(), *at)).collect()
    }
}

/// In whole seconds, and never too early.
fn later(time: Timestamp, left: Duration) -> Timestamp {
    let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
    time.checked_add(Duration::from_secs(seconds)).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_was_told_stays_until_the_wait_begins_anew() {
        let (mut told, start) = (Successions::default(), Instant::now());
        let time = |second: i64| Timestamp::from_second(second).unwrap();
        let mut of = |due: u64, now_millis: u64, clock: i64| {
            let due = BTreeMap::from([("x-2".into(), start + Duration::from_secs(due))]);
            told.told(due, start + Duration::from_millis(now_millis), time(clock))[&"x-2".into()]
        };
        assert_eq!(of(600, 0, 1000), time(1600));
        assert_eq!(of(600, 2500, 1003), time(1600), "the clock of the look is of no account");
        assert_eq!(of(600, 9000, 5000), time(1600), "nor that somebody set it");
        assert_eq!(of(700, 90_000, 1090), time(1700), "it was heard of meanwhile");
        assert_eq!(of(800, 99_500, 1099), time(1800), "rounded up");
        assert!(told.told(BTreeMap::new(), start, time(1)).is_empty());
        assert!(told.0.is_empty(), "who is back is forgotten");
    }
}
