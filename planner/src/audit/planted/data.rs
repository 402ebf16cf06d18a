//! Bugs that would lose data, or make two sets of one.

use super::{Case, Planted, each_is_caught, power_cut, running};
use crate::audit::Rule;
use crate::audit::world::World;
use crate::fixture::{holder, measure, name, start};
use crate::memory::{Base, Outage};
use crate::names::AttemptId;
use crate::observation::Command;
use crate::position::{History, Position};
use crate::record::{Reading, Record, Taken};
use crate::target::{Failover, Mode};

const SEEDS: &[Planted] = &[
    ("the set has data on its other workload", &[Rule::SecondSeed], |case| {
        case.seen.elsewhere.insert("claim data-rss-x-a".to_owned());
    }),
    ("a member was not read", &[Rule::Unread], |case| case.always(2, |record| record.reading = None)),
    ("a reading of another container", &[Rule::Unread], |case| {
        case.always(2, |r| r.reading.as_mut().unwrap().container = "before".into());
    }),
    ("a number of another outage", &[Rule::Unread], |case| {
        case.always(2, |record| record.reading.as_mut().unwrap().measure.outage = 0);
    }),
    ("a number of another reader", &[Rule::Unread, Rule::Reading], |case| {
        case.always(2, |record| record.reading.as_mut().unwrap().measure.reader = Some("another".into()));
    }),
    ("numbers that nobody knows who read", &[Rule::Unread, Rule::Reading], |case| {
        (0..3).for_each(|ordinal| {
            case.always(ordinal, |record| record.reading.as_mut().unwrap().measure.reader = None);
        });
        case.after(1).open[0].measure.reader = None;
    }),
    ("nobody reads", &[Rule::Unread], |case| case.seen.reader = None),
    ("outages count on from below one that a claim names", &[Rule::Candidates], |case| {
        case.always(2, |record| {
            record.running = record.reading.clone();
            record.running.as_mut().unwrap().measure.outage = 99;
        });
    }),
    ("another holds more", &[Rule::LosesData], |case| holds(case, 2, Position::Ordinal(99))),
    ("another has parted", &[Rule::LosesData], |case| {
        holds(case, 2, Position::History(History::up_to("line", 1)));
    }),
    ("another lost its data", &[Rule::LosesData], |case| {
        case.always(2, |record| record.reading.as_mut().unwrap().reading = Reading::Empty);
    }),
    ("the epoch began with more", &[Rule::LosesData], |case| {
        let base = Base { position: Position::Ordinal(50), measure: measure(case.plan.memory.outages) };
        case.memory.epoch.base = Some(base.clone());
        case.plan.memory.epoch.base = Some(base);
    }),
    ("what the epoch began with is forgotten", &[Rule::Epoch], |case| {
        let position = Position::History(History::up_to("line", 1));
        let base = Some(Base { position, measure: measure(case.plan.memory.outages) });
        (0..3).for_each(|ordinal| case.always(ordinal, |record| record.epoch.base = base.clone()));
        case.memory.epoch.base = base;
    }),
    ("data of an older epoch", &[Rule::LosesData, Rule::Forgotten], |case| {
        (case.memory.epoch.number, case.plan.memory.epoch.number) = (2, 2);
        [0, 2].into_iter().for_each(|ordinal| case.always(ordinal, |record| record.confirmed = 2));
    }),
    ("data that was given up, though none of the others holds more", &[Rule::LosesData], |case| {
        case.always(1, |record| record.waived = true);
    }),
    ("data that was given up, where nobody else was read", &[Rule::Unread, Rule::LosesData], |case| {
        case.always(1, |record| record.waived = true);
        [0, 2].into_iter().for_each(|ordinal| case.always(ordinal, |record| record.reading = None));
    }),
    ("data of no epoch that was given up", &[Rule::LosesData], |case| {
        case.always(1, |record| (record.confirmed, record.waived) = (0, true));
    }),
    ("a start is open, if of data that is given up", &[Rule::SecondSeed], |case| {
        case.always(2, |record| (record.waived, record.open) = (true, vec![start(2, "old")]));
    }),
    ("a member may be running", &[Rule::SecondSeed], |case| {
        case.answers(2, None);
        case.seen.pod_mut(2).active = None;
    }),
    ("a primary runs", &[Rule::SecondSeed], |case| {
        case.answers(2, Some(8));
        let pod = case.seen.pod_mut(2).clone();
        case.always(2, |record| {
            record.open = vec![start(2, "old")];
            record.open[0].container = pod.container.clone().unwrap().id.unwrap();
        });
    }),
    ("nobody is wanted", &[Rule::SecondSeed], |case| case.seen.target.replicas = 0),
    ("a label is left", &[Rule::SecondSeed, Rule::Label], |case| case.seen.pod_mut(2).active = Some(true)),
    ("the seed is not on the list", &[Rule::Candidates], |case| {
        let outage = Some(Outage { candidates: Some(vec![holder(0)]), ..Outage::default() });
        (case.memory.outage, case.plan.memory.outage) = (outage.clone(), outage);
    }),
    ("the list has grown", &[Rule::Candidates], |case| {
        case.memory.outage = Some(Outage { candidates: Some(vec![holder(2)]), ..Outage::default() });
    }),
    ("nobody named the seed", &[Rule::Candidates], |case| {
        case.plan.memory.outage.as_mut().unwrap().named = Some(holder(1));
    }),
    ("a person's word is used twice", &[Rule::Candidates], |case| {
        let named =
            |list| Some(Outage { candidates: Some(list), named: Some(holder(1)), ..Outage::default() });
        (case.memory.outage, case.plan.memory.outage) = (named(Vec::new()), named(vec![holder(1)]));
    }),
    ("nobody was asked", &[Rule::Consent], |case| case.seen.target.mode = Mode::Ask),
    ("nothing was to be done", &[Rule::Consent], |case| case.seen.target.mode = Mode::PlanOnly),
    ("a person's word outlives the reader by whom it was given", &[Rule::Candidates], |case| {
        let named = |reader: &str| {
            let (reader, list) = (Some(reader.into()), Some(vec![holder(1)]));
            Some(Outage { reader, candidates: list, named: Some(holder(1)), ..Outage::default() })
        };
        (case.memory.outage, case.plan.memory.outage) = (named("another"), named("reader"));
    }),
    ("the outage is over, and nobody runs", &[Rule::Candidates], |case| case.plan.memory.outage = None),
    ("given up by nobody", &[Rule::Forgotten], |case| case.after(2).waived = true),
    ("replaced by nothing", &[Rule::Forgotten], |case| case.after(2).joining = true),
    ("left while nobody served", &[Rule::Forgotten], |case| {
        case.always(2, |record| record.left = false);
        case.after(2).left = true;
    }),
    ("taken for gone", &[Rule::Forgotten], |case| case.after(2).ended = true),
    ("forgotten", &[Rule::Forgotten, Rule::Unread], |case| {
        case.plan.memory.holders.remove(&holder(2));
    }),
    ("an epoch is skipped", &[Rule::Epoch, Rule::Forgotten], |case| case.plan.memory.epoch.number += 2),
    ("an epoch begins with nobody running", &[Rule::Epoch, Rule::Forgotten], |case| {
        case.plan.memory.epoch.number += 1;
    }),
    ("confirmed unseen", &[Rule::Epoch], |case| case.after(2).confirmed += 1),
    ("a reading that nobody said", &[Rule::Reading], |case| {
        let taken = case.after(2).reading.as_mut().unwrap();
        taken.reading = Reading::At(Position::Ordinal(8));
    }),
    ("a reading from before a pause", &[Rule::Reading], |case| case.memory.paused = true),
];

fn holds(case: &mut Case, ordinal: u32, position: Position) {
    case.always(ordinal, |record| record.reading.as_mut().unwrap().reading = Reading::At(position.clone()));
}

#[test]
fn no_seed_loses_data_or_stands_beside_another() {
    each_is_caught(&Case::that_seeds(power_cut()), SEEDS);
}

#[test]
fn a_reading_is_of_the_outage_and_the_reader_of_now() {
    // All are read in the look that seeds.
    each_is_caught(
        &Case::that_sends(power_cut(), Command::Seed),
        &[
            ("of another outage", &[Rule::Reading, Rule::Unread], |case| {
                case.after(2).reading.as_mut().unwrap().measure.outage -= 1;
            }),
            ("of another reader, while there is none", &[Rule::Reading, Rule::Unread], |case| {
                case.seen.reader = None;
            }),
            ("for which no claim has room", &[Rule::Reading, Rule::LosesData], |case| {
                let long = Reading::At(Position::History(History::up_to(&"a".repeat(70_000), 1)));
                case.after(2).reading.as_mut().unwrap().reading = long.clone();
                let of_two = |id: &AttemptId| case.seen.attempts[id].replica == name(2);
                let said = case.seen.verdicts.readings.iter_mut().find(|(id, _)| of_two(id));
                said.unwrap().1.reading = long;
            }),
        ],
    );
}

#[test]
fn a_first_bootstrap_is_shown_every_wanted_claim() {
    each_is_caught(
        &Case::that_seeds(World::new(3)),
        &[
            ("a claim was not read", &[Rule::Unread], |case| case.always(2, |record| record.reading = None)),
            ("a claim is not spoken of", &[Rule::Unread], |case| {
                case.plan.memory.holders.remove(&holder(2));
            }),
            ("a record cannot be read", &[Rule::Unread], |case| {
                case.seen.replicas.get_mut(&name(2)).unwrap().claims[0].unreadable = true;
            }),
            ("another has data", &[Rule::LosesData], |case| holds(case, 2, Position::Ordinal(3))),
        ],
    );
}

#[test]
fn no_join_replaces_data_that_is_nowhere_else() {
    let mut world = running(false);
    world.restart(2);
    each_is_caught(
        &Case::that_sends(world, Command::Join),
        &[
            ("errant data", &[Rule::Join], |case| {
                case.always(2, |record| record.confirmed = 0);
                holds_if_read(case, Position::Ordinal(99));
            }),
            ("data that was given up, unread", &[Rule::Join], |case| {
                case.always(2, |record| (record.waived, record.reading) = (true, None));
            }),
            ("no live primary", &[Rule::Join], |case| {
                case.run().peers.clear();
                (0..2).for_each(|ordinal| case.answers(ordinal, None));
            }),
            ("the member answers Failed", &[Rule::Join], |case| case.answers(2, Some(1))),
            ("a member that is to leave", &[Rule::Join], |case| case.seen.target.replicas = 2),
            ("its data is not said to be replaced", &[Rule::Unpromised], |case| {
                case.after(2).joining = false
            }),
            ("a peer that does not run", &[Rule::WrongPlace], |case| case.run().peers.push(name(2))),
        ],
    );
}

#[test]
fn an_epoch_has_the_base_that_its_seed_began_from() {
    each_is_caught(
        // In which the seed is seen running.
        &Case::that_opens(power_cut()),
        &[
            ("more than it held", &[Rule::Epoch], |case| {
                case.plan.memory.epoch.base.as_mut().unwrap().position = Position::Ordinal(99);
            }),
            ("as if another reader had read it", &[Rule::Epoch, Rule::Join, Rule::Forgotten], |case| {
                case.plan.memory.epoch.base.as_mut().unwrap().measure.reader = Some("another".into());
            }),
            ("as a start of before is said to have begun from", &[Rule::Epoch, Rule::Unpromised], |case| {
                case.after(1).open[0].from = Some(Position::Ordinal(99));
                case.plan.memory.epoch.base.as_mut().unwrap().position = Position::Ordinal(99);
            }),
            ("as if it was read in another outage", &[Rule::Epoch, Rule::Join, Rule::Forgotten], |case| {
                case.plan.memory.epoch.base.as_mut().unwrap().measure.outage += 1;
            }),
        ],
    );
}

/// What was read of a replica is a bare number, the same of each, and its start begins from that.
fn reads_a_number(case: &mut Case, ordinal: u32, reader: &str) {
    let number = |taken: &mut Taken| {
        taken.reading = Reading::At(Position::Ordinal(5));
        taken.measure.reader = Some(reader.into());
    };
    let read = |record: &mut Record| record.reading.iter_mut().chain(&mut record.running).for_each(number);
    read(case.memory.holders.get_mut(&holder(ordinal)).unwrap());
    read(case.after(ordinal));
    let promised = case.after(ordinal);
    if let (Some(taken), Some(start)) = (&promised.running, promised.open.last_mut()) {
        (start.from, start.measure) = (Some(Position::Ordinal(5)), taken.measure.clone());
    }
}

fn holds_if_read(case: &mut Case, position: Position) {
    case.always(2, |record| {
        if let Some(taken) = &mut record.reading {
            taken.reading = Reading::At(position.clone());
        }
    });
    let read = case.after(2).reading.clone();
    case.memory.holders.get_mut(&holder(2)).unwrap().reading = read;
}

#[test]
fn nobody_is_promoted_before_the_old_primary_is_fenced() {
    let mut world = running(true);
    world.restart(0);
    each_is_caught(
        &Case::that_sends(world, Command::Promote),
        &[
            ("its start is open", &[Rule::Fence], |case| {
                case.always(0, |record| record.open = vec![start(0, "old")]);
            }),
            ("it held more", &[Rule::Fence], |case| {
                case.always(0, |record| {
                    let taken = record.reading.as_mut();
                    let more = Position::History(History::up_to("line", 99));
                    taken.into_iter().for_each(|taken| taken.reading = Reading::At(more.clone()));
                });
                let read = case.after(0).reading.clone();
                case.memory.holders.get_mut(&holder(0)).unwrap().reading = read;
            }),
            ("it was not read", &[Rule::Fence], |case| case.always(0, |record| record.reading = None)),
            ("it is given up, and another that does not run was not read", &[Rule::Fence], |case| {
                let other = if case.run().replica == name(1) { 2 } else { 1 };
                case.always(0, |record| record.waived = true);
                case.answers(other, Some(7));
                case.always(other, |record| {
                    (record.running, record.reading, record.left) = (None, None, false)
                });
            }),
            ("what it holds was read by another", &[Rule::Fence, Rule::Reading], |case| {
                let promoted = if case.run().replica == name(1) { 1 } else { 2 };
                reads_a_number(case, 0, "reader");
                reads_a_number(case, promoted, "another");
            }),
            ("nobody is to be promoted", &[Rule::Fence], |case| case.seen.target.failover = Failover::Never),
            ("no primary is wanted", &[Rule::Fence], |case| case.seen.target.primaries = 0),
            ("beside another step", &[Rule::Alone], |case| case.label(name(0), false)),
        ],
    );
}
