//! How sets begin, or are found.

use super::{Story, told};
use crate::options::Options;
use crate::run::Outcome;
use planner::target::Storage;

pub(super) const STORIES: &[Story] = &[
    Story { name: "a_first_bootstrap_survives_a_crash_after_each_effect", tell: crashes },
    Story { name: "a_claimless_set_loses_one_pod_and_then_all", tell: claimless },
    Story { name: "a_running_set_of_an_ancestor_is_adopted_and_not_restarted", tell: adopted },
    Story { name: "a_set_that_healed_itself_is_adopted", tell: healed },
];

fn crashes() -> Outcome {
    let calm = |sim: &mut crate::simulation::Simulation| sim.grows_well();
    let all = told(Options::calm(), calm);
    for effect in 1..=all.effects {
        let one = told(Options { crashes: vec![effect], ..Options::calm() }, calm);
        if !one.breaches.is_empty() {
            return one;
        }
    }
    all
}

fn claimless() -> Outcome {
    told(Options { storage: Storage::Pod, ..Options::calm() }, |sim| {
        sim.grows_well();
        let pods: Vec<_> = sim.world.pods.values().map(|pod| pod.shown.uid.clone()).collect();
        sim.world.delete_pod(&pods[1], None);
        sim.run_for(5);
        sim.grows_well();
        sim.expect(sim.epoch() == 1, "one lost pod is no outage");
        let pods: Vec<_> = sim.world.pods.values().map(|pod| pod.shown.uid.clone()).collect();
        pods.iter().for_each(|pod| sim.world.delete_pod(pod, None));
        sim.run_for(5);
        sim.grows_well();
        sim.expect(sim.epoch() == 2, "a set that lost all its data begins anew");
    })
}

fn adopted() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        sim.world.erase_memory();
        let ordinals: Vec<u32> = sim.world.claims.keys().copied().collect();
        ordinals.iter().for_each(|ordinal| sim.world.forget_record(*ordinal));
        let alive: Vec<u64> = sim.world.processes.iter().map(|process| process.id).collect();
        sim.run_for(5);
        sim.grows_well();
        let still: Vec<u64> = sim.world.processes.iter().map(|process| process.id).collect();
        sim.expect(alive == still, "no process was touched");
    })
}

fn healed() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        sim.end_operator(0, 300_000);
        sim.lights_go_out(&[5000]);
        sim.run_for(60);
        (0..3).for_each(|ordinal| sim.world.start_by_hand(ordinal));
        sim.run_for(300);
        sim.grows_well();
        sim.expect(sim.world.processes.iter().all(|process| process.by_hand), "nobody was restarted");
    })
}
