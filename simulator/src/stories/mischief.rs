//! Members that cannot be reached, do not answer, or live longer than they should.

use super::{Story, told};
use crate::options::{Flock, Options, Positions};
use crate::run::Outcome;
use crate::simulation::Simulation;
use planner::observation::Role;

pub(super) const STORIES: &[Story] = &[
    Story { name: "a_primary_on_a_lost_node_is_not_replaced_while_it_may_live", tell: partitioned },
    Story { name: "a_dead_primary_is_replaced_by_a_secondary_that_has_it_all", tell: dead_primary },
    Story {
        name: "who_led_is_read_before_it_joins_one_that_a_person_turned_meanwhile",
        tell: turned_by_hand,
    },
    Story { name: "a_frozen_primary_is_repaired_while_others_serve", tell: frozen },
    Story { name: "a_pod_deleted_by_force_leaves_a_process_that_is_waited_for", tell: forced },
    Story { name: "a_database_without_flock_is_recovered", tell: without_flock },
    Story { name: "a_database_that_drops_the_lock_is_recovered", tell: dropped_lock },
];

/// The machine of the primary.
fn primary(sim: &Simulation) -> (u64, usize) {
    let primary = sim.world.processes.iter().find(|process| process.role == Role::Primary);
    primary.map_or((0, 0), |process| (process.id, process.machine))
}

fn partitioned() -> Outcome {
    told(Options::followed(), |sim| {
        sim.grows_well();
        let (_, machine) = primary(sim);
        sim.world.disconnect(machine);
        sim.run_for(600);
        let primaries = sim.world.processes.iter().filter(|process| process.role == Role::Primary).count();
        sim.expect(primaries == 1 && sim.epoch() == 1, "nobody is promoted beside it");
        sim.world.reconnect(machine);
        sim.run_for(5);
        sim.grows_well();
    })
}

fn dead_primary() -> Outcome {
    told(Options::followed(), |sim| {
        sim.grows_well();
        sim.run_for(60);
        let (id, _) = primary(sim);
        sim.world.end_process(id);
        sim.run_for(30);
        sim.grows_well();
    })
}

/// Its last write reached no follower; a person who does not know that has one of them lead before it is back.
fn turned_by_hand() -> Outcome {
    told(Options { positions: Positions::Lineages, ..Options::followed() }, |sim| {
        sim.grows_well();
        sim.run_for(20);
        let (id, machine) = primary(sim);
        let led = sim.world.pods.iter().find(|(_, pod)| pod.machine == machine).map_or(0, |(led, _)| *led);
        sim.world.write_last(led);
        sim.world.end_process(id);
        sim.world.cut_power(machine, 60_000);
        sim.run_for(5);
        let follower = sim.world.processes.iter().find(|process| process.role == Role::Secondary);
        let follower = follower.map_or(0, |process| process.id);
        sim.world.process_mut(follower).into_iter().for_each(|process| process.role = Role::Primary);
        sim.run_for(300);
        sim.expect(sim.epoch() == 2, "it began an epoch");
        sim.expect(sim.world.processes.len() == 2, "the other follower goes on, and who led does not join");
        let key = sim.key_at(machine, "Errant");
        sim.expect(key.is_some(), "a person may say what becomes of what it holds");
        key.into_iter().for_each(|key| sim.give(key));
        sim.run_for(5);
        sim.grows_well();
    })
}

fn frozen() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        let (id, _) = primary(sim);
        sim.world.process_mut(id).into_iter().for_each(|process| process.frozen = true);
        sim.run_for(120);
        sim.grows_well();
        sim.expect(sim.epoch() == 1, "the others served on");
    })
}

fn forced() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        let pods: Vec<_> = sim.world.pods.values().map(|pod| pod.shown.uid.clone()).collect();
        pods.iter().for_each(|pod| sim.world.force_delete(pod));
        sim.run_for(60);
        sim.grows_well();
    })
}

fn power_cut(flock: Flock) -> Outcome {
    told(Options { flock, ..Options::calm() }, |sim| {
        sim.grows_well();
        sim.lights_go_out(&[10_000]);
        sim.run_for(20);
        sim.grows_well();
        let all: Vec<u64> = sim.world.processes.iter().map(|process| process.id).collect();
        all.into_iter().for_each(|id| sim.world.end_process(id));
        sim.run_for(20);
        sim.grows_well();
        sim.expect(sim.epoch() == 3, "two outages, two epochs more");
    })
}

fn without_flock() -> Outcome {
    power_cut(Flock::Missing)
}

fn dropped_lock() -> Outcome {
    power_cut(Flock::Dropped)
}
