//! Claims that a plan makes or deletes.

use super::{Breach, Evidence, Rule};
use crate::observation::Life;
use crate::plan::Step;
use crate::target::Retention;

/// A claim is made for the pod that is seen, and never where there is one already.
pub(super) fn are_of_a_living_pod(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let seen = evidence.seen;
    for step in &evidence.plan.steps {
        let Step::CreateClaim { identity, template, if_pod } = step else { continue };
        let lives =
            |pod: &crate::observation::Pod| pod.uid == *if_pod && !pod.leaving && pod.life != Life::Ended;
        let asked_for = seen.target.claims.contains(template)
            && !seen.claims.contains_key(&(identity.clone(), template.clone()));
        if !asked_for || !seen.pods.get(identity).is_some_and(lives) {
            found.push(Breach::of(Rule::OwnClaim, identity));
        }
    }
}

/// What may still be mounted is not deleted, nor what a person wants to keep.
pub(super) fn are_deleted_unused(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let seen = evidence.seen;
    for step in &evidence.plan.steps {
        let Step::DeleteClaim { identity, template, if_claim } = step else { continue };
        let claim = seen.claims.get(&(identity.clone(), template.clone()));
        let unused = claim.is_some_and(|claim| claim.uid == *if_claim && claim.mounted_by.is_empty());
        let may_come =
            seen.pods.contains_key(identity) || evidence.outstanding().any(|name| name == identity);
        if !unused || may_come || seen.target.when_removed != Retention::Delete {
            found.push(Breach::of(Rule::UnusedClaim, identity));
        }
    }
}
