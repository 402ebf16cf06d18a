//! What a plan remembers.

use super::{Breach, Evidence, Rule};
use crate::timer::Timer;

/// A promise ends when its pod is seen, was refused, or cannot come any more; a replacement counts for its window.
pub(super) fn forgets_nothing(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let (seen, after) = (evidence.seen, &evidence.plan.memory);
    let outstanding: Vec<_> = evidence.outstanding().collect();
    let uncached =
        evidence.before.given.keys().filter(|name| seen.pods.get(*name).is_some_and(|pod| !pod.cached));
    let lost = outstanding.iter().copied().chain(uncached).filter(|name| !after.given.contains_key(*name));
    found.extend(lost.map(|identity| Breach::of(Rule::Forgotten, identity)));
    let counts = |identity: &&crate::names::Identity| {
        let born = seen.pods.contains_key(*identity) || outstanding.contains(identity);
        let never_was = !born && evidence.before.given.contains_key(*identity);
        !never_was && !seen.is_ripe(&Timer::Spent((*identity).clone()))
    };
    let lost =
        evidence.before.spent.iter().filter(counts).filter(|identity| !after.spent.contains(*identity));
    found.extend(lost.map(|identity| Breach::of(Rule::Forgotten, identity)));
}
