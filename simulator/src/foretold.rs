//! What was said of a lights-out before, compared with what then happens.

use crate::chance::Chance;
use crate::options::Options;
use crate::run::{Outcome, faulted, outcome};
use crate::settle::is_well;
use crate::simulation::Simulation;
use planner::Readiness;
use planner::target::Mode;

/// How often members are asked, in seconds.
const INTERVAL: u64 = 60;
/// Longer than it takes to ask all of them, and to bring them back.
const ASKED: u64 = 300;
const RECOVERED: u64 = 1800;

/// Tells the story of a seed, of a set that the seed draws and that asks its members while they run. After a good end all
/// machines are switched off: what was said of that is what becomes of it.
#[must_use]
pub fn tell_foretold(seed: u64, audited: bool, traced: bool) -> Outcome {
    foretell(seed, audited, traced).0
}

/// The same, and what was said. Where that was nothing, or that it is not known, no machine is switched off.
#[must_use]
pub fn foretell(seed: u64, audited: bool, traced: bool) -> (Outcome, Option<Readiness>) {
    let mut chance = Chance::new(seed ^ 0x0073_6565_6473);
    let options = Options { rehearsal: Some(INTERVAL), audited, traced, ..Options::draw(&mut chance) };
    let mut sim = faulted(seed, options, planner::decide);
    sim.heal();
    // While members are asked now and then nothing ever comes to rest.
    sim.world.spec(|target| target.rehearsal_interval = None);
    sim.settle();
    let mode = [Mode::Auto, Mode::Auto, Mode::Ask, Mode::PlanOnly][(seed % 4) as usize];
    let said = if sim.world.breaches.is_empty() { sim.proves_right(mode) } else { None };
    (outcome(seed, sim), said)
}

impl Simulation {
    fn proves_right(&mut self, mode: Mode) -> Option<Readiness> {
        self.world.spec(|target| {
            (target.mode, target.rehearsal_interval, target.keys) = (mode, Some(INTERVAL), Vec::new());
        });
        let is_known = |sim: &Self| {
            let said = &sim.operators[0].readiness;
            matches!(said, Some(Readiness::Ready(..) | Readiness::NotReady(_)))
        };
        let is_known = self.wait(ASKED, is_known);
        let said = self.operators[0].readiness.clone();
        if !is_known {
            return said;
        }
        self.world.say(|| format!("it is said of a lights-out: {said:?}"));
        let epoch = self.epoch();
        (0..self.world.machines.len()).for_each(|machine| self.world.cut_power(machine, 10_000));
        match &said {
            Some(Readiness::Ready(..)) => self.comes_back(epoch),
            Some(Readiness::NotReady(hold)) => self.is_held(epoch, hold.reason.name()),
            Some(Readiness::Unknown(_)) | None => {}
        }
        said
    }

    fn comes_back(&mut self, epoch: u64) {
        let back = |sim: &Self| sim.epoch() > epoch && is_well(&sim.world).is_ok();
        if !self.wait(RECOVERED, back) && self.world.breaches.is_empty() {
            let holds: Vec<String> =
                self.operators[0].plan.holds.iter().map(|h| h.reason.to_string()).collect();
            self.world.breach(format!("it was said that it would be recovered: {}", holds.join("; ")));
        }
    }

    fn is_held(&mut self, epoch: u64, reason: &str) {
        self.run_for(RECOVERED);
        let holds = self.operators[0].plan.holds.iter().any(|hold| hold.reason.name() == reason);
        if self.world.breaches.is_empty() && (!holds || self.epoch() != epoch) {
            self.world.breach(format!("it was said that {reason} would hold it"));
        }
    }
}
