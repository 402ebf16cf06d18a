//! Lights out, in many ways.

use super::{Story, told};
use crate::options::Options;
use crate::run::Outcome;

pub(super) const STORIES: &[Story] = &[
    Story { name: "after_a_power_cut_the_last_node_is_waited_for", tell: late },
    Story { name: "power_that_is_cut_again_while_a_seed_comes_up_needs_no_person", tell: again },
    Story { name: "a_power_cut_that_takes_the_operator_too", tell: with_operator },
    Story { name: "a_power_cut_after_the_status_was_erased", tell: erased },
    Story { name: "a_power_cut_after_a_claim_was_replaced_and_a_healthy_year", tell: replaced },
    Story { name: "a_seed_that_fails_while_its_database_comes_up_is_never_doubled", tell: late_seed },
    Story { name: "a_seed_that_hangs_before_it_serves_costs_its_pod_and_no_person", tell: hanging_seed },
    Story { name: "a_set_that_was_paused_in_an_outage_and_started_by_hand_is_adopted", tell: paused },
];

fn late() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        sim.lights_go_out(&[10_000, 10_000, 400_000]);
        sim.run_for(300);
        sim.expect(sim.world.processes.is_empty(), "nobody is seeded while one may hold more");
        sim.run_for(120);
        sim.grows_well();
        sim.expect(sim.epoch() == 2, "one epoch began");
    })
}

/// As often as there are members: each could have been struck off.
fn again() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        for _ in 0..4 {
            sim.lights_go_out(&[10_000]);
            let seeds = sim.wait(300, |sim| !sim.world.processes.is_empty());
            sim.expect(seeds, "one is seeded");
        }
        sim.lights_go_out(&[10_000]);
        sim.run_for(20);
        sim.grows_well();
        sim.expect(sim.epoch() == 2, "no seed before the last was seen to come up");
    })
}

fn with_operator() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        sim.end_operator(0, 30_000);
        sim.lights_go_out(&[10_000, 20_000, 60_000]);
        sim.run_for(60);
        sim.grows_well();
    })
}

fn erased() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        sim.world.erase_memory();
        sim.lights_go_out(&[10_000]);
        sim.run_for(20);
        sim.grows_well();
        sim.expect(sim.epoch() == 2, "the claims knew the epoch");
    })
}

fn replaced() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        sim.world.lose_claim(1);
        sim.run_for(60);
        sim.grows_well();
        sim.run_for(365 * 24 * 3600 / 1000);
        sim.lights_go_out(&[10_000]);
        sim.run_for(20);
        sim.grows_well();
    })
}

fn late_seed() -> Outcome {
    told(Options::calm(), |sim| {
        sim.world.late_seed = true;
        sim.run_for(20);
        sim.grows_well();
    })
}

/// It served before the power was cut, and nobody else may serve in its place.
fn hanging_seed() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        sim.lights_go_out(&[10_000]);
        let comes_up = sim.wait(120, |sim| !sim.world.processes.is_empty());
        sim.expect(comes_up, "a seed comes up");
        let seeds = sim.world.processes.iter_mut();
        seeds.for_each(|process| process.frozen = true);
        let is_replaced = sim.wait(600, |sim| sim.world.processes.is_empty());
        sim.expect(is_replaced, "its pod is replaced");
        sim.grows_well();
        sim.expect(sim.epoch() == 2, "one epoch began");
    })
}

fn paused() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        sim.world.spec(|target| target.paused = true);
        sim.lights_go_out(&[10_000]);
        sim.run_for(120);
        sim.expect(sim.world.processes.is_empty(), "nothing is started while paused");
        (0..3).for_each(|ordinal| sim.world.start_by_hand(ordinal));
        sim.run_for(60);
        sim.world.spec(|target| target.paused = false);
        sim.run_for(5);
        sim.grows_well();
    })
}
