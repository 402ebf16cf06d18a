//! Policies that lie: what none of them can bring about, and that another one in its place ends the matter. Nobody helps.

use super::{Story, told};
use crate::adversary::Lies;
use crate::options::{Options, Positions};
use crate::run::Outcome;
use crate::simulation::Simulation;
use planner::decision::Verdict;
use planner::names::ReplicaName;
use planner::position::{History, Position};
use planner::record::Reading;

pub(super) const STORIES: &[Story] = &[
    Story { name: "a_policy_that_proposes_older_data_seeds_nobody", tell: older },
    Story { name: "a_policy_that_proposes_nobody_of_the_set_seeds_nobody", tell: stranger },
    Story { name: "a_policy_that_refuses_to_name_a_seed_is_waited_for", tell: refusing },
    Story {
        name: "a_policy_that_finds_one_member_newest_seeds_once_and_after_all_were_read",
        tell: boasting,
    },
    Story { name: "a_policy_that_reads_less_than_the_set_began_with_seeds_nobody", tell: belittling },
    Story { name: "a_policy_that_reads_nothing_where_there_was_data_seeds_nobody", tell: blind },
    Story { name: "a_policy_that_reads_two_lineages_out_of_one_seeds_nobody", tell: dividing },
];

pub(super) fn lie<T>(answer: T) -> Verdict<T> {
    Verdict::Proposed { answer, why: "it lies".to_owned() }
}

/// A power cut after which the first member alone holds the last write, a policy that lies, and half an hour.
fn outage(sim: &mut Simulation, lies: Lies) {
    sim.grows_well();
    sim.run_for(5);
    sim.world.write_last(0);
    sim.name_a_policy(Some(lies));
    sim.lights_go_out(&[10_000]);
    sim.run_for(1800);
}

/// Nobody runs for this reason; then an honest policy takes its place, and nobody else does anything.
fn nobody_seeds(lies: Lies, reason: &'static str) -> Outcome {
    told(Options { positions: Positions::Lineages, ..Options::calm() }, |sim| {
        outage(sim, lies);
        sim.expect(sim.world.processes.is_empty() && sim.epoch() == 1, "nobody is seeded");
        sim.expect(sim.waits_for(reason), "it is said why");
        sim.replace_the_liar();
        sim.run_for(5);
        sim.grows_well();
        sim.expect(sim.epoch() == 2, "one seed ended it");
    })
}

fn older() -> Outcome {
    nobody_seeds(Lies::Says(|verdicts| verdicts.seed = Some(lie("x-2".into()))), "SeedRefused")
}

fn stranger() -> Outcome {
    nobody_seeds(Lies::Says(|verdicts| verdicts.seed = Some(lie("y-0".into()))), "SeedRefused")
}

fn refusing() -> Outcome {
    let refuses = |verdicts: &mut planner::Verdicts| verdicts.seed = Some(Verdict::Missing("no".to_owned()));
    nobody_seeds(Lies::Says(refuses), "NoSeedVerdict")
}

/// Who alone holds the last write is said to hold nothing.
const BLIND: Lies = Lies::Reads(|replica, honest| if replica.0 == "x-0" { Reading::Empty } else { honest });

fn blind() -> Outcome {
    nobody_seeds(BLIND, "LostData")
}

fn of_source(source: &str) -> Reading {
    Reading::At(Position::History(History::up_to(source, 9)))
}

fn dividing() -> Outcome {
    nobody_seeds(Lies::Reads(|replica, _| of_source(&replica.0)), "Diverged")
}

/// The newest data is lost to such a policy, and nothing else is.
fn boasting() -> Outcome {
    told(Options { positions: Positions::Lineages, ..Options::calm() }, |sim| {
        sim.grows_well();
        sim.run_for(5);
        sim.world.write_last(0);
        let away = sim.world.pods[&1].machine;
        let newest = |replica: &ReplicaName, honest| {
            let all = || Reading::At(Position::History(History::up_to("l1", u64::MAX)));
            if replica.0 == "x-2" { all() } else { honest }
        };
        sim.name_a_policy(Some(Lies::Reads(newest)));
        sim.lights_go_out(&[10_000]);
        sim.world.keep_dark(away, 900_000);
        sim.run_for(600);
        sim.expect(sim.world.processes.is_empty(), "nobody seeds while one was not read");
        sim.run_for(600);
        sim.expect(sim.epoch() == 2, "one that it finds newest seeds");
        sim.replace_the_liar();
        sim.run_for(5);
        sim.grows_well();
        sim.expect(sim.epoch() == 2 && sim.world.lineages == 2, "and no other ever did");
    })
}

fn belittling() -> Outcome {
    told(Options { positions: Positions::Lineages, ..Options::calm() }, |sim| {
        sim.grows_well();
        sim.run_for(20);
        sim.lights_go_out(&[10_000]);
        sim.run_for(20);
        sim.grows_well();
        let less = |_: &ReplicaName, _| Reading::At(Position::History(History::up_to("l1", 1)));
        sim.name_a_policy(Some(Lies::Reads(less)));
        sim.lights_go_out(&[10_000]);
        sim.run_for(1800);
        sim.expect(sim.world.processes.is_empty() && sim.waits_for("BelowBase"), "nobody is seeded");
        sim.replace_the_liar();
        sim.run_for(5);
        sim.grows_well();
        sim.expect(sim.epoch() == 3, "its data was there all the time");
    })
}
