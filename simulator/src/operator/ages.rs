//! How long conditions have held, by this operator's own clock.

use planner::timer::{Age, Ripening, Timer};
use std::collections::BTreeMap;

/// When each condition was first seen, and in how many looks in a row since.
#[derive(Clone, Debug, Default)]
pub(super) struct Ages(BTreeMap<Timer, (u64, u32)>);

impl Ages {
    pub(super) fn look(&mut self, timers: &BTreeMap<Timer, Ripening>, now: u64) -> BTreeMap<Timer, Age> {
        self.0.retain(|timer, _| timers.contains_key(timer));
        let mut ages = BTreeMap::new();
        for (timer, ripening) in timers {
            let (since, looks) = self.0.entry(timer.clone()).or_insert((now, 0));
            *looks += 1;
            let left = (ripening.seconds * 1000).saturating_sub(now - *since);
            let ripe = left == 0 && *looks >= ripening.looks;
            ages.insert(timer.clone(), if ripe { Age::Ripe } else { Age::TooSoon(left) });
        }
        ages
    }
}
