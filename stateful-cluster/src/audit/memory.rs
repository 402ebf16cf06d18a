//! What a plan remembers.

use super::{Breach, Evidence, Rule};
use crate::names::Identity;
use crate::observation::{Life, Node, Pod, Trust};
use crate::target::Revision;
use crate::timer::Timer;

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

/// What is remembered of a template decides what is gone back to.
pub(super) fn judges_templates(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let (seen, before, after) = (evidence.seen, evidence.before, &evidence.plan.memory);
    let works = |pod: &Pod, with: &Revision| {
        pod.revision == *with && pod.life == Life::Available && pod.trust == Trust::Sound
    };
    let all_work =
        |with: &Revision| seen.pods.values().filter(|pod| !pod.leaving).all(|pod| works(pod, with));
    let is_proven = before.proven == after.proven || after.proven.as_ref().is_some_and(all_work);
    let shows = |(name, pod): (&Identity, &Pod), of: &Revision| {
        let is_heard = !matches!(pod.node, Node::Silent | Node::Gone);
        !pod.leaving && is_heard && !works(pod, of) && pod.revision == *of && !before.excused.contains(name)
    };
    let has_failed = |of: &Revision| {
        let is_shown = seen.rejected.contains(of) || seen.pods.iter().any(|pod| shows(pod, of));
        is_shown && *of == seen.target.revision && seen.is_ripe(&Timer::Stuck(of.clone()))
    };
    let failed = after.failed.as_ref().filter(|_| before.failed != after.failed);
    if !is_proven || !failed.is_none_or(has_failed) {
        found.push(Breach { rule: Rule::Template, identity: None });
    }
}
