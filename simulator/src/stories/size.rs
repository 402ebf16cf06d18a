//! Sets that grow, shrink, stop, and take another template.

use std::cell::Cell;

use super::{Story, told};
use crate::options::Options;
use crate::run::Outcome;
use crate::world::{BROKEN, Phase};
use planner::names::Revision;

pub(super) const STORIES: &[Story] = &[
    Story { name: "three_five_three_and_then_lights_out", tell: there_and_back },
    Story { name: "to_zero_and_back_to_three", tell: zero },
    Story { name: "from_zero_it_comes_back_with_fewer_only_by_a_key", tell: fewer },
    Story { name: "a_rollout_goes_one_by_one", tell: rollout },
    Story { name: "a_bad_template_is_taken_back", tell: bad_rollout },
    Story { name: "a_power_cut_in_the_middle_of_a_rollout", tell: dark_rollout },
    Story { name: "a_new_set_whose_template_cannot_start_begins_with_the_next_one", tell: bad_birth },
];

fn resize(sim: &mut crate::simulation::Simulation, size: u32) {
    sim.world.spec(|target| (target.replicas, target.primaries) = (size, size));
    sim.run_for(5);
}

fn template(sim: &mut crate::simulation::Simulation, name: &str) {
    sim.world.resource.template = Revision::from(name);
    sim.world.spec(|_| {});
    sim.run_for(5);
}

fn all_of(sim: &crate::simulation::Simulation, name: &str) -> bool {
    sim.world.pods.values().all(|pod| pod.shown.revision.0 == name)
}

fn there_and_back() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        resize(sim, 5);
        sim.grows_well();
        resize(sim, 3);
        sim.grows_well();
        sim.run_for(120);
        sim.lights_go_out(&[10_000]);
        sim.run_for(20);
        sim.grows_well();
    })
}

fn zero() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        resize(sim, 0);
        let gone = sim.wait(300, |sim| sim.world.pods.is_empty());
        sim.expect(gone, "all pods are gone");
        sim.run_for(600);
        resize(sim, 3);
        sim.grows_well();
    })
}

fn fewer() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        resize(sim, 0);
        sim.wait(300, |sim| sim.world.pods.is_empty());
        resize(sim, 2);
        sim.run_for(60);
        sim.expect(sim.waits_for("RestoreSize") && sim.world.pods.is_empty(), "it waits for a person");
        if let Some(key) = sim.key_for("RestoreSize") {
            sim.give(key);
        }
        sim.run_for(5);
        sim.grows_well();
    })
}

fn rollout() -> Outcome {
    told(Options::followed(), |sim| {
        sim.grows_well();
        template(sim, "r2");
        let fewest = Cell::new(3);
        let done = sim.wait(1200, |sim| {
            let running = sim.world.processes.iter().filter(|process| process.phase == Phase::Running);
            fewest.set(fewest.get().min(running.count()));
            all_of(sim, "r2")
        });
        sim.expect(done, "every pod has the new template");
        sim.expect(fewest.get() == 2, "two members serve while the third one has its turn");
        sim.grows_well();
    })
}

fn bad_rollout() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        template(sim, BROKEN);
        let refused = sim.wait(1200, |sim| sim.waits_for("TemplateRefused"));
        sim.expect(refused, "the template is refused");
        sim.run_for(300);
        sim.expect(all_of(sim, "r1"), "every pod has the last good template");
        sim.expect(sim.world.processes.len() == 3, "all members run");
        template(sim, "r2");
        let done = sim.wait(1200, |sim| all_of(sim, "r2"));
        sim.expect(done, "the next template is rolled out");
        sim.grows_well();
    })
}

fn dark_rollout() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        template(sim, "r2");
        let begun = sim.wait(600, |sim| sim.world.pods.values().any(|pod| pod.shown.revision.0 == "r2"));
        sim.expect(begun, "the rollout begins");
        sim.lights_go_out(&[10_000, 90_000]);
        sim.run_for(120);
        let done = sim.wait(1800, |sim| all_of(sim, "r2"));
        sim.expect(done, "every pod has the new template");
        sim.grows_well();
    })
}

fn bad_birth() -> Outcome {
    told(Options::calm(), |sim| {
        template(sim, BROKEN);
        sim.run_for(600);
        sim.expect(sim.world.pods.len() == 3 && all_of(sim, BROKEN), "all pods have the template");
        sim.expect(sim.waits_for("NotRunning"), "it is said that no container runs");
        template(sim, "r2");
        sim.grows_well();
        sim.expect(all_of(sim, "r2"), "nobody had to delete a pod");
    })
}
