//! Claims that are made or deleted and may not be.

use super::{Case, Rule, is_caught};
use crate::fixture::{healthy, identity, settled, uid};
use crate::memory::Why;
use crate::target::Retention;

#[test]
fn a_claim_of_another_is_caught() {
    let mut seen = healthy(2);
    seen.claims.remove(&(identity(0), "data".into()));
    let sound = Case::of(seen, settled(2));
    is_caught("of an earlier pod", &sound, Rule::OwnClaim, |case| case.seen.pod(0).uid = uid(8));
    is_caught("there is one", &sound, Rule::OwnClaim, |case| {
        let claim = case.seen.claims[&(identity(1), "data".into())].clone();
        case.seen.claims.insert((identity(0), "data".into()), claim);
    });
}

#[test]
fn a_claim_that_may_be_used_and_is_deleted_is_caught() {
    let mut seen = healthy(3);
    (seen.target.replicas, seen.target.when_removed) = (2, Retention::Delete);
    seen.gone(1);
    let sound = Case::of(seen, settled(2));
    assert_eq!(sound.plan.steps.len(), 1);
    let rule = Rule::UnusedClaim;
    is_caught("it is mounted", &sound, rule, |case| {
        let claim = case.seen.claims.get_mut(&(identity(1), "data".into())).unwrap();
        claim.mounted_by.insert("backup".into());
    });
    is_caught("its pod may come", &sound, rule, |case| {
        case.before.given.insert(identity(1), Why::Growth);
        case.plan.memory.given.insert(identity(1), Why::Growth);
    });
    is_caught("a person keeps it", &sound, rule, |case| case.seen.target.when_removed = Retention::Retain);
}
