//! Pods that a plan makes.

use super::{Breach, Evidence, Rule};
use crate::memory::Why;
use crate::observation::Life;
use crate::plan::Step;
use std::collections::BTreeSet;

/// An identity is given once: a name that anything bears, or that was given before, may have data of its own.
pub(super) fn are_of_new_identities(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let seen = evidence.seen;
    let mut before = BTreeSet::new();
    for identity in evidence.births() {
        let borne = seen.pods.contains_key(identity)
            || seen.taken.contains_key(identity)
            || seen.births.contains_key(identity)
            || seen.claims.keys().any(|(of, _)| of == identity)
            || seen.claims.values().any(|claim| claim.mounted_by.contains(identity));
        let given = evidence.before.given.contains_key(identity) || evidence.before.spent.contains(identity);
        if borne || given || !seen.fresh.contains(identity) || !before.insert(identity) {
            found.push(Breach::of(Rule::NewIdentity, identity));
        }
    }
}

/// Only who holds something that its owner may need is made again, and only where no other pod of it is or may come, nor
/// anybody's of its name.
pub(super) fn are_of_who_is_kept(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let mut before = BTreeSet::new();
    for identity in evidence.returns() {
        let may_live = evidence.seen.pods.contains_key(identity)
            || evidence.seen.taken.contains_key(identity)
            || evidence.outstanding().any(|outstanding| outstanding == identity);
        if may_live || !evidence.is_kept(identity) || !before.insert(identity) {
            found.push(Breach::of(Rule::SameIdentity, identity));
        }
    }
}

/// Whoever comes after a crash has to know what may land.
pub(super) fn are_promised(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for step in &evidence.plan.steps {
        let Step::CreatePod { identity, why, .. } = step else { continue };
        if evidence.plan.memory.given.get(identity) != Some(why) {
            found.push(Breach::of(Rule::Promised, identity));
        }
    }
}

/// What a kubelet has not declared over may be alive; what was told to end on a node that is silent is set aside.
pub(super) fn leave_room(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let seen = evidence.seen;
    let births = evidence.births().count();
    let silent = |pod: &crate::observation::Pod| {
        matches!(pod.node, crate::observation::Node::Silent | crate::observation::Node::Gone)
    };
    let alive =
        seen.pods.values().filter(|pod| pod.life != Life::Ended && !(pod.leaving && silent(pod))).count();
    let all = alive + evidence.outstanding().count() + births + evidence.returns().count();
    let allowed = usize::try_from(seen.target.replicas).unwrap_or(usize::MAX).saturating_add(1);
    if births > 0 && all > allowed {
        found.push(Breach { rule: Rule::Room, identity: None });
    }
}

/// Whatever is no growth and no update replaces somebody, and is counted.
pub(super) fn keep_to_the_budget(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let (seen, after) = (evidence.seen, &evidence.plan.memory);
    let spends = |why| -> Vec<_> {
        let of = |step: &Step| matches!(step, Step::CreatePod { why: found, .. } if *found == why);
        evidence.plan.steps.iter().filter(|step| of(step)).map(Step::identity).collect()
    };
    let replacements = spends(Why::Replacement);
    let uncounted = replacements.iter().filter(|identity| !after.spent.contains(**identity));
    found.extend(uncounted.map(|identity| Breach::of(Rule::Budget, identity)));
    let over = after.spent.len() > usize::try_from(seen.target.budget).unwrap_or(usize::MAX);
    // As growth counts only what makes it larger than it was ever made.
    let grown = usize::try_from(after.grown).unwrap_or(usize::MAX);
    let standing = seen.pods.values().filter(|pod| !pod.leaving).count();
    let beyond =
        spends(Why::Growth).len() + standing > grown.max(standing) || after.grown > seen.target.replicas;
    let for_no_update = spends(Why::Update).len() > usize::from(is_updating(evidence));
    if (over && !replacements.is_empty()) || (beyond && !spends(Why::Growth).is_empty()) || for_no_update {
        found.push(Breach { rule: Rule::Budget, identity: None });
    }
}

/// Some pod has another template than the one that is made.
fn is_updating(evidence: &Evidence<'_>) -> bool {
    evidence.plan.steps.iter().any(|step| match step {
        Step::CreatePod { revision, why: Why::Update, .. } => {
            let other = |pod: &&crate::observation::Pod| pod.revision.lasting != revision.lasting;
            evidence.seen.pods.values().filter(|pod| !pod.leaving).any(|pod| other(&pod))
        }
        _ => false,
    })
}
