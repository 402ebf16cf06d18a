//! Bugs of a plan that changes who is primary.

use super::consents::beside;
use super::{Case, each_is_caught, running};
use crate::audit::Rule;
use crate::fixture::start;
use crate::names::ReplicaName;
use crate::observation::Command;
use crate::position::{History, Position};
use crate::record::{Reading, Record, Taken};
use crate::start::{Start, StartKind};
use crate::timer::{Age, Timer};

#[test]
fn no_more_primaries_are_made_than_are_wanted() {
    let mut world = running(true);
    world.seen.target.primaries = 2;
    world.settle();
    world.seen.target.primaries = 1;
    each_is_caught(
        &Case::that_sends(world, Command::Demote),
        &[("it follows already", &[Rule::Fence], |case| {
            let ReplicaName(of) = case.run().replica.clone();
            case.answers(of.rsplit('-').next().unwrap().parse().unwrap(), Some(0));
        })],
    );
    let mut world = running(true);
    (0..3).for_each(|ordinal| world.reboot(ordinal));
    each_is_caught(
        &Case::that_seeds(world),
        &[("none is wanted", &[Rule::Fence, Rule::SecondSeed], |case| case.seen.target.primaries = 0)],
    );
}

#[test]
fn beside_a_primary_that_serves_nobody_is_replaced() {
    let mut case = beside();
    assert_eq!(case.breaches(), [].into());
    case.answers(2, Some(7));
    case.always(2, |record| (record.running, record.reading, record.left) = (None, None, false));
    assert_eq!(case.breaches(), [].into(), "of who does not run nobody knows what it holds");
}

/// What the audit says where one of two secondaries is promoted, the old primary is given up, and the other secondary
/// stopped.
fn promoted(other: impl Fn(&mut Record)) -> bool {
    let mut world = running(true);
    world.restart(0);
    let mut case = Case::that_sends(world, Command::Promote);
    let (promoted, stopped) = if case.run().replica.0 == "x-1" { (1, 2) } else { (2, 1) };
    let mut taken = case.after(promoted).running.clone().unwrap();
    taken.container = case.seen.pod_mut(stopped).container.clone().unwrap().id.unwrap();
    case.always(0, |record| record.waived = true);
    case.answers(stopped, Some(7));
    case.always(stopped, |record| {
        record.open.clear();
        let taken = Taken { starts: record.starts, ..taken.clone() };
        (record.left, record.running, record.reading) = (true, None, Some(taken));
        other(record);
    });
    let found = case.breaches();
    assert!(found.is_empty() || found == [Rule::Fence].into(), "{found:?}");
    found.is_empty()
}

fn holds(record: &mut Record, position: Position) {
    record.reading.as_mut().unwrap().reading = Reading::At(position);
}

#[test]
fn who_is_promoted_holds_what_is_known_of_those_that_do_not_run() {
    let more = || Position::History(History::up_to("line", 99));
    assert!(promoted(|_| {}), "it holds the same");
    assert!(!promoted(|record| holds(record, more())));
    assert!(promoted(|record| holds(record, Position::Ordinal(99))), "a bare number from before it left");
    assert!(!promoted(|record| {
        holds(record, Position::Ordinal(99));
        record.left = false;
    }));
    for excuse in [
        |record: &mut Record| record.waived = true,
        |record: &mut Record| record.ended = true,
        |record: &mut Record| record.joining = true,
        |record: &mut Record| record.confirmed = 0,
    ] {
        assert!(promoted(|record| {
            holds(record, more());
            excuse(record);
        }));
    }
}

/// Somebody was told to lead or to follow, and does not answer so.
fn turning(case: &mut Case, ordinal: u32, kind: StartKind) {
    case.always(ordinal, |record| {
        let container = record.open[0].container.clone();
        record.open.push(Start { kind, container, confirmed: false, ..start(ordinal, "told") });
    });
}

#[test]
fn nobody_is_turned_while_another_was_told_to_and_may_yet() {
    let mut world = running(true);
    world.seen.target.primaries = 2;
    world.settle();
    world.seen.target.primaries = 1;
    let mut case = Case::that_sends(world, Command::Demote);
    assert_eq!(case.breaches(), [].into());
    turning(&mut case, 2, StartKind::Promote);
    assert_eq!(case.breaches(), [Rule::Fence].into(), "a follower may lead yet");
    case.answers(2, Some(8));
    case.always(2, |record| record.open.last_mut().unwrap().confirmed = true);
    assert!(!case.breaches().contains(&Rule::Fence), "it does");
    case.answers(2, Some(0));
    case.always(2, |record| record.open.last_mut().unwrap().confirmed = false);
    case.seen.ages.insert(Timer::Deadline("told".into()), Age::Ripe);
    assert_eq!(case.breaches(), [].into(), "that came to nothing");
}
