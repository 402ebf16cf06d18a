//! Pods that are made and may not be.

use super::{Case, Rule, is_caught, one_is_gone};
use crate::fixture::{add, healthy, identity, settled};
use crate::memory::Why;
use crate::observation::{Birth, Life, Taken};
use crate::plan::Step;
use crate::timer::Timer;

fn rename(case: &mut Case, to: u32) {
    let Some(Step::CreatePod { identity: name, why, .. }) = case.plan.steps.first_mut() else {
        panic!("no birth")
    };
    case.plan.memory.given.remove(name);
    case.plan.memory.spent.remove(name);
    *name = identity(to);
    case.plan.memory.given.insert(identity(to), *why);
    case.plan.memory.spent.insert(identity(to));
}

#[test]
fn an_identity_that_is_given_twice_is_caught() {
    let rule = Rule::NewIdentity;
    is_caught("the identity of the one that is gone", &one_is_gone(), rule, |case| rename(case, 1));
    is_caught("a name that another pod has", &one_is_gone(), rule, |case| {
        let of = case.plan.steps[0].identity().clone();
        case.seen.taken.insert(of, Taken::Leaving);
    });
    is_caught("a name that nobody drew", &one_is_gone(), rule, |case| rename(case, 77));
    let mut sound = one_is_gone();
    sound.seen.births.insert(identity(105), Birth::Refused);
    is_caught("a name that was sent before", &sound, rule, |case| rename(case, 105));
}

#[test]
fn a_birth_that_is_not_written_down_is_caught() {
    is_caught("not promised", &one_is_gone(), Rule::Promised, |case| case.plan.memory.given.clear());
    let mut seen = healthy(3);
    seen.gone(1);
    let mut before = settled(3);
    before.given.insert(identity(50), Why::Replacement);
    let sound = Case::of(seen, before);
    is_caught("forgotten", &sound, Rule::Forgotten, |case| case.plan.memory.given.clear());
    let mut sound = sound;
    add(&mut sound.seen, 50);
    is_caught("not yet in the caches", &sound, Rule::Forgotten, |case| {
        case.seen.pod(50).cached = false;
        case.plan.memory.given.clear();
    });
}

#[test]
fn one_too_many_is_caught() {
    let mut seen = healthy(3);
    seen.pod(0).leaving = true;
    let sound = Case::of(seen, settled(3));
    assert_eq!(sound.plan.steps.len(), 1);
    is_caught("two end", &sound, Rule::Room, |case| {
        add(&mut case.seen, 60);
        case.seen.pod(60).leaving = true;
    });
}

#[test]
fn what_is_beyond_the_budget_is_caught() {
    let rule = Rule::Budget;
    is_caught("a replacement too many", &one_is_gone(), rule, |case| case.seen.target.budget = 0);
    is_caught("one that is not counted", &one_is_gone(), rule, |case| case.plan.memory.spent.clear());
    is_caught("one that is called growth", &one_is_gone(), rule, |case| {
        let Some(Step::CreatePod { identity, why, .. }) = case.plan.steps.first_mut() else {
            panic!("no birth")
        };
        *why = Why::Growth;
        case.plan.memory.given.insert(identity.clone(), Why::Growth);
        case.plan.memory.grown = 2;
    });
    let mut seen = healthy(3);
    seen.pod(0).life = Life::Ended;
    let sound = Case::of(seen, settled(3));
    is_caught("thrown away without one to follow", &sound, rule, |case| case.seen.target.budget = 0);
}

#[test]
fn a_replacement_that_was_refused_counts_for_nothing_and_any_other_does() {
    let mut seen = healthy(3);
    seen.gone(0);
    seen.gone(1);
    seen.pod(2).life = Life::Ended;
    let mut before = settled(3);
    for number in [50, 51] {
        seen.births.insert(identity(number), Birth::Refused);
        before.given.insert(identity(number), Why::Replacement);
        before.spent.insert(identity(number));
    }
    let sound = Case::of(seen, before);
    assert_eq!(sound.plan.steps.len(), 3, "one goes, and two come");
    is_caught("they were made, and are gone", &sound, Rule::Forgotten, |case| {
        case.seen.births.values_mut().for_each(|birth| *birth = Birth::Gone);
        case.plan.steps.retain(|step| !matches!(step, Step::DeletePod { .. }));
    });
    is_caught("they may have been made, and are gone", &sound, Rule::Forgotten, |case| {
        case.seen.births.clear();
        for number in [50, 51] {
            case.seen.ripen(Timer::Unknown(identity(number)));
        }
        case.plan.steps.retain(|step| !matches!(step, Step::DeletePod { .. }));
    });
    is_caught("they were there", &sound, Rule::Budget, |case| {
        case.before.given.clear();
        case.plan.memory.spent.extend(case.before.spent.clone());
        case.plan.steps.retain(|step| matches!(step, Step::DeletePod { .. }));
    });
}

#[test]
fn a_pod_that_is_made_again_for_whom_it_may_not_be_is_caught() {
    let rule = Rule::SameIdentity;
    let mut seen = healthy(3);
    seen.gone(1);
    seen.release(&[]);
    let sound = Case::of(seen, settled(3));
    assert_eq!(sound.plan.memory.given, [(identity(1), Why::Return)].into());
    is_caught("it was given up", &sound, rule, |case| case.seen.release(&[1]));
    is_caught("nobody decides about it", &sound, rule, |case| case.seen.target.released = None);
    is_caught("its pod is there", &sound, rule, |case| {
        add(&mut case.seen, 1);
        case.seen.pod(1).cached = false;
    });
    is_caught("its pod may come", &sound, rule, |case| {
        case.before.given.insert(identity(1), Why::Return);
    });
    is_caught("its name is taken", &sound, rule, |case| {
        case.seen.taken.insert(identity(1), Taken::Standing);
    });
    is_caught("its claim is being deleted", &sound, rule, |case| {
        case.seen.claims.get_mut(&(identity(1), "data".into())).unwrap().leaving = true;
    });
    is_caught("it is not promised", &sound, Rule::Promised, |case| case.plan.memory.given.clear());
}
