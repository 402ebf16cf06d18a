//! What is foretold of a lights-out, and what then happens.

use super::{Story, told};
use crate::options::{Options, Positions};
use crate::run::Outcome;
use crate::simulation::Simulation;
use planner::Readiness;
use planner::target::Mode;

pub(super) const STORIES: &[Story] = &[
    Story { name: "a_power_cut_of_which_it_was_said_that_it_would_be_recovered_is", tell: ready },
    Story { name: "a_power_cut_of_followers_that_were_asked_while_they_ran_is_recovered", tell: followed },
    Story { name: "a_power_cut_that_was_said_to_wait_for_a_person_does", tell: planned },
    Story { name: "of_a_member_that_is_away_it_is_said_that_it_would_be_waited_for_and_it_is", tell: away },
];

/// Longer than it takes to ask all once.
const ASKED: u64 = 300;

fn options() -> Options {
    Options { rehearsal: Some(60), ..Options::calm() }
}

fn ready() -> Outcome {
    told(options(), |sim| {
        sim.grows_well();
        sim.is_foretold("Ready");
        sim.recovers();
    })
}

fn followed() -> Outcome {
    told(Options { rehearsal: Some(60), ..Options::followed() }, |sim| {
        sim.grows_well();
        sim.is_foretold("Ready");
        sim.recovers();
    })
}

fn planned() -> Outcome {
    told(Options { mode: Mode::PlanOnly, ..options() }, |sim| {
        sim.grows_well();
        sim.is_foretold("PlannedOnly");
        sim.lights_go_out(&[10_000]);
        sim.run_for(300);
        sim.expect(sim.waits_for("PlannedOnly") && sim.epoch() == 1, "it waits as it was said");
        sim.world.spec(|target| (target.mode, target.rehearsal_interval) = (Mode::Auto, None));
        sim.grows_well();
    })
}

/// Its machine is off, and what it holds beyond what it said is not known.
fn away() -> Outcome {
    told(Options { positions: Positions::Lineages, ..options() }, |sim| {
        sim.grows_well();
        sim.is_foretold("Ready");
        sim.world.cut_power(2, 1_200_000);
        sim.is_not_foretold_any_more();
        sim.lights_go_out(&[10_000]);
        sim.run_for(600);
        sim.expect(sim.world.processes.is_empty() && sim.epoch() == 1, "it is waited for");
        sim.run_for(600);
        sim.grows_well();
        sim.world.spec(|target| target.rehearsal_interval = None);
    })
}

impl Simulation {
    fn foretold(&self) -> &'static str {
        match &self.operators[0].readiness {
            Some(Readiness::Ready(..)) => "Ready",
            Some(Readiness::NotReady(hold)) => hold.reason.name(),
            Some(Readiness::Unknown(doubt)) => doubt.name(),
            None => "nothing",
        }
    }

    fn is_foretold(&mut self, word: &str) {
        let so = self.wait(ASKED, |sim| sim.foretold() == word);
        let said = self.foretold();
        self.expect(so, &format!("{word} is foretold: it is {said}"));
    }

    fn is_not_foretold_any_more(&mut self) {
        let so = self.wait(ASKED, |sim| sim.foretold() != "Ready");
        self.expect(so, "no recovery is foretold without it");
    }

    /// The power is cut, and all come back without a person.
    fn recovers(&mut self) {
        self.lights_go_out(&[10_000]);
        self.run_for(20);
        self.grows_well();
        self.expect(self.epoch() == 2, "one epoch began");
        self.world.spec(|target| target.rehearsal_interval = None);
    }
}
