//! Trouble that comes again and again, or stays.

use super::{Story, told};
use crate::options::Options;
use crate::run::Outcome;
use crate::settle::is_well;
use crate::simulation::Simulation;
use crate::world::Phase;
use planner::names::PodUid;
use planner::observation::Role;

pub(super) const STORIES: &[Story] = &[
    Story {
        name: "all_pods_deleted_by_force_five_times_are_back_in_ten_seconds_each_time",
        tell: five_times,
    },
    Story {
        name: "a_container_that_ends_every_few_seconds_keeps_nobody_from_being_recovered",
        tell: crash_loop,
    },
    Story { name: "containers_that_all_end_every_few_seconds_are_read_and_recovered", tell: crash_loops },
    Story { name: "a_primary_whose_pod_is_never_gone_is_replaced_on_a_persons_word", tell: never_gone },
];

fn five_times() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        for round in 1..=5 {
            sim.run_for(5);
            let pods: Vec<_> = sim.world.pods.values().map(|pod| pod.shown.uid.clone()).collect();
            pods.iter().for_each(|pod| sim.world.force_delete(pod));
            let back = sim.wait(10, |sim| is_well(&sim.world).is_ok() && sim.epoch() == 1 + round);
            sim.expect(back, "all are back within ten seconds, by one seed");
        }
    })
}

fn crash_loop() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        sim.run_for(5);
        sim.lights_go_out(&[10_000]);
        let running =
            |sim: &Simulation| sim.world.processes.iter().filter(|p| p.phase == Phase::Running).count();
        let mut both = 0;
        for _ in 0..300 {
            sim.run_until(sim.world.now + 1700);
            let pod = sim.world.pods.get(&1).map(|pod| pod.shown.uid.clone());
            pod.into_iter().for_each(|pod| sim.world.crash_container(&pod));
            both += usize::from(running(sim) >= 2);
        }
        sim.expect(both > 250 && sim.epoch() == 2, "the others run");
        sim.run_for(5);
        sim.grows_well();
    })
}

/// Whoever has no database that runs loses its container every few seconds, one after the other.
fn crash_loops() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        sim.run_for(5);
        sim.lights_go_out(&[10_000]);
        let is_idle = |sim: &Simulation, pod: &PodUid| {
            !sim.world.processes.iter().any(|p| p.phase == Phase::Running && p.pod == *pod)
        };
        let mut ended = 0;
        for beat in 0..120 {
            sim.run_until(sim.world.now + 1700);
            let pod = sim.world.pods.get(&(beat % 3)).map(|pod| pod.shown.uid.clone());
            if let Some(pod) = pod.filter(|pod| is_idle(sim, pod)) {
                sim.world.crash_container(&pod);
                ended += 1;
            }
        }
        sim.expect(ended > 6 && is_well(&sim.world).is_ok(), "they were recovered beside that");
        sim.expect(sim.epoch() == 2, "by one seed");
    })
}

fn never_gone() -> Outcome {
    told(Options::followed(), |sim| {
        sim.grows_well();
        let primary = |sim: &Simulation, on: &dyn Fn(usize) -> bool| {
            sim.world.processes.iter().find(|p| p.role == Role::Primary && on(p.machine)).map(|p| p.machine)
        };
        let Some(dead) = primary(sim, &|_| true) else { return };
        sim.world.cut_power(dead, 36_000_000);
        sim.run_for(60);
        let pods: Vec<_> = sim
            .world
            .pods
            .values()
            .filter(|pod| pod.machine == dead)
            .map(|pod| pod.shown.uid.clone())
            .collect();
        pods.iter().for_each(|pod| sim.world.delete_pod(pod, None));
        sim.run_for(600);
        sim.expect(primary(sim, &|on| on != dead).is_none(), "nobody is promoted while it may be alive");
        for reason in ["StartOpen", "NoPromotion"] {
            let key = sim.key_at(dead, reason);
            sim.expect(key.is_some(), "a person may speak for it");
            key.into_iter().for_each(|key| sim.give(key));
            sim.run_for(60);
        }
        sim.expect(primary(sim, &|on| on != dead).is_some(), "a secondary takes its place");
        let serving = sim.world.processes.iter().filter(|p| p.phase == Phase::Running).count();
        sim.expect(serving == 2, "whatever becomes of the pod");
    })
}
