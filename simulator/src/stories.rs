//! The flows that every change of a rule is walked through again, each told in a calm world with
//! exactly its own trouble.

mod adversary;
mod again;
mod birth;
mod copies;
mod lineage;
mod mischief;
mod misled;
mod opening;
mod outage;
mod patience;
mod rehearsal;
mod size;

#[cfg(test)]
pub(crate) use lineage::changed_amid_an_outage;

use crate::options::Options;
use crate::run::{Outcome, outcome};
use crate::settle::is_well;
use crate::simulation::Simulation;

/// A story by name.
#[derive(Clone, Copy, Debug)]
pub struct Story {
    /// What it shows, as a sentence.
    pub name: &'static str,
    /// Tells it.
    pub tell: fn() -> Outcome,
}

/// All of them.
#[must_use]
pub fn stories() -> Vec<Story> {
    [
        adversary::STORIES,
        again::STORIES,
        birth::STORIES,
        copies::STORIES,
        lineage::STORIES,
        mischief::STORIES,
        misled::STORIES,
        opening::STORIES,
        outage::STORIES,
        patience::STORIES,
        rehearsal::STORIES,
        size::STORIES,
    ]
    .concat()
}

/// Tells the story of this name.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn story(name: &str) -> Outcome {
    let found = stories().into_iter().find(|story| story.name == name);
    (found.expect("a story of this name stands in the list").tell)()
}

/// A story on its own set, from its first moment to a good end.
fn told(options: Options, plot: impl FnOnce(&mut Simulation)) -> Outcome {
    let mut sim = Simulation::new(1, Options { traced: true, ..options });
    plot(&mut sim);
    if sim.world.breaches.is_empty() {
        sim.heal();
        sim.settle();
    }
    outcome(1, sim)
}

impl Simulation {
    /// It is well within ten minutes.
    fn grows_well(&mut self) {
        let well =
            self.wait(600, |sim| is_well(&sim.world).is_ok() && sim.operators[0].plan.holds.is_empty());
        self.expect(well, "the set becomes well");
    }

    fn expect(&mut self, so: bool, what: &str) {
        if !so && self.world.breaches.is_empty() {
            self.world.breach(format!("it is not so that {what}"));
        }
    }

    /// It waits for this reason.
    fn waits_for(&self, reason: &str) -> bool {
        self.operators[0].plan.holds.iter().any(|hold| hold.reason.name() == reason)
    }

    fn key_for(&self, reason: &str) -> Option<planner::key::Key> {
        let mut holds = self.operators[0].plan.holds.iter();
        holds.find(|hold| hold.reason.name() == reason)?.keys.first().cloned()
    }

    /// The one of several that is about this.
    fn key_naming(&self, subject: &str, reason: &str) -> Option<planner::key::Key> {
        let holds = self.operators[0].plan.holds.iter().filter(|hold| hold.reason.name() == reason);
        holds.flat_map(|hold| &hold.keys).find(|key| key.subject == subject).cloned()
    }

    /// The first key of what waits for this reason at the member on a machine.
    fn key_at(&self, machine: usize, reason: &str) -> Option<planner::key::Key> {
        let ordinal = self.world.pods.iter().find(|(_, pod)| pod.machine == machine)?.0;
        let scope = planner::plan::Scope::Replica(crate::world::api::name(*ordinal));
        let mut holds = self.operators[0].plan.holds.iter();
        holds.find(|hold| hold.reason.name() == reason && hold.scope == scope)?.keys.first().cloned()
    }

    /// People heard of it.
    fn is_told(&self, news: &str) -> bool {
        self.world.trace.lines().iter().any(|line| line.ends_with(&format!("news: {news}")))
    }

    fn lights_go_out(&mut self, millis: &[u64]) {
        for machine in 0..self.world.machines.len() {
            self.world.cut_power(machine, millis[machine % millis.len()]);
        }
    }
}
