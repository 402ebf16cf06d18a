//! What a plan remembers.

use super::{Breach, Evidence, Rule};

/// A promise ends when its pod is seen, was refused, or cannot come any more; a replacement counts for its window.
pub(super) fn forgets_nothing(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let (seen, after) = (evidence.seen, &evidence.plan.memory);
    let outstanding: Vec<_> = evidence.outstanding().collect();
    let uncached =
        evidence.before.given.keys().filter(|name| seen.pods.get(*name).is_some_and(|pod| !pod.cached));
    let lost = outstanding.iter().copied().chain(uncached).filter(|name| !after.given.contains_key(*name));
    found.extend(lost.map(|identity| Breach::of(Rule::Forgotten, identity)));
    let lost = evidence.spent().filter(|identity| !after.spent.contains(*identity));
    found.extend(lost.map(|identity| Breach::of(Rule::Forgotten, identity)));
}
