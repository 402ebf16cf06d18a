//! Sets whose identities are given once: who goes is named, and nobody comes back.

use super::{Chance, running, worlds};
use crate::audit::world::World;
use crate::fixture::{holder, name};
use crate::names::ReplicaName;
use crate::observation::{Command, Replica};
use crate::plan::{News, Plan, Step};
use crate::target::{Failover, Identities};

/// As many identities as the world has nodes for.
const MOST: usize = 9;

fn given_once(has_secondary: bool) -> World {
    let mut world = running(has_secondary);
    world.seen.target.identities = Identities::GivenOnce;
    world
}

fn released(plan: &Plan) -> impl Iterator<Item = &ReplicaName> {
    plan.steps.iter().flat_map(|step| match step {
        Step::Resize { released, .. } => &released[..],
        _ => &[],
    })
}

/// Who is named holds nothing that nobody else does.
fn loses_nothing(world: &World, plan: &Plan) {
    let goes = |name: &ReplicaName| released(plan).any(|released| released == name);
    let data = |gone: bool| {
        let gave_up = &world.seen.workload.as_ref().unwrap().released;
        let left = world.seen.replicas.iter().filter(|(name, _)| !gave_up.contains(*name));
        left.filter(|(name, _)| goes(name) == gone).map(|(_, r)| world.apps[&r.ordinal].data).max()
    };
    assert!(data(true) <= data(false), "{:?}: {:?} of {:?}", plan.steps, data(true), data(false));
}

/// Whoever seeds holds all that anybody does. What a follower that lost its primary holds is of another line.
fn seeds_all(world: &World, plan: &Plan) {
    for step in plan.steps.iter().filter(|_| !world.seen.target.has_secondary) {
        let Step::Run(run) = step else { continue };
        let held = world.apps[&world.seen.replicas[&run.replica].ordinal].data;
        let most = world.apps.values().map(|app| app.data).max().unwrap_or(0);
        assert!(run.command != Command::Seed || held == most, "{} seeds with {held} of {most}", run.replica);
    }
}

fn disturb(world: &mut World, chance: &mut Chance) {
    let known: Vec<u32> = world.seen.replicas.values().map(|replica| replica.ordinal).collect();
    let who = known[chance.below(known.len() as u32) as usize];
    let has_room = known.iter().max().is_none_or(|last| *last as usize + 3 < MOST);
    match chance.below(15) {
        14 if has_room => world.take_claims(who),
        12 => world.change_template(),
        13 => world.apps.get_mut(&who).filter(|app| app.code != 7).into_iter().for_each(|app| app.code = 1),
        10 if has_room => world.lose(who),
        11 => world.find(who),
        0 => world.restart(who),
        1 => world.reboot(who),
        2 => world.apps.get_mut(&who).unwrap().code = 7,
        3 => world.faults.silent.push(who),
        4 => world.faults.silent.clear(),
        5 => world.faults.failing = chance.below(3) == 0,
        6 => world.faults.crash = true,
        7 => known.iter().for_each(|ordinal| world.reboot(*ordinal)),
        _ if has_room => world.want(chance.below(4)),
        _ => world.want(chance.below(world.seen.target.replicas.max(1) + 1)),
    }
}

/// Clients write to all that serve, while one of them has the label by which they find it.
fn write(world: &mut World) {
    let serves = |ordinal: &u32| [0, 8].contains(&world.apps[ordinal].code);
    let is_found = |replica: &Replica| replica.pod.as_ref().and_then(|pod| pod.active) == Some(true);
    if !world.seen.replicas.values().any(|replica| is_found(replica) && serves(&replica.ordinal)) {
        return;
    }
    world.apps.values_mut().filter(|app| [0, 8].contains(&app.code)).for_each(|app| app.data += 1);
}

#[test]
fn a_set_of_three_that_becomes_one_and_three_again_has_two_others_and_all_its_data() {
    for has_secondary in [false, true] {
        let mut world = given_once(has_secondary);
        let first = world.apps[&0].data;
        for (size, known) in [(1, 3), (3, 5)] {
            write(&mut world);
            world.want(size);
            world.settle();
            assert_eq!(world.seen.replicas.len(), known, "{:?}", world.last.holds);
        }
        let gave_up = &world.seen.workload.as_ref().unwrap().released;
        assert_eq!(gave_up.len(), 2, "{gave_up:?}");
        let serving: Vec<u64> = world.apps.values().filter(|app| app.code != 7).map(|app| app.data).collect();
        assert_eq!(serving, [first + 2; 3], "{:?}", world.last.holds);
    }
}

#[test]
fn a_member_whose_claims_a_person_deleted_is_made_up_for_by_another_and_no_later_power_cut_waits_for_it() {
    for has_secondary in [false, true] {
        let mut world = given_once(has_secondary);
        world.take_claims(2);
        world.settle();
        let known: Vec<_> = world.memory.holders.values().map(|record| record.replica.clone()).collect();
        assert_eq!(known, [0, 1, 3].map(name), "{:?}", world.last.holds);
        write(&mut world);
        let held = world.apps[&0].data;
        [0, 1, 3].iter().for_each(|ordinal| world.reboot(*ordinal));
        world.settle();
        assert_eq!(world.apps.values().map(|app| app.data).collect::<Vec<_>>(), [held; 3]);
        assert_eq!(world.last.holds, []);
    }
}

#[test]
fn a_member_whose_claims_are_gone_in_a_power_cut_is_asked_for() {
    let mut world = given_once(false);
    (0..3).for_each(|ordinal| world.reboot(ordinal));
    world.take_claims(2);
    world.settle();
    let told: Vec<_> = world.last.holds.iter().map(|hold| hold.reason.name()).collect();
    assert!(told.contains(&"LostData"), "{told:?}");
}

#[test]
fn a_changed_template_reaches_all_members_of_a_set_that_serves_under_the_names_that_they_have() {
    for has_secondary in [false, true] {
        let mut world = given_once(has_secondary);
        world.change_template();
        write(&mut world);
        let held = world.apps[&0].data;
        world.settle();
        let wanted = &world.seen.workload.as_ref().unwrap().revision;
        let revisions: Vec<_> =
            world.seen.replicas.values().map(|replica| &replica.pod.as_ref().unwrap().revision).collect();
        assert_eq!(revisions, [wanted; 3], "{:?}", world.last.holds);
        assert_eq!(world.apps.values().map(|app| app.data).collect::<Vec<_>>(), [held; 3]);
        assert_eq!((world.last.holds.len(), world.memory.good.as_ref()), (0, Some(wanted)));
    }
}

#[test]
fn a_set_goes_on_without_who_is_lost_gets_another_and_comes_back_once_nothing_of_it_may_live() {
    let mut world = given_once(false);
    (world.seen.target.failover, world.seen.target.replace_after) = (Failover::AllowLoss, Some(30));
    write(&mut world);
    world.lose(2);
    write(&mut world);
    world.settle();
    let epoch = &world.memory.epoch;
    assert_eq!((epoch.number, &epoch.without), (2, &vec![holder(2)]), "{:?}", world.last.holds);
    assert_eq!(world.codes(), [8, 8, 7, 8], "another has its place");
    write(&mut world);
    let held = world.apps[&0].data;
    [0, 1, 3].iter().for_each(|ordinal| world.reboot(*ordinal));
    world.settle();
    assert_eq!(world.codes(), [7; 4], "something that was started of the lost one may live");
    world.find(2);
    world.settle();
    assert_eq!(world.codes(), [8, 8, 7, 8], "{:?}", world.last.holds);
    assert_eq!(world.apps[&3].data, held);
}

#[test]
fn whoever_is_given_up_holds_nothing_that_nobody_else_does() {
    let (mut given_up, mut without) = (0_u64, 0_u64);
    for seed in 1..=worlds() {
        let mut chance = Chance::of(seed);
        let mut world = given_once(seed % 2 == 0);
        world.seen.target.replace_after = Some(30);
        world.seen.target.failover = [Failover::NoKnownLoss, Failover::AllowLoss][usize::from(seed % 3 == 0)];
        for _ in 0..120 {
            let (plan, found) = world.try_round();
            let first = found.err().unwrap_or_default().first().map(ToString::to_string);
            assert_eq!(first, None, "in world {seed}: {:#?}", plan.steps);
            loses_nothing(&world, &plan);
            seeds_all(&world, &plan);
            without += u64::from(plan.news.iter().any(|news| matches!(news, News::GivenUp(..))));
            given_up += released(&plan).count() as u64;
            world.apply(&plan);
            write(&mut world);
            if chance.below(6) == 0 {
                disturb(&mut world, &mut chance);
            }
        }
    }
    assert!(
        given_up > worlds() / 3 && without > worlds() / 8,
        "only {given_up} were given up, {without} of them with an epoch"
    );
}
