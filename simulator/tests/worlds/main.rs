//! All small worlds: three members, each in every state that its records, readings, starts, pod and
//! answer can be in together. In each the plan must pass the audit and a law of its own.

#![allow(clippy::print_stdout, reason = "the counts are what a person asks of these tests")]

mod keys;
mod law;
mod lies;
mod member;
mod world;

use lies::lies;
use member::{Member, State};
use planner::{Memory, Observation, Plan, judge, questions};
use simulator::{Positions, policy, sampled};
use std::collections::BTreeSet;
use std::time::Instant;
use world::{Kind, World};

/// Keys are given in one of so many worlds: each key is a plan of its own.
const KEYS_OF: usize = 4;

/// For each change of the source one in so many worlds is looked at. The number has no factor in common with `KEYS_OF`, so
/// that keys are given in some of them.
const SAMPLE: u64 = 27;

/// The question and its answer, by an honest policy.
fn asked(mut seen: Observation, memory: &Memory) -> Observation {
    let asked = questions(&seen, memory);
    seen.verdicts = judge(policy(Positions::Lineages), &asked);
    seen
}

/// What is wrong with the plan of this world, if anything is.
fn fault(world: &World, seen: &Observation, memory: &Memory, plan: &Plan) -> Option<String> {
    let audit = planner::audit(seen, memory, plan)
        .err()
        .map(|breaches| breaches.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "));
    audit.map(|breaches| format!("audit: {breaches}")).or_else(|| law::broken(world, plan))
}

fn check(world: &World, turn: usize, faults: &mut Vec<String>) -> u64 {
    let (seen, memory) = world.looked_at();
    let seen = asked(seen, &memory);
    if turn.is_multiple_of(KEYS_OF) {
        let plan = planner::decide(&seen, &memory);
        let idle = keys::idle(world, &seen, &memory, &plan);
        let told = |what| format!("{what}\n  {world:?}\n  steps {:?}\n  holds {:?}", plan.steps, plan.holds);
        faults.extend(idle.map(told));
    }
    let mut looks = lies(&seen, turn);
    looks.push(seen);
    for seen in &looks {
        let plan = planner::decide(seen, &memory);
        if let Some(what) = fault(world, seen, &memory, &plan) {
            faults.push(format!("{what}\n  {world:?}\n  steps {:?}", plan.steps));
        }
    }
    looks.len() as u64
}

/// Names and order of three members mean little: each set of three is looked at in one order only,
/// and that order changes from set to set.
fn each(kind: Kind, faults: &mut Vec<String>) -> (u64, u64) {
    let mut members = Member::all();
    // Where all are primaries nobody answers as a secondary.
    members.retain(|member| kind == Kind::FollowedRipe || member.state != State::Secondary);
    let (mut worlds, mut looks) = (0_u64, 0);
    let step = sampled(SAMPLE, 1);
    for a in 0..members.len() {
        for b in a..members.len() {
            for c in b..members.len() {
                let mut order = [a, b, c];
                order.rotate_left((a + b + c) % 3);
                let world = World { kind, members: order.map(|at| members[at]) };
                worlds += 1;
                if !worlds.is_multiple_of(step) {
                    continue;
                }
                looks += check(&world, a + b + c, faults);
            }
        }
    }
    (worlds, looks)
}

fn all_are_lawful(kind: Kind, at_least: u64) {
    let (began, mut faults) = (Instant::now(), Vec::new());
    let (worlds, looks) = each(kind, &mut faults);
    println!("{kind:?}: {worlds} worlds, {looks} looks, {:.1} s", began.elapsed().as_secs_f64());
    let mut told = BTreeSet::new();
    for fault in &faults {
        let kind: String =
            fault.chars().filter(|c| !c.is_ascii_hexdigit()).take_while(|c| *c != '\n').collect();
        if told.insert(kind) {
            println!("{fault}");
        }
    }
    assert!(faults.is_empty(), "{} of {looks} plans are wrong", faults.len());
    assert!(worlds >= at_least, "{worlds} worlds are less than there were");
}

#[test]
fn no_plan_for_a_set_of_primaries_breaks_a_law() {
    all_are_lawful(Kind::Equal, 390_000);
}

#[test]
fn nor_does_one_when_everything_has_ripened() {
    all_are_lawful(Kind::EqualRipe, 390_000);
}

#[test]
fn nor_does_one_for_a_set_with_secondaries() {
    all_are_lawful(Kind::FollowedRipe, 490_000);
}

#[test]
fn a_planner_that_forgets_its_promise_or_seeds_the_wrong_one_is_found_out() {
    let world = World::outage([9, 5, 5]);
    let (seen, memory) = world.looked_at();
    let seen = asked(seen, &memory);
    let plan = planner::decide(&seen, &memory);
    assert_eq!(fault(&world, &seen, &memory, &plan), None);
    assert_eq!(plan.steps.len(), 1, "{:?}", plan.steps);

    let forgetful = Plan { memory: memory.clone(), ..plan.clone() };
    assert!(fault(&world, &seen, &memory, &forgetful).is_some(), "the promise was dropped");
    assert!(law::broken(&world, &forgetful).is_some(), "and the law sees it alone");

    let mut led = plan.clone();
    world.name_as_peer(&mut led, 1);
    assert!(fault(&world, &seen, &memory, &led).is_some(), "it is told of one that does not run");
    assert!(law::broken(&world, &led).is_some(), "and the law sees it alone");

    let mut wrong = plan.clone();
    world.seed_instead(&mut wrong, 1);
    assert!(fault(&world, &seen, &memory, &wrong).is_some(), "another one is seeded");
    assert!(law::broken(&world, &wrong).is_some(), "and the law sees it alone");
}
