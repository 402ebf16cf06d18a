//! Flows that are seldom seen: the audit accepts every plan of them too.

use super::{running, sent};
use crate::audit::world::World;
use crate::fixture::name;
use crate::names::ClaimUid;
use crate::observation::{AttemptState, Command};
use crate::target::{Failover, Mode, Storage};

#[test]
fn claims_that_are_restored_from_those_of_the_set() {
    for forgets in [false, true] {
        let mut world = running(false);
        restore(&mut world);
        if forgets {
            world.memory = crate::Memory::default();
        }
        // A person gives up what was there before: of what came in its place the seed is chosen as ever.
        assert_eq!(sent(&world.settle(), Command::Seed), 0, "{:?}", world.last.holds);
        let offered = world.last.holds.iter().filter_map(|hold| hold.keys.first().cloned());
        world.seen.target.keys = offered.collect();
        let steps = world.settle();
        assert_eq!(sent(&steps, Command::Seed), 1, "{:?}", world.last.holds);
        assert_eq!(world.codes(), [8, 8, 8], "{:?}", world.last.holds);
    }
}

/// All three have new claims, which were made from those of before.
fn restore(world: &mut World) {
    for ordinal in 0..3 {
        world.end_pod(ordinal, true);
        let claim = &mut world.seen.replicas.get_mut(&name(ordinal)).unwrap().claims[0];
        claim.uid = ClaimUid(format!("restored-{ordinal}"));
        world.new_pod(ordinal);
    }
}

#[test]
fn claims_that_are_shown_to_hold_all_that_was_there() {
    let mut world = running(true);
    // Nobody is started before a person says so: all are read.
    world.seen.target.mode = Mode::Ask;
    (0..3).for_each(|ordinal| world.reboot(ordinal));
    assert_eq!(sent(&world.settle(), Command::Seed), 0);
    restore(&mut world);
    world.seen.target.mode = Mode::Auto;
    assert_eq!(sent(&world.settle(), Command::Seed), 1, "{:?}", world.last.holds);
    assert_eq!(world.codes(), [8, 0, 0], "{:?}", world.last.holds);
}

#[test]
fn a_reading_that_takes_too_long() {
    let mut world = running(false);
    (0..3).for_each(|ordinal| world.reboot(ordinal));
    for _ in 0..30 {
        let plan = world.round();
        assert_eq!(sent(&plan.steps, Command::Seed), 0, "x-2 may hold more");
        let attempts = world.seen.attempts.values_mut();
        attempts.filter(|of| of.replica == name(2)).for_each(|of| of.state = AttemptState::Overdue);
    }
    world.settle();
    assert_eq!(world.codes(), [8, 8, 8], "{:?}", world.last.holds);
}

#[test]
fn more_and_fewer_primaries() {
    let mut world = running(true);
    for primaries in [2, 1] {
        world.seen.target.primaries = primaries;
        world.seen.target.generation += 1;
        world.settle();
        let live = world.codes().into_iter().filter(|code| *code == 8).count();
        assert_eq!(live, primaries as usize, "{:?}", world.last.holds);
    }
}

#[test]
fn a_set_without_primaries() {
    let mut world = World::new(3);
    world.seen.target.has_secondary = true;
    world.want(3);
    world.seen.target.primaries = 0;
    world.settle();
    assert_eq!(world.codes(), [0, 0, 0], "{:?}", world.last.holds);
}

#[test]
fn a_new_template_where_data_ends_with_its_pod_and_no_follower_has_all_of_it() {
    let mut world = World::new(3).on(Storage::Pod);
    world.seen.target.has_secondary = true;
    world.want(3);
    world.settle();
    world.seen.workload.as_mut().unwrap().revision = "r2".into();
    let is_stopped =
        |world: &mut World| sent(&world.round().steps, Command::Stop) > 0 && world.codes()[0] == 7;
    assert!((0..100).any(|_| is_stopped(&mut world)), "who leads goes last: {:?}", world.last.holds);
    // Its last write reached nobody.
    world.apps.get_mut(&0).unwrap().data += 1;
    let steps = world.settle();
    assert_eq!(sent(&steps, Command::Seed), 1, "it begins again from what it alone holds, once");
    assert_eq!(world.codes(), [8, 0, 0], "{:?}", world.last.holds);
    let told = world.last.holds.iter().find(|hold| hold.reason.name() == "DataAlone");
    world.seen.target.keys = told.map(|hold| hold.keys.clone()).unwrap_or_default();
    world.settle();
    let pods = world.seen.replicas.values().filter_map(|replica| replica.pod.as_ref());
    assert!(
        pods.into_iter().all(|pod| pod.revision.0 == "r2"),
        "a person gave it up: {:?}",
        world.last.holds
    );
    assert_eq!(world.codes().iter().filter(|code| **code == 7).count(), 0, "{:?}", world.last.holds);
}

#[test]
fn a_first_seed_that_comes_to_nothing() {
    let mut world = World::new(3);
    world.faults.failing = true;
    let is_tried = (0..60).any(|_| sent(&world.round().steps, Command::Seed) > 0);
    assert!(is_tried, "{:?}", world.last.holds);
    world.faults.failing = false;
    world.settle();
    assert_eq!(world.codes(), [8, 8, 8], "{:?}", world.last.holds);
}

#[test]
fn an_old_primary_that_starts_beside_those_that_follow_it() {
    let mut world = running(true);
    world.seen.target.failover = Failover::Never;
    world.restart(0);
    let steps = world.settle();
    assert_eq!((sent(&steps, Command::Seed), sent(&steps, Command::Promote)), (1, 0));
    assert_eq!(world.codes(), [8, 0, 0], "{:?}", world.last.holds);
}
