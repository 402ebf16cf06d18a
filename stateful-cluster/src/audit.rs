//! A second opinion on a plan, by code that did not make it and knows none of the rules.
//!
//! It reads the look, what was remembered before it and the plan, and asks of each guarantee whether it holds.
//! A breach means that nothing is done in this round.

mod births;
mod breach;
mod claims;
mod consent;
mod departures;
mod memory;
#[cfg(test)]
mod planted;

pub use breach::{Breach, Rule};

use crate::memory::{Memory, Why};
use crate::names::{ClaimTemplate, Identity};
use crate::observation::{Birth, Claim, Observation};
use crate::plan::{Plan, Step};
use crate::timer::Timer;
use std::collections::BTreeSet;

/// What the audit reads.
struct Evidence<'a> {
    seen: &'a Observation,
    before: &'a Memory,
    plan: &'a Plan,
}

/// A guarantee, asked of one plan: what breaks it is added to the list.
type Check = fn(&Evidence<'_>, &mut Vec<Breach>);

const CHECKS: [Check; 17] = [
    paused_is_paused,
    births::are_of_new_identities,
    births::are_of_who_is_kept,
    births::are_promised,
    births::leave_room,
    births::keep_to_the_budget,
    consent::is_given,
    consent::leaves_places,
    departures::have_a_cause,
    departures::leave_enough,
    departures::are_not_of_the_dark,
    departures::keep_to_the_budget,
    departures::wait_for_who_came,
    claims::are_of_a_living_pod,
    claims::are_deleted_unused,
    memory::forgets_nothing,
    memory::judges_templates,
];

/// Checks a plan on the evidence of its own look.
///
/// # Errors
/// Every guarantee that the plan breaks, each with the identity that it is about.
pub fn audit(seen: &Observation, before: &Memory, plan: &Plan) -> Result<(), Vec<Breach>> {
    let evidence = Evidence { seen, before, plan };
    let mut found = Vec::new();
    for check in CHECKS {
        check(&evidence, &mut found);
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn paused_is_paused(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let Evidence { seen, before, plan } = evidence;
    if seen.target.paused && (!plan.steps.is_empty() || plan.memory != **before) {
        found.push(Breach { rule: Rule::Paused, identity: None });
    }
}

// === impl Evidence ===

impl<'a> Evidence<'a> {
    /// Identities that the plan gives.
    fn births(&self) -> impl Iterator<Item = &'a Identity> {
        self.made().filter(|(_, why)| *why != Why::Return).map(|(identity, _)| identity)
    }

    /// Identities whose pods the plan makes once more.
    fn returns(&self) -> impl Iterator<Item = &'a Identity> {
        self.made().filter(|(_, why)| *why == Why::Return).map(|(identity, _)| identity)
    }

    fn made(&self) -> impl Iterator<Item = (&'a Identity, Why)> {
        self.plan.steps.iter().filter_map(|step| match step {
            Step::CreatePod { identity, why, .. } => Some((identity, *why)),
            _ => None,
        })
    }

    /// An owner decides who goes, has not given this one up, and there is something of it.
    fn is_kept(&self, identity: &Identity) -> bool {
        let seen = self.seen;
        let is_its_own =
            |((of, _), claim): (&(Identity, ClaimTemplate), &Claim)| of == identity && !claim.leaving;
        seen.target.released.as_ref().is_some_and(|released| !released.contains(identity))
            && seen.claims.iter().any(is_its_own)
    }

    /// Who has a place: whoever stands or may come, and whoever an owner has not given up and has a claim.
    fn places(&self) -> BTreeSet<&'a Identity> {
        let seen = self.seen;
        let standing = seen.pods.iter().filter(|(_, pod)| !pod.leaving).map(|(identity, _)| identity);
        let kept = |identity: &&Identity| {
            seen.target.released.as_ref().is_some_and(|released| !released.contains(*identity))
        };
        let claims =
            seen.claims.iter().filter(|(_, claim)| !claim.leaving).map(|((identity, _), _)| identity);
        standing.chain(self.outstanding()).chain(claims.filter(kept)).collect()
    }

    /// What was given before this look and did not show itself since, nor is known to be refused or over.
    fn outstanding(&self) -> impl Iterator<Item = &'a Identity> {
        let seen = self.seen;
        let over = |identity: &Identity| {
            matches!(seen.births.get(identity), Some(Birth::Refused | Birth::Gone))
                || seen.is_ripe(&Timer::Unknown(identity.clone()))
        };
        self.before.given.keys().filter(move |name| !seen.pods.contains_key(*name) && !over(name))
    }

    /// Who took the place of another one within the window. What never was counts for nothing.
    fn spent(&self) -> impl Iterator<Item = &'a Identity> {
        let never_were = self.never_were(Why::Replacement);
        let counts = move |identity: &&Identity| {
            !never_were.contains(identity) && !self.seen.is_ripe(&Timer::Spent((*identity).clone()))
        };
        self.before.spent.iter().filter(counts)
    }

    /// Whom this was given for, and of whom no pod was ever seen or granted: none will be, either. That nobody took a place
    /// takes a refusal: of one that is not heard of a pod may have been made, and removed.
    fn never_were(&self, of: Why) -> BTreeSet<&'a Identity> {
        let seen = self.seen;
        let outstanding: BTreeSet<_> = self.outstanding().collect();
        let was = |name: &Identity| {
            seen.pods.contains_key(name)
                || outstanding.contains(name)
                || seen.births.get(name) == Some(&Birth::Gone)
                || (of == Why::Replacement && seen.births.get(name) != Some(&Birth::Refused))
        };
        let given = self.before.given.iter().filter(|(name, why)| **why == of && !was(name));
        given.map(|(name, _)| name).collect()
    }

    /// Pods that the size has called for before this look, those left out that never were.
    fn grown(&self) -> usize {
        let number = |number| usize::try_from(number).unwrap_or(usize::MAX);
        let grown = number(self.before.grown).saturating_sub(self.never_were(Why::Growth).len());
        let standing = self.seen.pods.values().filter(|pod| !pod.leaving).count();
        grown.max(standing).min(number(self.seen.target.replicas))
    }
}
