//! Records and data that do not tell the same story.

use super::{Story, told};
use crate::options::{Options, Positions};
use crate::run::Outcome;
use crate::simulation::Simulation;
use planner::record::Record;
use std::collections::BTreeMap;

/// Policies by what they make of a bare number.
const FOURFOLD: u64 = 1;
const PLAIN: u64 = 4;

pub(super) const STORIES: &[Story] = &[
    Story { name: "a_database_that_makes_a_lineage_of_its_own_is_recovered", tell: renamed },
    Story { name: "two_lineages_after_a_key_was_used", tell: two_lineages },
    Story { name: "a_policy_that_is_changed_amid_an_outage_is_told_of_all_data", tell: changed },
    Story {
        name: "errant_data_stays_so_when_another_policy_reads_less_of_it_and_the_status_is_lost",
        tell: renumbered,
    },
    Story {
        name: "one_of_an_older_epoch_that_alone_runs_gives_way_once_the_newest_claims_are_gone",
        tell: healed_behind,
    },
    Story { name: "a_status_that_is_older_than_the_claims", tell: older_status },
    Story { name: "claims_that_are_older_than_the_status", tell: older_claims },
    Story { name: "all_claims_made_anew_wait_for_a_person_by_name", tell: all_new },
    Story {
        name: "data_that_went_back_behind_what_the_epoch_began_with_waits_for_a_person",
        tell: gone_back,
    },
];

fn power_cut(sim: &mut Simulation) {
    sim.lights_go_out(&[10_000]);
    sim.run_for(20);
    sim.grows_well();
}

fn renamed() -> Outcome {
    told(Options { positions: Positions::Renamed, ..Options::calm() }, |sim| {
        sim.grows_well();
        sim.run_for(5);
        power_cut(sim);
        sim.run_for(5);
        power_cut(sim);
        sim.expect(sim.epoch() == 3, "nobody had to help");
        sim.expect(sim.is_told("LineageChanged"), "the new lineage is told");
    })
}

/// A person gives up a member that is away; it comes back with what nobody else holds.
fn errant(sim: &mut Simulation) {
    sim.grows_well();
    sim.run_for(5);
    let away = sim.world.pods[&2].machine;
    sim.world.write_at(2);
    sim.lights_go_out(&[10_000]);
    sim.world.keep_dark(away, 600_000);
    sim.run_for(60);
    let pod = sim.world.pods[&2].shown.uid.clone();
    sim.world.force_delete(&pod);
    sim.run_for(120);
    sim.expect(sim.world.processes.is_empty(), "nobody seeds while one may hold more");
    // First that it is dead, then that its data is given up.
    for reason in ["StartOpen", "Unread"] {
        let key = sim.key_at(away, reason);
        sim.expect(key.is_some(), "a person may speak for it");
        key.into_iter().for_each(|key| sim.give(key));
        sim.run_for(60);
    }
    sim.expect(sim.world.processes.len() == 2 && sim.epoch() == 2, "the others run");
    sim.run_for(600);
    stays_errant(sim);
}

fn stays_errant(sim: &mut Simulation) {
    sim.expect(sim.waits_for("Errant"), "its data is named and kept");
    sim.expect(sim.world.processes.len() == 2, "it is not overwritten");
}

fn two_lineages() -> Outcome {
    told(Options { positions: Positions::Lineages, ..Options::calm() }, errant)
}

/// By the policy of now its number is less than the one that the epoch began with by the policy of before.
fn renumbered() -> Outcome {
    told(Options::calm(), |sim| {
        sim.change_policy_to(FOURFOLD);
        errant(sim);
        sim.change_policy_to(PLAIN);
        sim.world.erase_memory();
        sim.run_for(600);
        stays_errant(sim);
    })
}

/// One member is read by the policy of before, the others, which hold less, come back when another one decides.
pub(crate) fn changed_amid_an_outage(options: Options) -> Outcome {
    told(options, |sim| {
        sim.grows_well();
        sim.run_for(5);
        let away = [sim.world.pods[&1].machine, sim.world.pods[&2].machine];
        sim.world.write_last(0);
        sim.lights_go_out(&[10_000]);
        away.into_iter().for_each(|machine| sim.world.keep_dark(machine, 60_000));
        let read = sim.wait(300, |sim| {
            let records = sim.world.resource.memory.iter().flat_map(|memory| memory.holders.values());
            records.into_iter().any(|record| record.reading.is_some())
        });
        sim.expect(read, "the first that comes back is read");
        sim.change_policy_to(FOURFOLD);
        sim.run_for(30);
        sim.grows_well();
        sim.expect(sim.epoch() == 2, "nobody had to help");
    })
}

fn changed() -> Outcome {
    changed_amid_an_outage(Options::calm())
}

/// What was given up is started by hand, and all that went on without it is lost.
fn healed_behind() -> Outcome {
    told(Options { positions: Positions::Lineages, ..Options::calm() }, |sim| {
        errant(sim);
        sim.lights_go_out(&[10_000]);
        [0, 1].into_iter().for_each(|ordinal| sim.world.lose_claim(ordinal));
        sim.run_for(12);
        sim.world.start_by_hand(2);
        sim.expect(sim.world.processes.len() == 1, "it runs alone");
        sim.run_for(120);
        sim.expect(sim.world.processes.is_empty(), "what lacks the newest writes does not go on");
        for ordinal in 0..2 {
            let key = sim.key_at(sim.world.pods[&ordinal].machine, "LostData");
            sim.expect(key.is_some(), "each claim that is gone is named, with its key");
            key.into_iter().for_each(|key| sim.give(key));
            sim.run_for(60);
        }
        let key = sim.key_naming("x-2", "NoneOfEpoch");
        sim.expect(key.is_some(), "a person may take what is left");
        key.into_iter().for_each(|key| sim.give(key));
        sim.run_for(5);
        sim.grows_well();
    })
}

/// An administrator restores the API server's data of an earlier day.
fn older_status() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        let old = sim.world.resource.memory.clone();
        power_cut(sim);
        sim.world.restore_memory(old);
        power_cut(sim);
        sim.expect(sim.epoch() == 3, "the claims knew the epoch");
    })
}

fn older_claims() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        let record = |claim: &crate::world::api::ClaimObject| claim.shown.record.clone();
        let old: BTreeMap<u32, Option<Record>> =
            sim.world.claims.iter().map(|(ordinal, claim)| (*ordinal, record(claim))).collect();
        power_cut(sim);
        for (ordinal, record) in old {
            sim.world.restore_record(ordinal, record);
        }
        power_cut(sim);
        sim.expect(sim.epoch() == 3, "the status knew the epoch");
    })
}

/// Nothing is left of a set that served: it is not taken for one that never did.
fn all_new() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        (0..3).for_each(|ordinal| sim.world.lose_claim(ordinal));
        sim.run_for(1800);
        sim.expect(sim.world.processes.is_empty() && sim.epoch() == 1, "nobody is bootstrapped");
        for ordinal in 0..3 {
            sim.expect(sim.key_at(ordinal, "LostData").is_some(), "each is named, with its key");
        }
    })
}

/// The first outage was recovered at one position; in the second all that is left is older.
fn gone_back() -> Outcome {
    let after = |positions: Positions| {
        told(Options { positions, ..Options::calm() }, |sim| {
            sim.grows_well();
            sim.run_for(10);
            power_cut(sim);
            sim.lights_go_out(&[10_000]);
            sim.world.roll_back(5);
            sim.run_for(1800);
            sim.expect(sim.waits_for("BelowBase"), "it is said that all there is lacks some");
            sim.expect(sim.world.processes.is_empty() && sim.epoch() == 2, "nobody is seeded");
            sim.key_for("BelowBase").into_iter().for_each(|key| sim.give(key));
            sim.run_for(5);
            sim.grows_well();
            sim.expect(sim.epoch() == 3, "a person took what is left");
        })
    };
    let histories = after(Positions::Lineages);
    if histories.breaches.is_empty() { after(Positions::Monotonic) } else { histories }
}
