//! Bugs of a plan that seeds although a reading is owed, and what owes none.

use super::{Case, Planted, Right, each_is_caught, each_is_right, power_cut};
use crate::audit::Rule;
use crate::audit::world::World;
use crate::fixture::{holder, name, reader, start};
use crate::memory::Outage;
use crate::observation::Fate;
use crate::position::{History, Position};
use crate::record::{Reading, Record};
use crate::target::Storage;

/// Of three that were read, on claims.
const OWED: &[Planted] = &[
    ("a reading from before a start", &[Rule::Unread], |case| {
        case.always(2, |record| record.reading.as_mut().unwrap().starts -= 1);
    }),
    ("a join that never began replaced nothing, and nobody read what is there", &[Rule::Unread], |case| {
        case.always(2, |record| {
            (record.joining, record.open, record.reading) = (true, vec![start(2, "old")], None);
        });
        (case.after(2).joining, case.after(2).open) = (false, Vec::new());
        case.seen.fates.insert("old".into(), Fate::Revoked);
    }),
    ("one that came with its data has none now", &[Rule::LosesData], |case| {
        case.always(2, |record| {
            record.starts = 0;
            let taken = record.reading.as_mut().unwrap();
            (taken.starts, taken.reading) = (0, Reading::Empty);
        });
    }),
    ("a claim that has its volume was not read, and no record tells of it", &[Rule::Unread], |case| {
        case.always(2, |record| {
            (record.confirmed, record.starts, record.reading) = (0, 0, None);
        });
    }),
    ("the seed was not read", &[Rule::Unread, Rule::LosesData], |case| {
        case.always(1, |record| record.reading = None);
        case.after(1).open[0].from = None;
    }),
    ("the seed lost its data", &[Rule::LosesData], |case| {
        case.always(1, |record| record.reading.as_mut().unwrap().reading = Reading::Empty);
        case.after(1).open[0].from = None;
    }),
    ("the epoch began with what no number tells of", &[Rule::LosesData], |case| {
        case.begins_with(Position::History(History::up_to("line", 1)), 0);
    }),
    ("the seed still has the label", &[Rule::SecondSeed, Rule::Label], |case| {
        case.seen.pod_mut(1).active = Some(true);
    }),
];

const NOT_OWED: &[Right] = &[
    ("a claim that nobody used is gone", |case| {
        let epoch = case.plan.memory.epoch.clone();
        let gone = Record::new(holder(9), name(2), epoch);
        case.memory.holders.insert(holder(9), gone.clone());
        case.plan.memory.holders.insert(holder(9), gone);
    }),
    ("a claim waits for its volume", |case| {
        case.always(2, |record| {
            (record.confirmed, record.starts, record.reading) = (0, 0, None);
        });
        case.seen.replicas.get_mut(&name(2)).unwrap().claims[0].bound = false;
    }),
    ("a person named the seed, and another holds more", |case| {
        let named = |list| {
            let (reader, named) = (Some(reader()), Some(holder(1)));
            Some(Outage { reader, candidates: Some(list), named, ..Outage::default() })
        };
        (case.memory.outage, case.plan.memory.outage) = (named(vec![holder(1)]), named(vec![holder(1)]));
        case.always(2, |record| {
            record.reading.as_mut().unwrap().reading = Reading::At(Position::Ordinal(99));
        });
    }),
    ("the epoch began with a number of another outage", |case| {
        case.begins_with(Position::Ordinal(99), 1);
    }),
    ("a start of it never came to anything", |case| {
        case.always(2, |record| (record.confirmed, record.reading) = (0, None));
    }),
];

/// Changes what is remembered of a replica, wherever its data is.
fn each_record(case: &mut Case, ordinal: u32, change: fn(&mut Record)) {
    let holders = [&mut case.memory.holders, &mut case.plan.memory.holders];
    let records = holders.into_iter().flat_map(|holders| holders.values_mut());
    records.filter(|record| record.replica == name(ordinal)).for_each(change);
}

/// Of three that were read, each in its pod.
const OWED_OF_PODS: &[Planted] = &[
    ("another holds more", &[Rule::LosesData], |case| {
        each_record(case, 2, |record| {
            record.reading.as_mut().unwrap().reading = Reading::At(Position::Ordinal(99));
        });
    }),
    ("another was not read", &[Rule::Unread], |case| each_record(case, 2, |record| record.reading = None)),
    ("the epoch began with what no number tells of", &[Rule::LosesData], |case| {
        case.begins_with(Position::History(History::up_to("line", 1)), 0);
    }),
];

#[test]
fn whoever_held_data_owes_a_reading() {
    each_is_caught(&Case::that_seeds(power_cut()), OWED);
    let mut world = World::new(3).on(Storage::Pod);
    world.settle();
    for (ordinal, data) in [(0, 5), (1, 9), (2, 7)] {
        world.reboot(ordinal);
        world.apps.get_mut(&ordinal).unwrap().data = data;
    }
    each_is_caught(&Case::that_seeds(world), OWED_OF_PODS);
    each_is_caught(
        &Case::that_seeds(World::new(3).on(Storage::Pod)),
        &[("a pod was not read before any epoch", &[Rule::Unread], |case| {
            each_record(case, 2, |record| record.reading = None);
        })],
    );
}

#[test]
fn who_never_held_data_owes_nothing() {
    each_is_right(&Case::that_seeds(power_cut()), NOT_OWED);
    each_is_right(
        &Case::that_seeds(World::new(3)),
        &[("a first bootstrap is not shown what is beyond its size", |case| {
            (case.seen.target.replicas, case.seen.target.primaries) = (2, 2);
            case.always(2, |record| record.reading = None);
        })],
    );
}
