//! Bugs of a plan that starts the old primary again beside those that follow it (4.7).

use super::{Case, Planted, Right, each_is_caught, each_is_right, running};
use crate::audit::Rule;
use crate::fixture::tried;
use crate::observation::{Command, Role};
use crate::position::{History, Position};
use crate::start::StartKind;
use crate::target::Failover;

const BESIDE: &[Planted] = &[
    ("its seed came to nothing before", &[Rule::SecondSeed], |case| {
        case.always(0, |record| record.tried = Some(tried(0, None, "exit 1")));
    }),
    ("its seed came to nothing before its machine started anew", &[Rule::SecondSeed], |case| {
        let mut failed = tried(0, None, "exit 1");
        failed.boot = "before".into();
        case.always(0, |record| record.tried = Some(failed.clone()));
    }),
    ("its seed was not seen to come up, on a machine that went on", &[Rule::SecondSeed], |case| {
        case.always(0, |record| record.tried = Some(tried(0, None, "")));
    }),
    ("it was no primary", &[Rule::SecondSeed], |case| {
        case.always(0, |record| record.last = Some(Role::Secondary));
    }),
    ("one that follows is being promoted", &[Rule::SecondSeed], |case| {
        case.always(1, |record| record.open[0].kind = StartKind::Promote);
    }),
    ("one that followed may be running", &[Rule::SecondSeed], |case| {
        case.answers(2, None);
    }),
    ("no primary is wanted", &[Rule::SecondSeed, Rule::Fence], |case| case.seen.target.primaries = 0),
    ("it lacks what the epoch began with", &[Rule::LosesData], |case| {
        case.begins_with(Position::History(History::up_to("line", 99)), 0);
    }),
];

const RIGHT: &[Right] = &[
    ("its machine started anew while its seed came up", |case| {
        let mut cut_off = tried(0, None, "");
        cut_off.boot = "before".into();
        case.always(0, |record| record.tried = Some(cut_off.clone()));
    }),
    ("one that followed stopped, and was not read", |case| {
        case.answers(2, Some(7));
        case.always(2, |record| {
            (record.open, record.reading, record.last) = (Vec::new(), None, Some(Role::Secondary));
        });
    }),
    ("the epoch began with a bare number", |case| case.begins_with(Position::Ordinal(99), 0)),
];

#[test]
fn only_the_old_primary_starts_beside_those_that_follow_it() {
    let mut world = running(true);
    world.seen.target.failover = Failover::Never;
    world.restart(0);
    let case = Case::that_sends(world, Command::Seed);
    each_is_right(&case, RIGHT);
    each_is_caught(&case, BESIDE);
}

#[test]
fn those_that_follow_an_old_primary_go_on_with_it_though_nobody_asked_them() {
    let mut world = running(true);
    world.seen.target.failover = Failover::Never;
    world.restart(0);
    let case = Case::that_opens(world);
    assert!(case.plan.memory.epoch.base.is_some());
    each_is_right(
        &case,
        &[("one was never asked while it ran", |case| {
            case.seen.attempts.retain(|_, attempt| attempt.command != Command::Read);
            case.always(1, |record| record.running = None);
        })],
    );
}
