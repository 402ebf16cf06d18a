//! What cannot go on by itself, or not soon: the set says why it waits, and goes on when it may.

use super::{Story, told};
use crate::options::{Flock, Options};
use crate::run::Outcome;
use crate::settle::is_well;
use crate::simulation::Simulation;
use crate::world::{Phase, WITHOUT_SHELL};
use planner::names::{ContainerId, Revision};
use planner::observation::Role;

pub(super) const STORIES: &[Story] = &[
    Story { name: "a_join_of_two_hours_goes_on_while_another_member_dies", tell: slow_join },
    Story { name: "a_volume_that_an_orphan_holds_is_named_and_used_again_when_it_is_gone", tell: orphan },
    Story { name: "a_volume_that_takes_no_locks_needs_a_word_for_each_container", tell: without_locks },
    Story { name: "a_power_cut_while_the_statefulset_cannot_be_changed", tell: refused_template },
    Story { name: "a_container_without_a_shell_is_named_and_replaced_by_the_next_template", tell: no_shell },
    Story { name: "a_promotion_waits_for_a_stopped_follower_that_was_never_read", tell: unread_follower },
];

fn template(sim: &mut Simulation, name: &str) {
    sim.world.resource.template = Revision::from(name);
    sim.world.spec(|_| {});
}

fn slow_join() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        sim.world.slow_copy = Some(2 * 3600 * 1000);
        let first = sim.world.processes[0].id;
        sim.world.end_process(first);
        sim.run_for(3600);
        sim.expect(sim.waits_for("Overdue"), "it is said that the join takes longer than it should");
        let copy = sim.world.processes.iter().find_map(|process| match process.phase {
            Phase::Copying(source) => Some((process.id, source)),
            _ => None,
        });
        sim.expect(copy.is_some(), "the copy goes on");
        let (copy, source) = copy.unwrap_or_default();
        let other = sim.world.processes.iter().map(|p| p.id).find(|id| *id != copy && *id != source);
        sim.world.end_process(other.unwrap_or_default());
        sim.run_for(300);
        let running = sim.world.processes.iter().filter(|p| p.phase == Phase::Running).count();
        sim.expect(running == 2, "the other member is back beside the copy");
        sim.expect(sim.world.process(copy).is_some(), "nobody touched the copy");
        sim.run_for(3600);
        sim.grows_well();
        sim.expect(sim.world.process(copy).is_some() && sim.epoch() == 1, "the same copy was what ended it");
    })
}

fn orphan() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        let id = sim.world.processes[1].id;
        // It left its container: no kubelet ends it, and no `status` sees it.
        let left = |process: &mut crate::world::Process| process.container = ContainerId::from("orphan");
        sim.world.process_mut(id).into_iter().for_each(left);
        sim.run_for(300);
        sim.expect(sim.waits_for("LockBusy"), "it is said that somebody holds the volume");
        sim.expect(sim.world.processes.len() == 3, "nothing is started on that volume");
        sim.world.end_process(id);
        sim.run_for(5);
        sim.grows_well();
        sim.expect(sim.epoch() == 1, "the others served on");
    })
}

fn without_locks() -> Outcome {
    told(Options { flock: Flock::Unsupported, ..Options::calm() }, |sim| {
        sim.run_for(600);
        sim.expect(sim.waits_for("LockBusy") && sim.world.processes.is_empty(), "it waits for a person");
    })
}

fn refused_template() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        sim.world.refuses_templates = true;
        template(sim, "r2");
        sim.run_for(30);
        sim.lights_go_out(&[10_000]);
        sim.run_for(20);
        let back = sim.wait(300, |sim| is_well(&sim.world).is_ok());
        sim.expect(back && sim.epoch() == 2, "the set is recovered all the same");
        sim.expect(sim.waits_for("WorkloadPending"), "it is said that the StatefulSet is behind");
        sim.world.refuses_templates = false;
        let done = sim.wait(1200, |sim| sim.world.pods.values().all(|pod| pod.shown.revision.0 == "r2"));
        sim.expect(done, "every pod has the new template");
        sim.grows_well();
    })
}

fn no_shell() -> Outcome {
    told(Options::calm(), |sim| {
        sim.grows_well();
        template(sim, WITHOUT_SHELL);
        let named = sim.wait(600, |sim| sim.waits_for("Unguarded"));
        sim.expect(named, "it is said that no command can be run there");
        sim.run_for(300);
        sim.expect(sim.world.processes.len() == 2, "one member was taken, and no more");
        template(sim, "r3");
        let done = sim.wait(1200, |sim| sim.world.pods.values().all(|pod| pod.shown.revision.0 == "r3"));
        sim.expect(done, "every pod has the next template");
        sim.grows_well();
        sim.expect(sim.epoch() == 1, "the others served on");
    })
}

fn unread_follower() -> Outcome {
    told(Options::followed(), |sim| {
        sim.grows_well();
        sim.run_for(20);
        let with = |sim: &Simulation, role: Role| {
            sim.world.processes.iter().find(|p| p.role == role).map_or(0, |process| process.machine)
        };
        let follower = with(sim, Role::Secondary);
        sim.world.cut_power(follower, 900_000);
        sim.run_for(60);
        let primary = with(sim, Role::Primary);
        sim.world.cut_power(primary, 3_600_000);
        sim.run_for(120);
        // First that the old primary is dead, then that its data is given up.
        for reason in ["StartOpen", "NoPromotion"] {
            let subject = sim.key_at(primary, reason);
            sim.expect(subject.is_some(), "a person may speak for the old primary");
            subject.into_iter().for_each(|key| sim.give(key));
            sim.run_for(60);
        }
        let primaries =
            |sim: &Simulation| sim.world.processes.iter().filter(|p| p.role == Role::Primary).count();
        sim.expect(sim.waits_for("NoPromotion"), "it is said for whom it waits");
        sim.run_for(300);
        sim.expect(primaries(sim) == 0, "nobody is promoted while the other follower is not read");
        let promoted = sim.wait(900, |sim| primaries(sim) == 1 && sim.epoch() == 2);
        sim.expect(promoted, "one is promoted when it was read");
    })
}
