//! Bugs of a plan that goes on from a member by which the set lives on.

use super::{Case, each_is_caught, power_cut, running};
use crate::audit::Rule;
use crate::fixture::{holder, name};
use crate::memory::Outage;
use crate::observation::{AttemptState, Command};
use crate::plan::Step;
use crate::target::Mode;

/// A second primary is made beside the one that serves: x-1 beside x-0.
pub(super) fn beside() -> Case {
    let mut world = running(true);
    world.seen.target.primaries = 2;
    let case = Case::that_sends(world, Command::Promote);
    assert!(case.plan.memory.outage.is_none());
    case
}

#[test]
fn a_primary_beside_one_that_serves_needs_no_word() {
    let mut case = beside();
    case.seen.target.mode = Mode::PlanOnly;
    each_is_caught(
        &case,
        &[
            ("that one is of an older epoch", &[Rule::Consent, Rule::Unpromised], |case| {
                case.always(0, |record| record.confirmed = 0);
            }),
            ("that one's data is being replaced", &[Rule::Consent], |case| {
                case.always(0, |record| record.joining = true);
            }),
            (
                "that one is not heard",
                &[Rule::Consent, Rule::Fence, Rule::Unpromised, Rule::WrongPlace],
                |case| case.answers(0, None),
            ),
        ],
    );
}

#[test]
fn a_primary_instead_of_one_that_is_lost_needs_a_word() {
    let mut world = running(true);
    world.restart(0);
    each_is_caught(
        &Case::that_sends(world, Command::Promote),
        &[
            ("nobody was asked", &[Rule::Consent], |case| case.seen.target.mode = Mode::Ask),
            ("nothing was to be done", &[Rule::Consent], |case| case.seen.target.mode = Mode::PlanOnly),
        ],
    );
}

/// The primary was stopped for another template, and x-1 or x-2 takes its place without a word.
fn after_planned_stop() -> Case {
    let mut world = running(true);
    world.seen.target.mode = Mode::Ask;
    world.change_template();
    Case::that_sends(world, Command::Promote)
}

#[test]
fn a_change_that_was_planned_needs_no_word() {
    each_is_caught(
        &after_planned_stop(),
        &[
            ("it was not planned", &[Rule::Consent], |case| {
                case.always(0, |record| record.planned_stop = None)
            }),
            ("it was started since", &[Rule::Consent], |case| {
                case.always(0, |record| record.planned_stop = record.planned_stop.map(|starts| starts - 1));
            }),
            ("it is planned in this very look", &[Rule::Consent], |case| {
                case.before(0).for_each(|record| record.planned_stop = None);
            }),
        ],
    );
}

#[test]
fn a_planned_stop_is_written_with_the_stop_alone() {
    let mut world = running(true);
    world.seen.target.mode = Mode::Ask;
    world.change_template();
    let stops_primary = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Stop && run.replica == name(0));
    let case = Case::that(world, stops_primary);
    assert!(case.plan.memory.holders[&holder(0)].planned_stop.is_some());
    each_is_caught(
        &case,
        &[
            ("it is not stopped", &[Rule::Consent], |case| case.plan.steps.clear()),
            ("it is not stopped, and was to be before", &[Rule::Consent], |case| {
                case.always(0, |record| record.planned_stop = Some(record.starts));
                case.plan.steps.clear();
            }),
        ],
    );
    let mut under_way = case;
    under_way.always(0, |record| record.planned_stop = Some(record.starts));
    under_way.plan.steps.clear();
    under_way.attempt(0, Command::Stop, AttemptState::Running);
    assert_eq!(under_way.breaches(), [].into(), "its stop is under way");
}

fn name_seed(case: &mut Case, ordinal: u32) {
    let list = Some(vec![holder(1)]);
    let outage = Some(Outage { candidates: list, named: Some(holder(ordinal)), ..Outage::default() });
    (case.memory.outage, case.plan.memory.outage) = (outage.clone(), outage);
}

#[test]
fn who_named_the_seed_is_not_asked_again() {
    let mut case = Case::that_seeds(power_cut());
    case.seen.target.mode = Mode::Ask;
    name_seed(&mut case, 1);
    each_is_caught(
        &case,
        &[
            ("another was named", &[Rule::Consent, Rule::Candidates], |case| name_seed(case, 2)),
            ("nothing was to be done", &[Rule::Consent], |case| case.seen.target.mode = Mode::PlanOnly),
        ],
    );
}
