//! Bugs of a plan that joins: it replaces data, and writes that down before.

use super::{Case, Planted, each_is_caught, running};
use crate::audit::Rule;
use crate::fixture::{name, start};
use crate::observation::{Command, Role};
use crate::position::Position;
use crate::record::Record;
use crate::start::{Lock, Start};

/// Of a primary that stopped and joins two others.
const JOINS: &[Planted] = &[
    ("a new claim that nobody read", &[Rule::Join], |case| {
        case.always(2, |record| (record.confirmed, record.reading, record.starts) = (0, None, 0));
        case.after(2).starts = 1;
    }),
    ("one that ran in another group, and that nobody read", &[Rule::Join], |case| {
        let epoch = case.plan.memory.epoch.clone();
        case.always(2, |record| (record.parted, record.reading) = (Some(epoch.clone()), None));
    }),
    ("before any epoch", &[Rule::Join], |case| {
        was_joining(case, true);
        case.before_any_epoch();
    }),
    ("as a secondary, where there are none", &[Rule::Join, Rule::Unpromised], |case| {
        case.run().command = Command::Follow;
    }),
    ("its data was being replaced already, and that is not written", &[Rule::Unpromised], |case| {
        was_joining(case, false);
    }),
    ("more starts are counted than there were", &[Rule::Unpromised], |case| case.after(2).starts += 5),
    ("the start is not counted", &[Rule::Unpromised], |case| case.after(2).starts -= 1),
    ("promised in an outage of before", &[Rule::Unpromised], |case| {
        case.after(2).open[0].measure.outage -= 1;
    }),
    ("promised as if another would read", &[Rule::Unpromised], |case| {
        case.after(2).open[0].measure.reader = Some("another".into());
    }),
    ("promised to begin from what nobody read", &[Rule::Unpromised], |case| {
        case.after(2).open[0].from = Some(Position::Ordinal(9));
    }),
    ("promised for another pod", &[Rule::Unpromised], |case| case.after(2).open[0].pod = "other".into()),
    ("promised on another node", &[Rule::Unpromised], |case| {
        let (other, boot) =
            case.seen.nodes.iter().next().map(|(n, node)| (n.clone(), node.boot.clone())).unwrap();
        let promised = &mut case.after(2).open[0];
        (promised.node, promised.boot) = (other, boot);
    }),
    ("another start is promised beside it, and not sent", &[Rule::Unpromised], |case| {
        let (record, lock) = (case.after(0), Lock::Unasked);
        record.open.push(Start { lock, ..start(0, "more") });
        record.starts += 1;
    }),
];

/// Of a secondary that stopped and follows its primary again.
const FOLLOWS: &[Planted] = &[
    ("errant data", &[Rule::Join], |case| {
        case.always(2, |record| record.confirmed = 0);
    }),
    ("an open start in this very container", &[Rule::SecondStart], |case| {
        let container = case.run().if_container.clone();
        case.always(2, |record: &mut Record| {
            let container = container.clone();
            record.open.insert(0, Start { container, ..start(2, "old") });
        });
    }),
    ("it led, another leads in its place, and one is not heard for a moment", &[Rule::Join], |case| {
        case.always(2, |record| record.last = Some(Role::Primary));
        case.always(0, |record| record.last = Some(Role::Secondary));
        case.after(0).last = Some(Role::Primary);
        case.answers(1, None);
    }),
    ("no primary is wanted, and nothing is known of its data", &[Rule::Join], |case| {
        case.seen.target.primaries = 0;
        case.before_any_epoch();
    }),
];

/// It was being replaced before this look, and the start says so or not.
fn was_joining(case: &mut Case, is_written: bool) {
    case.always(2, |record| record.joining = true);
    case.after(2).open[0].joining_before = is_written;
}

fn that_stopped(has_secondary: bool, command: Command) -> Case {
    let mut world = running(has_secondary);
    world.restart(2);
    Case::that_sends(world, command)
}

#[test]
fn a_join_replaces_what_may_be_replaced_and_is_written_as_it_is_sent() {
    each_is_caught(&that_stopped(false, Command::Join), JOINS);
}

#[test]
fn a_secondary_that_follows_anew_joins() {
    each_is_caught(&that_stopped(true, Command::Follow), FOLLOWS);
}

#[test]
fn what_was_being_replaced_or_never_had_a_volume_may_be_replaced() {
    let mut case = that_stopped(false, Command::Join);
    was_joining(&mut case, true);
    case.always(2, |record| record.confirmed = 0);
    assert_eq!(case.breaches(), [].into());
    case.always(2, |record| record.joining = false);
    case.after(2).joining = true;
    assert_eq!(case.breaches(), [Rule::Join].into(), "of another epoch, and not read");
    case.seen.replicas.get_mut(&name(2)).unwrap().claims[0].bound = false;
    assert_eq!(case.breaches(), [Rule::Join].into(), "it was started before");
    case.always(2, |record| record.starts = 0);
    case.after(2).starts = 1;
    assert_eq!(case.breaches(), [].into(), "there never was a volume");
    case.always(2, |record| record.reading = None);
    case.seen.replicas.get_mut(&name(2)).unwrap().claims[0].bound = true;
    assert_eq!(case.breaches(), [Rule::Join].into(), "it was not read");
}
