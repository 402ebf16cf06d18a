//! What an owner decides, and pods of nobody.

use super::{Case, Rule, is_caught, updated};
use crate::fixture::{healthy, identity, settled, uid};
use crate::observation::{Life, Taken};
use crate::plan::{Cause, Step};
use crate::target::Retention;

/// The owner of three gave up the one that is gone, whose claim may go too.
fn one_is_given_up() -> Case {
    let mut seen = healthy(3);
    seen.gone(1);
    seen.target.when_removed = Retention::Delete;
    seen.release(&[1]);
    Case::of(seen, settled(3))
}

#[test]
fn what_an_owner_has_no_say_in_is_caught() {
    let rule = Rule::Consent;
    let without = |case: &mut Case, keeps: fn(&Step) -> bool| case.plan.steps.retain(keeps);
    is_caught("a place that was not given up", &one_is_given_up(), rule, |case| {
        case.plan.steps.retain(|step| matches!(step, Step::CreatePod { .. }));
        case.seen.release(&[]);
    });
    let mut sound = one_is_given_up();
    without(&mut sound, |step| matches!(step, Step::DeleteClaim { .. }));
    is_caught("a claim that was not given up", &sound, rule, |case| case.seen.release(&[]));
    let mut seen = healthy(3);
    seen.pod(0).life = Life::Ended;
    seen.release(&[0]);
    let ended = Case::of(seen, settled(3));
    assert_eq!(ended.plan.steps.len(), 1);
    is_caught("a pod that ended", &ended, rule, |case| {
        case.seen.release(&[2]);
    });
    let mut sound = ended.clone();
    sound.seen.claims.remove(&(identity(0), "data".into()));
    is_caught("thrown away beyond the budget", &sound, Rule::Budget, |case| {
        let Some(Step::DeletePod { cause, .. }) = case.plan.steps.first_mut() else { panic!("no end") };
        *cause = Cause::Ended;
        case.seen.release(&[2]);
        case.seen.target.budget = 0;
    });
    is_caught("one that nobody decides about", &ended, Rule::Cause, |case| case.seen.target.released = None);
    is_caught("a template that is written into a pod", &updated(), rule, |case| case.seen.release(&[]));
}

#[test]
fn what_is_done_to_a_pod_of_nobodys_that_has_a_name_of_ours_is_caught() {
    let mut seen = healthy(3);
    seen.gone(1);
    seen.taken.insert(identity(1), Taken::Standing);
    seen.release(&[]);
    let sound = Case::of(seen, settled(3));
    assert_eq!(sound.plan.steps, []);
    is_caught("it is deleted", &sound, Rule::Cause, |case| {
        let (identity, if_pod) = (identity(1), uid(1));
        case.plan.steps.push(Step::DeletePod { identity, if_pod, cause: Cause::Ended });
    });
    is_caught("it is changed", &sound, Rule::Cause, |case| {
        case.seen.release(&[1]);
        case.plan.steps.push(Step::SetAside { identity: identity(1), if_pod: uid(1) });
    });
}
