//! Ordinary flows, and disturbed ones: the audit accepts every plan of them.

mod differing;
mod given_once;
mod seldom;

use super::world::World;
use crate::key::{Key, KeyKind};
use crate::names::Revision;
use crate::observation::Command;
use crate::plan::Step;
use crate::target::{DetachedVolume, Failover, ForcedDeletion, Mode, Storage};

/// Three members that run: all primaries, or one with two secondaries.
fn running(has_secondary: bool) -> World {
    let mut world = World::new(3);
    world.seen.target.has_secondary = has_secondary;
    world.want(3);
    world.settle();
    assert_eq!(world.codes(), if has_secondary { [8, 0, 0] } else { [8, 8, 8] });
    world
}

fn sent(steps: &[Step], command: Command) -> usize {
    steps.iter().filter(|step| matches!(step, Step::Run(run) if run.command == command)).count()
}

#[test]
fn a_first_bootstrap() {
    running(false);
    running(true);
}

#[test]
fn a_power_cut_is_read_and_seeded_once() {
    for has_secondary in [false, true] {
        let mut world = running(has_secondary);
        (0..3).for_each(|ordinal| world.reboot(ordinal));
        for (ordinal, data) in [(0, 5), (1, 9), (2, 7)] {
            world.apps.get_mut(&ordinal).unwrap().data = data;
        }
        let steps = world.settle();
        assert_eq!(sent(&steps, Command::Seed), 1);
        assert_eq!(world.codes().iter().filter(|code| **code != 7).count(), 3, "{:?}", world.last.holds);
    }
}

#[test]
fn a_member_that_stops_joins_again() {
    for has_secondary in [false, true] {
        let mut world = running(has_secondary);
        world.restart(2);
        world.settle();
        assert_ne!(world.codes()[2], 7, "{:?}", world.last.holds);
    }
}

#[test]
fn more_and_fewer_and_a_power_cut() {
    let mut world = running(false);
    for size in [5, 3] {
        world.want(size);
        world.settle();
        assert_eq!(world.seen.workload.as_ref().unwrap().replicas, size, "{:?}", world.last.holds);
    }
    (0..3).for_each(|ordinal| world.reboot(ordinal));
    world.settle();
    assert_eq!(world.codes()[..3], [8, 8, 8], "{:?}", world.last.holds);
}

#[test]
fn to_zero_and_back() {
    for has_secondary in [false, true] {
        let mut world = running(has_secondary);
        for (size, serve) in [(0, 0), (3, 3)] {
            world.want(size);
            world.settle();
            let running = world.codes().iter().filter(|code| **code != 7).count();
            assert_eq!(running, serve, "{:?}", world.last.holds);
        }
    }
}

#[test]
fn a_new_template() {
    for has_secondary in [false, true] {
        let mut world = running(has_secondary);
        world.seen.workload.as_mut().unwrap().revision = "r2".into();
        world.settle();
        let pods = world.seen.replicas.values().filter_map(|replica| replica.pod.as_ref());
        assert!(pods.into_iter().all(|pod| pod.revision.0 == "r2"), "{:?}", world.last.holds);
        assert!(world.codes().iter().all(|code| *code != 7), "{:?}", world.last.holds);
    }
}

#[test]
fn a_change_of_the_primary_that_the_resource_asks_for_needs_no_word() {
    type Change = fn(&mut World);
    let changes: [(&str, Change); 3] = [
        ("a new template", World::change_template),
        ("one member, and a new template", |world| {
            world.want(1);
            world.settle();
            world.change_template();
        }),
        ("the primary leaves", |world| {
            world.want(1);
            world.apps.get_mut(&0).unwrap().code = 0;
            world.apps.get_mut(&2).unwrap().code = 8;
        }),
    ];
    for ((sentence, change), mode) in changes.into_iter().flat_map(|c| [(c, Mode::Ask), (c, Mode::PlanOnly)])
    {
        let mut world = running(true);
        world.seen.target.mode = mode;
        change(&mut world);
        let steps = world.settle();
        assert!(sent(&steps, Command::Stop) > 0, "{sentence}");
        assert!(world.codes().contains(&8), "{sentence}: {:?} {:?}", world.codes(), world.last.holds);
        let pods = world.seen.replicas.values().filter_map(|replica| replica.pod.as_ref());
        let wanted = &world.seen.workload.as_ref().unwrap().revision;
        assert!(pods.into_iter().all(|pod| pod.revision == *wanted), "{sentence}: {:?}", world.last.holds);
    }
}

#[test]
fn a_primary_that_is_lost() {
    for reported in [false, true] {
        let mut world = running(true);
        world.end_pod(0, reported);
        world.new_pod(0);
        world.settle();
        assert!(world.codes().contains(&8), "{:?} {:?}", world.codes(), world.last.holds);
    }
}

#[test]
fn a_pause() {
    let mut world = running(false);
    world.seen.target.paused = true;
    (0..3).for_each(|ordinal| world.reboot(ordinal));
    assert!(world.settle().is_empty());
    world.seen.target.paused = false;
    world.settle();
    assert_eq!(world.codes(), [8, 8, 8], "{:?}", world.last.holds);
}

#[test]
fn a_pause_in_the_midst_of_an_outage() {
    let mut world = running(false);
    (0..3).for_each(|ordinal| world.reboot(ordinal));
    world.faults.failing = true;
    let is_listed = |world: &World| world.memory.outage.as_ref().is_some_and(|now| now.candidates.is_some());
    for _ in 0..60 {
        if is_listed(&world) {
            break;
        }
        let _plan = world.round();
    }
    assert!(is_listed(&world), "{:?}", world.last.holds);
    world.seen.target.paused = true;
    let _plan = world.round();
    world.seen.target.paused = false;
    world.faults.failing = false;
    world.settle();
    assert_eq!(world.codes(), [8, 8, 8], "{:?}", world.last.holds);
}

#[test]
fn a_memory_that_is_erased() {
    let mut world = running(false);
    world.memory = crate::Memory::default();
    world.settle();
    (0..3).for_each(|ordinal| world.reboot(ordinal));
    world.memory = crate::Memory::default();
    world.settle();
    assert_eq!(world.codes(), [8, 8, 8], "{:?}", world.last.holds);
}

/// How many worlds go by chance in a test.
fn worlds() -> u64 {
    std::env::var("AUDIT_WORLDS").ok().and_then(|n| n.parse().ok()).unwrap_or(120)
}

/// Every fault at every moment that chance picks: the rules and the audit agree on every plan.
#[test]
fn whatever_happens() {
    for seed in 0..worlds() {
        let mut chance = Chance::of(seed);
        let mut world = any_world(&mut chance);
        world.seen.target.rehearsal_interval = (seed % 2 == 1).then_some(30);
        world.seen.target.mode = match seed % 6 {
            4 => Mode::Ask,
            5 => Mode::PlanOnly,
            _ => Mode::Auto,
        };
        for _ in 0..120 {
            let (plan, found) = world.try_round();
            let first = found.err().unwrap_or_default().first().map(ToString::to_string);
            assert_eq!(first, None, "in world {seed}: {:#?}", plan.steps);
            world.apply(&plan);
            if chance.below(5) == 0 {
                disturb(&mut world, &mut chance);
            }
        }
    }
}

fn any_world(chance: &mut Chance) -> World {
    let lock = chance.below(4) > 0;
    let storage = [Storage::Claims { lock }, Storage::Claims { lock }, Storage::Pod, Storage::Container];
    let size = 1 + chance.below(4);
    let mut world = World::new(size).on(storage[chance.below(4) as usize]);
    let target = &mut world.seen.target;
    target.has_secondary = chance.below(2) == 0;
    target.failover = [Failover::NoKnownLoss, Failover::AllowLoss, Failover::Never][chance.below(3) as usize];
    target.forced_deletion =
        [ForcedDeletion::WaitGracePeriod, ForcedDeletion::Hold][chance.below(2) as usize];
    target.detached_volume = [DetachedVolume::Hold, DetachedVolume::Closed][chance.below(2) as usize];
    target.parallel_joins = 1 + chance.below(2);
    world.want(size);
    world
}

fn disturb(world: &mut World, chance: &mut Chance) {
    let who = chance.below(world.apps.len() as u32);
    match chance.below(22) {
        0 => world.restart(who),
        1 => world.reboot(who),
        2 | 3 => {
            world.end_pod(who, chance.below(2) == 0);
            if who < world.seen.workload.as_ref().unwrap().replicas {
                world.new_pod(who);
            }
        }
        4 => world.apps.get_mut(&who).unwrap().code = 7,
        5 => world.faults.silent.push(who),
        6 => world.faults.silent.clear(),
        7 => world.faults.lost = [None, None, Some(true), Some(false)][chance.below(4) as usize],
        8 => world.faults.failing = chance.below(3) == 0,
        9 => world.faults.not_inherited = chance.below(2) == 0,
        10 => world.faults.crash = true,
        11 => world.seen.target.paused = chance.below(3) == 0,
        12 => world.want(chance.below(5)),
        13 => {
            world.seen.workload.as_mut().unwrap().revision =
                [Revision::from("r1"), "r2".into()][chance.below(2) as usize].clone()
        }
        14 => world.memory = crate::Memory::default(),
        15..=17 => give(world, chance),
        18 => world.policy += 1,
        19 => world.apps.get_mut(&who).into_iter().filter(|app| app.code == 0).for_each(|app| app.code = 8),
        20 => world.faults.nobody = chance.below(3) == 0,
        _ => (0..world.apps.len() as u32).for_each(|ordinal| world.reboot(ordinal)),
    }
    world.apps.get_mut(&who).unwrap().data += 1;
}

/// A person gives what is offered, or was once, or nearly is.
fn give(world: &mut World, chance: &mut Chance) {
    let offered: Vec<Key> = world.last.holds.iter().flat_map(|hold| hold.keys.clone()).collect();
    let stale = world.seen.target.keys.first().cloned();
    let kind = KeyKind::ALL[chance.below(6) as usize];
    let subject = ["x-0", "x-1", "pod-0", "3", "statefulset"][chance.below(5) as usize].to_owned();
    let facts = || offered.first().map_or("0a1b".to_owned(), |key| key.facts.clone());
    let right = (!offered.is_empty()).then(|| offered[chance.below(offered.len() as u32) as usize].clone());
    world.seen.target.keys = match (chance.below(4), right, stale) {
        (0, Some(key), _) => vec![key],
        (1, Some(key), _) => vec![Key { facts: "0a1b".to_owned(), ..key }],
        (2, Some(key), Some(stale)) => vec![stale, key],
        (3, _, _) => vec![Key::bound(kind, subject, &world.seen, &world.memory)],
        _ => vec![Key { kind, subject, facts: facts() }],
    };
}

struct Chance(u64);

impl Chance {
    fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}
