//! The moment in which an epoch begins, with trouble in the middle of it.

use super::{Story, told};
use crate::options::Options;
use crate::run::Outcome;
use crate::simulation::Simulation;
use planner::observation::Role;
use planner::start::StartKind;

pub(super) const STORIES: &[Story] = &[
    Story { name: "an_operator_that_dies_after_any_effect_of_a_recovery_opens_one_epoch", tell: recovery },
    Story {
        name: "an_operator_that_dies_after_any_effect_of_a_failover_leaves_nobody_behind",
        tell: failover,
    },
    Story {
        name: "an_operator_that_dies_after_any_effect_of_a_takeover_leaves_nobody_behind",
        tell: takeover,
    },
    Story { name: "a_follower_that_is_unheard_when_another_is_promoted_goes_on_with_it", tell: unheard },
];

/// The second epoch of a set, and an operator that dies after each of the effects that lead to it; what a person does then.
fn crashes(options: &Options, strike: impl Fn(&mut Simulation), decide: impl Fn(&mut Simulation)) -> Outcome {
    let plot = |effect: Option<u64>| {
        told(options.clone(), |sim| {
            sim.grows_well();
            sim.run_for(60);
            sim.effects = 0;
            sim.world.options.crashes = effect.into_iter().collect();
            strike(sim);
            let left: Vec<u64> = sim.world.processes.iter().map(|process| process.id).collect();
            sim.run_for(30);
            decide(sim);
            sim.grows_well();
            sim.expect(are_there(sim, &left), "who ran on was not stopped");
            sim.expect(sim.epoch() == 2, "one epoch was opened");
        })
    };
    let all = plot(None);
    (1..=all.effects).map(|effect| plot(Some(effect))).find(|one| !one.breaches.is_empty()).unwrap_or(all)
}

fn are_there(sim: &Simulation, ids: &[u64]) -> bool {
    ids.iter().all(|id| sim.world.processes.iter().any(|process| process.id == *id))
}

fn recovery() -> Outcome {
    crashes(&Options::calm(), |sim| sim.lights_go_out(&[10_000]), |_| {})
}

fn failover() -> Outcome {
    crashes(&Options::followed(), the_primary_dies, |_| {})
}

/// A person has one of its followers lead in its place, and later gives up what it held.
fn takeover() -> Outcome {
    let by_either = [0, 1].map(taken_over_by);
    let [first, second] = by_either;
    if first.breaches.is_empty() { second } else { first }
}

fn taken_over_by(follower: usize) -> Outcome {
    let turn = |sim: &mut Simulation| {
        the_primary_dies(sim);
        let other = sim.world.processes.get_mut(follower);
        other.into_iter().for_each(|process| process.role = Role::Primary);
    };
    crashes(&Options::followed(), turn, |sim| {
        let key = (0..sim.world.machines.len()).find_map(|machine| sim.key_at(machine, "Errant"));
        sim.expect(key.is_some(), "who led is read, and waits for a person");
        key.into_iter().for_each(|key| sim.give(key));
        sim.run_for(5);
    })
}

fn the_primary_dies(sim: &mut Simulation) {
    let primary = sim.world.processes.iter().find(|process| process.role == Role::Primary);
    primary.map(|process| process.id).into_iter().for_each(|id| sim.world.end_process(id));
}

fn unheard() -> Outcome {
    told(Options::followed(), |sim| {
        sim.grows_well();
        sim.run_for(60);
        the_primary_dies(sim);
        let promoted = |sim: &Simulation| {
            let records = sim.world.resource.memory.iter().flat_map(|memory| memory.holders.values());
            let mut starts = records.flat_map(|record| &record.open);
            starts.find(|start| start.kind == StartKind::Promote).map(|start| start.container.clone())
        };
        sim.wait(60, |sim| promoted(sim).is_some());
        let opener = promoted(sim);
        let left: Vec<u64> = sim.world.processes.iter().map(|process| process.id).collect();
        let others = sim.world.processes.iter().filter(|process| Some(&process.container) != opener.as_ref());
        let machines: Vec<usize> = others.map(|process| process.machine).collect();
        machines.iter().for_each(|machine| sim.world.disconnect(*machine));
        let opened = sim.wait(60, |sim| sim.epoch() == 2);
        sim.expect(opened && !machines.is_empty(), "another is promoted meanwhile");
        sim.run_for(60);
        machines.iter().for_each(|machine| sim.world.reconnect(*machine));
        sim.run_for(5);
        sim.grows_well();
        sim.expect(are_there(sim, &left), "who ran on was not stopped");
    })
}
