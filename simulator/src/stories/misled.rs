//! Policies that lie of who becomes primary and who follows whom, where some of the set run. Nobody helps.

use super::adversary::lie;
use super::{Story, told};
use crate::adversary::Lies;
use crate::options::Options;
use crate::run::Outcome;
use crate::simulation::Simulation;
use planner::decision::{Treatment, Verdict};
use planner::names::ReplicaName;
use planner::observation::Role;

pub(super) const STORIES: &[Story] = &[
    Story { name: "a_policy_whose_order_is_none_promotes_nobody", tell: disordered },
    Story { name: "a_policy_that_prefers_a_follower_with_less_promotes_nobody", tell: partial },
    Story { name: "a_policy_that_names_who_is_no_primary_makes_nobody_follow", tell: misleading },
    Story { name: "a_policy_that_leaves_a_follower_stopped_disturbs_nobody_else", tell: idle },
];

fn primaries(sim: &Simulation) -> Vec<u64> {
    let all = sim.world.processes.iter().filter(|process| process.serves());
    all.map(|process| process.id).collect()
}

/// The primary dies, and of its followers the lowest lacks its last write.
fn promotion(sim: &mut Simulation, lies: Lies) {
    sim.grows_well();
    sim.run_for(60);
    sim.name_a_policy(Some(lies));
    let of = |sim: &Simulation, role| {
        let all = sim.world.processes.iter().filter(move |process| process.role == role);
        all.map(|process| (process.id, process.volume)).collect::<Vec<_>>()
    };
    let (dead, followers) = (of(sim, Role::Primary)[0], of(sim, Role::Secondary));
    let highest = followers.iter().map(|follower| follower.1).max();
    sim.world.write_to(&[dead.1, highest.unwrap_or(dead.1)], true);
    sim.world.end_process(dead.0);
    sim.run_for(1800);
}

fn nobody_is_promoted(lies: Lies) -> Outcome {
    told(Options::followed(), |sim| {
        promotion(sim, lies);
        sim.expect(primaries(sim).is_empty() && sim.waits_for("OrderRefused"), "nobody is promoted");
        sim.expect(sim.world.processes.len() == 2, "the others follow on");
        sim.replace_the_liar();
        sim.run_for(5);
        sim.grows_well();
    })
}

fn disordered() -> Outcome {
    nobody_is_promoted(Lies::Says(|verdicts| {
        if let Some(Verdict::Proposed { answer, .. }) = &mut verdicts.primaries {
            answer.extend(answer.clone());
        }
    }))
}

fn partial() -> Outcome {
    nobody_is_promoted(BY_NAME)
}

/// The lowest first, whoever was to be ordered.
const BY_NAME: Lies = Lies::Says(|verdicts| {
    verdicts.primaries = Some(lie(["x-0", "x-1", "x-2"].map(ReplicaName::from).into()));
});

/// A follower dies, and this is what becomes of it by a policy that lies, while the others go on.
fn follower(lies: Lies, reason: &'static str) -> Outcome {
    told(Options::followed(), |sim| {
        sim.grows_well();
        sim.run_for(60);
        let before = primaries(sim);
        sim.name_a_policy(Some(lies));
        let follows = sim.world.processes.iter().find(|process| process.role == Role::Secondary);
        let follower = follows.map_or(0, |process| process.id);
        sim.world.end_process(follower);
        sim.run_for(1800);
        sim.expect(sim.waits_for(reason), "it is said why");
        sim.expect(sim.world.processes.len() == 2 && primaries(sim) == before, "the others run on");
        sim.replace_the_liar();
        sim.run_for(5);
        sim.grows_well();
        sim.expect(primaries(sim) == before && sim.epoch() == 1, "the primary was never touched");
    })
}

fn treat(verdicts: &mut planner::Verdicts, treatment: &Treatment) {
    verdicts.replicas.values_mut().for_each(|verdict| *verdict = lie(treatment.clone()));
}

fn misleading() -> Outcome {
    let nobody = |verdicts: &mut planner::Verdicts| {
        treat(verdicts, &Treatment::RunSecondary { follow: Some("x-99".into()) });
    };
    follower(Lies::Says(nobody), "LeaderRefused")
}

fn idle() -> Outcome {
    follower(Lies::Says(|verdicts| treat(verdicts, &Treatment::LeaveStopped)), "PolicyHolds")
}
