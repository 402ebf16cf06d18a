//! Bugs of a plan for a set that people keep to themselves, of which nothing new is remembered, and of the first after
//! that.

use super::{Case, Planted, each_is_caught, running};
use crate::audit::Rule;
use crate::fixture::{name, rehearsal};
use crate::memory::{Epoch, Outage};
use crate::record::Reading;
use crate::target::Mode;
use crate::timer::{Age, Timer};

const REMEMBERED: &[Planted] = &[
    ("an epoch", &[Rule::HandsOff], |case| case.plan.memory.epoch.number += 1),
    ("that data is gone", &[Rule::HandsOff], |case| case.plan.memory.holders.clear()),
    ("an outage", &[Rule::HandsOff], |case| case.plan.memory.outage = Some(Outage::default())),
    ("that there was an outage", &[Rule::HandsOff], |case| case.plan.memory.outages += 1),
    ("the size before", &[Rule::HandsOff], |case| case.plan.memory.restore_replicas = Some(9)),
    ("a repair", &[Rule::HandsOff], |case| {
        case.plan.memory.repairs.insert(name(2), 1);
    }),
    ("a container without a lock", &[Rule::HandsOff], |case| {
        case.plan.memory.lockless.insert("container-2".into());
    }),
    ("a template that runs", &[Rule::HandsOff], |case| case.plan.memory.good = Some("r9".into())),
    ("a template that cannot start", &[Rule::HandsOff], |case| case.plan.memory.refused = Some(9)),
    ("a key", &[Rule::HandsOff], |case| {
        case.plan.memory.used_keys.insert("AcceptLoss/x-0/0a1b".into());
    }),
    ("what a member said while it ran", &[Rule::HandsOff], |case| {
        case.plan.memory.rehearsals.insert(name(2), rehearsal(2, Reading::Empty));
    }),
];

#[test]
fn nothing_new_is_remembered_of_a_set_that_is_paused() {
    let mut world = running(false);
    world.seen.target.paused = true;
    each_is_caught(&Case::settled(world), REMEMBERED);
}

/// The first look after a pause in an outage: a person started x-0, and x-1 gives no answer for a moment.
fn just_resumed() -> Case {
    let mut world = running(false);
    world.seen.target.mode = Mode::Ask;
    (0..3).for_each(|ordinal| world.reboot(ordinal));
    world.settle();
    world.seen.target.paused = true;
    let _plan = world.round();
    world.seen.target.paused = false;
    world.apps.get_mut(&0).unwrap().code = 8;
    world.faults.silent.push(1);
    let (plan, _) = world.try_round();
    Case { seen: world.seen, memory: world.memory, plan }
}

/// x-0 begins an epoch.
fn adopts(case: &mut Case) {
    let number = case.plan.memory.epoch.number + 1;
    case.plan.memory.epoch = Epoch { number, ..Epoch::default() };
    case.plan.memory.outage = None;
    case.after(0).confirmed = number;
    for ordinal in [1, 2] {
        let epoch = case.plan.memory.epoch.clone();
        case.after(ordinal).parted = Some(epoch);
    }
}

#[test]
fn what_a_person_started_is_not_judged_while_one_gives_no_answer_for_a_moment() {
    const HASTY: &[Planted] = &[
        ("that is forgotten", &[Rule::Forgotten], |case| case.plan.memory.paused = false),
        ("an epoch begins", &[Rule::Epoch], adopts),
    ];
    let sound = just_resumed();
    each_is_caught(&sound, HASTY);
    let mut long = sound;
    let container = long.seen.pod_mut(1).container_id().cloned().unwrap();
    long.seen.ages.insert(Timer::Silent(name(1), container), Age::Ripe);
    long.plan.memory.paused = false;
    adopts(&mut long);
    assert_eq!(long.breaches(), [].into(), "it gives none for long");
}
