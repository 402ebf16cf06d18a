//! Bugs of a plan that changes who is primary.

use super::consents::beside;
use super::{Case, each_is_caught, each_is_right, running};
use crate::audit::Rule;
use crate::decide;
use crate::decision::{Treatment, Verdict};
use crate::fixture::name;
use crate::names::ReplicaName;
use crate::observation::Command;
use crate::position::{History, Position};
use crate::record::{Reading, Record, Taken};
use crate::start::StartKind;
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
    case.keeps(Rule::Fence)
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

/// The plan that tells x-1, which follows, whom to follow.
fn follows_another() -> Case {
    let mut case = Case::settled(running(true));
    let answer = Treatment::RunSecondary { follow: Some(name(0)) };
    case.seen.verdicts.replicas.insert(name(1), Verdict::Proposed { answer, why: String::new() });
    case.plan = decide(&case.seen, &case.memory);
    let run = case.run();
    assert_eq!((run.command, &run.replica), (Command::Follow, &name(1)));
    case
}

fn told_to_lead(case: &mut Case) {
    case.always(1, |record| (record.open[0].kind, record.open[0].confirmed) = (StartKind::Promote, false));
}

#[test]
fn who_was_told_to_lead_and_may_yet_is_not_told_to_follow() {
    each_is_caught(&follows_another(), &[("it was told to lead a moment ago", &[Rule::Fence], told_to_lead)]);
    each_is_right(
        &follows_another(),
        &[("its time to come to lead is over", |case| {
            told_to_lead(case);
            let id = case.after(1).open[0].attempt.clone();
            case.seen.ages.insert(Timer::Deadline(id), Age::Ripe);
        })],
    );
}
