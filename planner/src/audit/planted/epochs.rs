//! Bugs of a plan that begins an epoch, or says who is of one.

use super::{Case, Planted, Right, World, each_is_caught, each_is_right, power_cut, running};
use crate::audit::Rule;
use crate::fixture::{holder, name};
use crate::memory::Epoch;
use crate::observation::Command;
use crate::plan::{Plan, Step};
use crate::position::{History, Position};
use crate::record::{Reading, Record};
use crate::start::StartKind;
use crate::target::Mode;

#[test]
fn an_epoch_follows_the_newest_that_is_known_while_a_primary_runs() {
    each_is_caught(
        &Case::settled(running(true)),
        &[
            ("one that a claim tells of is forgotten", &[Rule::Epoch], |case| {
                case.always(2, |record| record.epoch.number = 2);
            }),
            ("one is skipped", &[Rule::Epoch, Rule::Forgotten], |case| {
                case.plan.memory.epoch = Epoch { number: 3, ..Epoch::default() };
            }),
            ("it begins beside secondaries", &[Rule::Epoch, Rule::Forgotten], |case| {
                case.answers(0, Some(7));
                case.plan.memory.epoch = Epoch { number: 2, ..Epoch::default() };
            }),
            ("one is confirmed in an epoch to come", &[Rule::Epoch], |case| case.after(2).confirmed += 1),
            ("one is confirmed while it does not run", &[Rule::Epoch], |case| {
                case.answers(2, Some(7));
                case.always(2, |record| record.confirmed = 0);
                case.after(2).confirmed = 1;
            }),
        ],
    );
}

#[test]
fn the_first_epoch_begins_with_one_that_runs() {
    let mut world = World::new(3);
    world.want(3);
    each_is_caught(
        &Case::that_sends(world, Command::Seed),
        &[("before the seed came up", &[Rule::Epoch], |case| case.plan.memory.epoch.number = 1)],
    );
}

#[test]
fn who_follows_is_of_an_epoch_that_begins_with_what_nobody_knows() {
    let mut world = running(true);
    world.restart(0);
    let mut case = Case::that_opens(world);
    assert!((1..3).all(|ordinal| case.after(ordinal).confirmed == 2), "both are confirmed in it");
    // Who was lost joins it, whatever it began with: its data was being replaced already.
    case.always(0, |record| record.joining = true);
    case.after(0).open.iter_mut().for_each(|start| start.joining_before = true);
    case.plan.memory.epoch.base = None;
    assert_eq!(case.breaches(), [].into());
}

/// After a power cut all came up by themselves, and the epoch that they begin stands on the first one's claim alone.
fn half_written() -> Case {
    let mut world = power_cut();
    world.seen.target.mode = Mode::Ask;
    (0..3).for_each(|ordinal| world.apps.get_mut(&ordinal).unwrap().data = 5);
    world.settle();
    world.apps.values_mut().for_each(|app| app.code = 8);
    let (plan, _) = world.try_round();
    let mut case = Case { seen: world.seen, memory: world.memory, plan };
    let written = case.after(0).clone();
    case.seen.replicas.get_mut(&name(0)).unwrap().claims[0].record = Some(written);
    case
}

#[test]
fn an_epoch_that_stands_on_a_claim_already_begins_for_the_others_with_the_end_of_the_outage() {
    let case = half_written();
    assert!(case.memory.outage.is_some() && case.plan.memory.outage.is_none());
    assert!((0..3).all(|ordinal| case.clone().after(ordinal).confirmed == 2));
    each_is_caught(
        &case,
        &[("it does not end", &[Rule::Epoch], |case| {
            case.plan.memory.outage.clone_from(&case.memory.outage);
        })],
    );
}

#[test]
fn an_epoch_that_begins_as_it_should_has_the_next_number() {
    let skips: &[Planted] = &[("one is skipped", &[Rule::Epoch], |case| {
        let memory = &mut case.plan.memory;
        memory.epoch.number += 1;
        for record in memory.holders.values_mut() {
            record.confirmed += u64::from(record.confirmed == record.epoch.number);
            record.parted.iter_mut().for_each(|epoch| epoch.number += 1);
            record.epoch.number += 1;
        }
        for step in &mut case.plan.steps {
            let Step::Run(run) = step else { continue };
            run.epoch += 1;
        }
    })];
    each_is_caught(&Case::that_opens(power_cut()), skips);
}

/// A person named data of an older epoch that holds nothing: it was seeded, and begins an epoch without a base.
fn seeded_from_nothing() -> Case {
    let mut case = Case::that_opens(power_cut());
    let opener = case.plan.memory.holders.values().find(|record| record.confirmed == 2).unwrap();
    let (opener, ordinal) = (opener.holder.clone(), if opener.holder == holder(0) { 0 } else { 1 });
    case.memory.epoch = Epoch { number: 2, ..Epoch::default() };
    case.plan.memory.epoch = Epoch { number: 3, ..Epoch::default() };
    let epoch = case.memory.epoch.clone();
    (0..3).for_each(|n| case.always(n, |record| (record.confirmed, record.epoch) = (2, epoch.clone())));
    case.always(ordinal, |record| {
        record.confirmed = 1;
        record.open.iter_mut().for_each(|start| start.from = None);
    });
    case.after(ordinal).confirmed = 3;
    // That the others join in the same look is nothing to this.
    let others = case.memory.holders.iter().filter(|(other, _)| **other != opener);
    case.plan.memory.holders.extend(others.map(|(other, record)| (other.clone(), record.clone())));
    let after = case.plan.memory.epoch.clone();
    case.plan.memory.holders.values_mut().for_each(|record| {
        record.epoch = after.clone();
        record.parted = Some(after.clone()).filter(|_| record.confirmed == 2);
    });
    case.plan.steps.clear();
    case
}

#[test]
fn what_is_seeded_from_nothing_begins_an_epoch_and_what_joined_from_nothing_does_not() {
    let case = seeded_from_nothing();
    assert_eq!(case.breaches(), [].into());
    let joined: &[Planted] = &[("it was joined", &[Rule::Epoch], |case| {
        (0..3).for_each(|n| {
            case.always(n, |record| record.open.iter_mut().for_each(|start| start.kind = StartKind::Join));
        });
    })];
    each_is_caught(&case, joined);
}

/// Data of an older epoch was read in this outage and came up by itself, beside one of the newest or alone.
fn healed(beside: bool) -> Case {
    let mut world = power_cut();
    // Nobody is started before a person says so: all are read.
    world.seen.target.mode = Mode::Ask;
    world.settle();
    let lags = |record: &mut Record| record.confirmed = 1;
    world.memory.epoch.number = 2;
    world.memory.holders.values_mut().for_each(|record| record.confirmed = 2);
    world.memory.holders.get_mut(&holder(0)).into_iter().for_each(lags);
    world.apply(&Plan { memory: world.memory.clone(), ..Plan::default() });
    world.apps.get_mut(&0).unwrap().code = 8;
    world.apps.get_mut(&1).unwrap().code = if beside { 8 } else { 7 };
    let (plan, _) = world.try_round();
    Case { seen: world.seen, memory: world.memory, plan }
}

/// The epoch begins with what the older data was read to hold.
fn opens_with_it(case: &mut Case) {
    let base = case.after(0).open[0].base();
    assert!(base.is_some(), "it was read before it came up");
    let number = case.memory.epoch.number + 1;
    case.plan.memory.epoch = Epoch { number, base, ..Epoch::default() };
    case.plan.memory.outage = None;
    let epoch = case.plan.memory.epoch.clone();
    case.plan.memory.holders.values_mut().for_each(|record| record.epoch = epoch.clone());
    case.after(0).confirmed = number;
}

#[test]
fn data_of_an_older_epoch_that_came_up_by_itself_begins_none() {
    each_is_caught(&healed(false), &[("it begins one", &[Rule::Epoch, Rule::Forgotten], opens_with_it)]);
    each_is_caught(
        &healed(true),
        &[("it begins one beside the newest", &[Rule::Epoch, Rule::Join], opens_with_it)],
    );
}

/// Of the claim of x-2 it is only known that nothing ever ran on it; it is read in the look that seeds.
fn untold() -> Case {
    let mut case = Case::that_sends(power_cut(), Command::Seed);
    let nothing = Record::new(holder(2), name(2), Epoch::default());
    case.memory.holders.insert(holder(2), nothing.clone());
    case.seen.replicas.get_mut(&name(2)).unwrap().claims[0].record = Some(nothing);
    let attempts = case.seen.attempts.values_mut().filter(|attempt| attempt.replica == name(2));
    attempts.for_each(|attempt| attempt.starts = 0);
    let record = case.after(2);
    record.starts = 0;
    record.reading.as_mut().unwrap().starts = 0;
    case
}

#[test]
fn data_without_a_record_counts_as_confirmed_in_an_outage() {
    each_is_caught(
        &untold(),
        &[
            ("it was not read", &[Rule::Epoch, Rule::Unread], |case| case.after(2).reading = None),
            ("there is none", &[Rule::Epoch], |case| {
                case.after(2).reading.as_mut().unwrap().reading = Reading::At(Position::Ordinal(0));
                let of_two = |id| case.seen.attempts[id].replica == name(2);
                let said = case.seen.verdicts.readings.iter_mut().find(|(id, _)| of_two(*id));
                said.unwrap().1.reading = Reading::At(Position::Ordinal(0));
            }),
            ("it was started", &[Rule::Epoch], |case| {
                case.seen.replicas.get_mut(&name(2)).unwrap().claims[0].record.as_mut().unwrap().starts = 1;
                case.after(2).starts = 1;
                case.after(2).reading.as_mut().unwrap().starts = 1;
                let attempts = case.seen.attempts.values_mut();
                attempts.filter(|at| at.replica == name(2)).for_each(|attempt| attempt.starts = 1);
            }),
        ],
    );
}

/// The plan that drops what the epoch began with: the database made a new lineage, and all say so.
fn outlived() -> Case {
    let mut world = running(true);
    (0..3).for_each(|ordinal| world.reboot(ordinal));
    world.settle();
    assert!(world.memory.epoch.base.is_some());
    (0..3).for_each(|ordinal| world.reboot(ordinal));
    world.policy += 1;
    let mut case = Case::first(world, |plan, _| plan.memory.epoch.base.is_none());
    for ordinal in 0..3 {
        let reading = case.after(ordinal).reading.clone();
        case.always(ordinal, |record| record.reading = reading.clone());
    }
    case
}

/// What was read of x-2.
fn holds(case: &mut Case, reading: Reading) {
    case.always(2, |record| record.reading.as_mut().unwrap().reading = reading.clone());
}

/// Both the line of the base and another.
fn both() -> Reading {
    let mut lines = History::up_to("line", 1);
    lines.0.extend(History::up_to("another", 1).0);
    Reading::At(Position::History(lines))
}

const OUTLIVED: &[Planted] = &[
    ("one names a source of it", &[Rule::Epoch, Rule::LosesData], |case| holds(case, both())),
    ("one was not read", &[Rule::Epoch, Rule::Unread], |case| case.always(2, |record| record.reading = None)),
    ("one names nothing", &[Rule::Epoch], |case| {
        holds(case, Reading::At(Position::History(History::default())));
    }),
    ("one lost its data", &[Rule::Epoch, Rule::LosesData], |case| holds(case, Reading::Empty)),
];

#[test]
fn what_an_epoch_began_with_is_dropped_once_nobody_can_hold_any_of_it() {
    let case = outlived();
    each_is_caught(&case, OUTLIVED);
    let mut given_up = case.clone();
    holds(&mut given_up, both());
    given_up.always(2, |record| record.waived = true);
    assert_eq!(given_up.breaches(), [].into(), "who still holds it is given up");
    given_up.always(2, |record| (record.waived, record.ended) = (false, true));
    assert_eq!(given_up.breaches(), [].into(), "who still held it is gone");
    let mut new = case;
    holds(&mut new, Reading::Empty);
    new.always(2, |record| {
        (record.confirmed, record.starts) = (0, 0);
        record.reading.as_mut().unwrap().starts = 0;
    });
    assert_eq!(new.breaches(), [].into(), "a new claim holds nothing");
}

/// It leads again after an outage, as one that joined another long ago, and begins an epoch.
fn leads_again() -> Case {
    let mut world = power_cut();
    world.seen.target.mode = Mode::Ask;
    world.settle();
    world.apps.get_mut(&0).unwrap().code = 8;
    let mut case = Case::that_opens(world);
    let mut join = case.after(0).open[0].clone();
    join.kind = StartKind::Join;
    case.always(0, |record| record.open = vec![join.clone()]);
    case
}

#[test]
fn who_was_brought_up_by_a_join_begins_no_epoch_after_an_outage() {
    let followed: &[Right] = &[("it was to follow, and leads", |case| {
        case.always(0, |record| (record.open[0].kind, record.open[0].confirmed) = (StartKind::Follow, false));
    })];
    each_is_right(&leads_again(), followed);
    each_is_caught(
        &leads_again(),
        &[
            ("it joined just now", &[Rule::Epoch], |case| {
                case.always(0, |record| record.open[0].confirmed = false);
            }),
            (
                "it joined just now, and another was found to follow",
                &[Rule::Epoch, Rule::Unpromised],
                |case| {
                    case.always(0, |record| record.open[0].confirmed = false);
                    case.seen.target.has_secondary = true;
                    case.answers(1, Some(0));
                    case.after(1).reading = None;
                },
            ),
        ],
    );
}
