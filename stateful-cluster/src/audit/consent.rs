//! What an owner has a say in.

use super::{Breach, Evidence, Rule};
use crate::plan::{Cause, Step};

/// What a pod or a claim holds may be all that there is: only its owner knows.
pub(super) fn is_given(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let Some(released) = &evidence.seen.target.released else { return };
    for step in &evidence.plan.steps {
        let is_harmless = match step {
            Step::CreatePod { .. } | Step::CreateClaim { .. } => true,
            // Its own template is nothing new to it.
            Step::Update { identity, to, .. } => {
                evidence.seen.pods.get(identity).is_some_and(|pod| pod.revision == *to)
            }
            // Nothing of it runs, and nothing will: what it holds is for the next pod of it.
            Step::DeletePod { cause: Cause::Ended, .. } => true,
            Step::SetAside { identity, .. }
            | Step::DeletePod { identity, .. }
            | Step::DeleteClaim { identity, .. } => released.contains(identity),
        };
        if !is_harmless {
            found.push(Breach::of(Rule::Consent, step.identity()));
        }
    }
}

/// A place is free only once whoever had it was given up, whether its pod is there or not.
pub(super) fn leaves_places(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let Some(released) = &evidence.seen.target.released else { return };
    let kept = evidence.places().into_iter().filter(|identity| !released.contains(*identity)).count();
    let births = evidence.births().count();
    let wanted = usize::try_from(evidence.seen.target.replicas).unwrap_or(usize::MAX);
    if births > 0 && kept + births > wanted {
        found.push(Breach { rule: Rule::Consent, identity: None });
    }
}
