//! Bugs of a plan that turns a second member, or takes away who led.

use super::{Case, running};
use crate::audit::Rule;
use crate::fixture::{name, start};
use crate::observation::{Command, Role};
use crate::plan::{Cause, Step};
use crate::position::{History, Position};
use crate::record::{Reading, Record};
use crate::start::{Start, StartKind};
use crate::target::Failover;
use crate::timer::{Age, Timer};

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

/// What the audit says where a primary that leaves was stopped and read, and its pod goes while the others follow.
pub(super) fn taken_away(change: fn(&mut Case)) -> bool {
    let mut case = Case::settled(running(true));
    case.seen.target.replicas = 2;
    case.seen.target.failover = Failover::NoKnownLoss;
    case.answers(0, Some(0));
    case.seen.pod_mut(0).active = Some(true);
    case.always(0, |record| record.last = Some(Role::Secondary));
    case.answers(2, Some(7));
    case.always(2, |record| {
        record.open.clear();
        record.last = Some(Role::Primary);
    });
    let container = case.seen.pod_mut(2).container.clone().unwrap().id.unwrap();
    case.always(2, |record| {
        let starts = record.starts;
        *record = record.clone().at(9);
        let taken = record.reading.as_mut().unwrap();
        (taken.starts, taken.container) = (starts, container.clone());
    });
    case.plan.steps.push(Step::Resize { to: 2, if_from: 3, released: Vec::new(), cause: Cause::Size });
    change(&mut case);
    case.keeps(Rule::Size)
}

/// Another is primary, and was before.
pub(super) fn leads(case: &mut Case) {
    case.answers(0, Some(8));
    case.always(0, |record| record.last = Some(Role::Primary));
}

#[test]
fn who_led_is_not_taken_away_before_another_has_its_place() {
    assert!(!taken_away(|_| {}));
    assert!(!taken_away(|case| _ = case.seen.ages.insert(Timer::Leaving(name(2)), Age::Ripe)), "in no time");
    assert!(taken_away(leads), "another is primary");
    assert!(taken_away(|case| case.always(2, |record| record.waived = true)), "it was given up");
    assert!(taken_away(|case| case.always(2, |record| record.joining = true)), "its data was replaced");
    assert!(taken_away(|case| case.always(2, |record| record.last = Some(Role::Secondary))), "it followed");
    assert!(taken_away(|case| case.seen.target.failover = Failover::Never), "a person is to say who leads");
    assert!(taken_away(|case| case.seen.target.primaries = 0), "nobody is to lead");
}

/// Of no epoch, as far as anybody knows.
fn never_led(case: &mut Case) {
    (case.memory.epoch, case.plan.memory.epoch) = Default::default();
    (0..3).for_each(|n| case.always(n, |record| (record.confirmed, record.epoch) = Default::default()));
}

#[test]
fn who_is_of_no_epoch_leads_nobody_and_owes_no_reading() {
    assert!(taken_away(never_led));
    assert!(taken_away(|case| {
        never_led(case);
        case.always(2, |record| (record.reading, record.last) = (None, None));
    }));
}

#[test]
fn where_nobody_follows_nobody_waits_for_another_to_lead() {
    assert!(taken_away(|case| [0, 1].into_iter().for_each(|ordinal| case.answers(ordinal, Some(7)))));
}

/// Whether a secondary may be promoted in place of x-0, which held more, where that is so of it.
fn replaces(change: impl Fn(&mut Record)) -> bool {
    let mut world = running(true);
    world.restart(0);
    let mut case = Case::that_sends(world, Command::Promote);
    assert_eq!(case.breaches(), [].into());
    let mut taken = case.after(0).reading.clone().unwrap();
    taken.reading = Reading::At(Position::Ordinal(99));
    case.always(0, |record| {
        record.reading = Some(taken.clone());
        change(record);
    });
    case.keeps(Rule::Fence)
}

#[test]
fn nobody_replaces_an_old_primary_whose_position_went_back() {
    let replaces = |base: u64, failover| {
        let mut world = running(true);
        world.restart(0);
        let mut case = Case::that_sends(world, Command::Promote);
        case.begins_with(Position::History(History::up_to("line", base)), 0);
        case.seen.target.failover = failover;
        case.keeps(Rule::Fence)
    };
    assert!(replaces(1, Failover::NoKnownLoss), "its position did not go back");
    assert!(!replaces(99, Failover::NoKnownLoss));
    assert!(replaces(99, Failover::AllowLoss), "the resource allows the loss");
}

#[test]
fn what_an_old_primary_held_is_owed_unless_it_was_being_replaced_or_had_left() {
    assert!(!replaces(|_| {}));
    assert!(replaces(|record| record.joining = true));
    assert!(replaces(|record| record.left = true), "a bare number of who stopped while another served");
}
