//! Bugs of a plan that does something beside what goes on already.

use super::{Case, each_is_caught, power_cut, running};
use crate::audit::Rule;
use crate::fixture::name;
use crate::observation::{AttemptState, Command};
use crate::record::HolderId;
use crate::timer::{Age, Timer};

/// A member is stopped for a rollout whose start is a command in the foreground: it runs as long as the member.
fn rollout() -> Case {
    let mut world = running(false);
    world.seen.workload.as_mut().unwrap().revision = "r2".into();
    let mut case = Case::that_sends(world, Command::Stop);
    goes_on(&mut case, Command::Join);
    case
}

fn ordinal(case: &mut Case) -> u32 {
    let replica = case.run().replica.clone();
    case.seen.replicas[&replica].ordinal
}

/// The start by which the member runs is seen running, or another command of the same name.
fn goes_on(case: &mut Case, command: Command) {
    let ordinal = ordinal(case);
    let id = case.after(ordinal).open[0].attempt.clone();
    let mut attempt = case.run().attempt(AttemptState::Running);
    attempt.command = command;
    case.seen.attempts.insert(id, attempt);
}

fn is_unconfirmed(case: &mut Case) {
    let ordinal = ordinal(case);
    case.always(ordinal, |record| record.open[0].confirmed = false);
}

fn is_late(case: &mut Case) {
    let ordinal = ordinal(case);
    let id = case.after(ordinal).open[0].attempt.clone();
    case.seen.ages.insert(Timer::Deadline(id), Age::Ripe);
}

#[test]
fn a_start_that_goes_on_is_in_the_way_until_its_member_is_confirmed_or_it_is_late() {
    each_is_caught(
        &rollout(),
        &[
            ("its member is not confirmed", &[Rule::SecondCommand], is_unconfirmed),
            ("it is no start, and is late", &[Rule::SecondCommand], |case| {
                goes_on(case, Command::Read);
                is_late(case);
            }),
        ],
    );
    let mut late = rollout();
    is_unconfirmed(&mut late);
    is_late(&mut late);
    assert_eq!(late.breaches(), [].into());
}

#[test]
fn nobody_joins_whose_claim_is_not_there() {
    let mut world = running(false);
    world.restart(2);
    each_is_caught(
        &Case::that_sends(world, Command::Join),
        &[(
            "data without a claim is spoken of",
            &[Rule::Join, Rule::Epoch, Rule::Forgotten, Rule::Unpromised],
            |case| {
                case.seen.replicas.get_mut(&name(2)).unwrap().claims.clear();
                let mut record = case.after(2).clone();
                record.holder = HolderId::Claims(Vec::new());
                case.after(2).open.retain(|start| !record.open.contains(start));
                case.after(2).starts -= 1;
                case.plan.memory.holders.insert(record.holder.clone(), record);
            },
        )],
    );
}

#[test]
fn an_outage_goes_on_until_somebody_runs() {
    let mut world = power_cut();
    let _plan = world.round();
    let (plan, _) = world.try_round();
    let case = Case { seen: world.seen, memory: world.memory, plan };
    assert!(case.memory.outage.is_some());
    each_is_caught(
        &case,
        &[("it is said to be over", &[Rule::Candidates], |case| case.plan.memory.outage = None)],
    );
}
