//! Planted bugs: each is caught by the audit alone, under the guarantee that it breaks and no other.

mod births;
mod claims;
mod consent;
mod departures;
mod memory;

use super::{Rule, audit};
use crate::decide;
use crate::fixture::{healthy, revision, settled};
use crate::memory::Memory;
use crate::observation::Observation;
use crate::plan::Plan;
use std::collections::BTreeSet;

#[derive(Clone)]
struct Case {
    seen: Observation,
    before: Memory,
    plan: Plan,
}

impl Case {
    fn of(seen: Observation, before: Memory) -> Self {
        let plan = decide(&seen, &before);
        Self { seen, before, plan }
    }

    fn breaches(&self) -> BTreeSet<Rule> {
        let found = audit(&self.seen, &self.before, &self.plan).err().unwrap_or_default();
        found.into_iter().map(|breach| breach.rule).collect()
    }
}

fn is_caught(sentence: &str, sound: &Case, rule: Rule, plant: fn(&mut Case)) {
    assert_eq!(sound.breaches(), BTreeSet::new(), "without it: {sentence}");
    let mut case = sound.clone();
    plant(&mut case);
    assert_eq!(case.breaches(), BTreeSet::from([rule]), "{sentence}");
}

fn one_is_gone() -> Case {
    let mut seen = healthy(3);
    seen.gone(1);
    Case::of(seen, settled(3))
}

fn updated() -> Case {
    let mut seen = healthy(1);
    seen.target.revision = revision("a", "2");
    Case::of(seen, settled(1))
}

#[test]
fn what_is_done_while_paused_is_caught() {
    is_caught("paused", &one_is_gone(), Rule::Paused, |case| case.seen.target.paused = true);
}
