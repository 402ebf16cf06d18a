//! Which conditions hold in a look, and for how many seconds each must. The shell measures; see `timer`.

use crate::look::{Look, is_steady, recall};
use crate::memory::Memory;
use crate::names::Identity;
use crate::observation::{Observation, Pod};
use crate::rules::bring_back::comes_back;
use crate::rules::prove::is_stuck;
use crate::timer::Timer;
use std::collections::BTreeMap;

/// Seconds after which a request that nobody here sent cannot land any more: the API server gives each 60 (its
/// `--request-timeout`), and whoever sent it gave up its lease before it was taken.
const UNKNOWN: u64 = 90;

/// Seconds for which what is left of a pod that ended stays where another one of it follows: a node that refuses one pod, or
/// evicts it, may do so with each. As long as a kubelet waits at first where a container ends again and again. Whose pod
/// somebody deleted, such as a drain, comes back at once.
const ENDED: u64 = 10;

/// The conditions of this look.
#[must_use]
pub fn timers(seen: &Observation, memory: &Memory) -> BTreeMap<Timer, u64> {
    let look = recall(seen, memory);
    let patience = &seen.target.patience;
    let mut timers: BTreeMap<_, _> =
        look.standing().filter_map(|(identity, pod)| of_pod(&look, identity, pod)).collect();
    for identity in look
        .memory
        .given
        .keys()
        .filter(|identity| !seen.births.contains_key(*identity) && !seen.pods.contains_key(*identity))
    {
        timers.insert(Timer::Unknown(identity.clone()), UNKNOWN);
    }
    for identity in &look.memory.spent {
        timers.insert(Timer::Spent(identity.clone()), patience.window);
    }
    if is_stuck(&look) {
        timers.insert(Timer::Stuck(look.revision().clone()), patience.progress);
    }
    timers
}

fn of_pod(look: &Look<'_>, identity: &Identity, pod: &Pod) -> Option<(Timer, u64)> {
    let patience = &look.seen.target.patience;
    if comes_back(look, identity, pod) {
        return Some((Timer::Ended(pod.uid.clone()), ENDED));
    }
    match (is_steady(pod), pod.is_unheard()) {
        (true, _) => None,
        (false, true) => Some((Timer::Unheard(pod.uid.clone()), patience.unheard)),
        (false, false) if look.is_on_trial(identity, pod) || look.lacks(identity, pod) => None,
        (false, false) => Some((Timer::Unhealthy(pod.uid.clone()), patience.unhealthy)),
    }
}

#[cfg(test)]
mod tests {
    use super::timers;
    use crate::fixture::{healthy, identity, revision, settled, uid};
    use crate::memory::Why;
    use crate::observation::{Birth, Life, Node, Trust};
    use crate::timer::Timer;

    #[test]
    fn what_is_well_is_not_measured() {
        assert!(timers(&healthy(3), &settled(3)).is_empty());
    }

    #[test]
    fn each_trouble_has_its_own_time() {
        let mut seen = healthy(3);
        (seen.pod(0).life, seen.pod(1).node) = (Life::Unready, Node::Silent);
        let mut memory = settled(3);
        memory.spent.insert(identity(7));
        memory.given.extend([(identity(8), Why::Growth), (identity(9), Why::Growth)]);
        seen.births.insert(identity(9), Birth::Sent);
        let expected = [
            (Timer::Unhealthy(uid(0)), 600),
            (Timer::Unheard(uid(1)), 300),
            (Timer::Unknown(identity(8)), 90),
            (Timer::Spent(identity(7)), 3600),
        ];
        assert_eq!(timers(&seen, &memory), expected.into());
    }

    #[test]
    fn what_is_well_between_two_crashes_is_measured_on() {
        let mut seen = healthy(3);
        (seen.pod(0).trust, seen.pod(1).trust) = (Trust::Flaps, Trust::Fresh);
        assert_eq!(timers(&seen, &settled(3)), [(Timer::Unhealthy(uid(0)), 600)].into());
        seen.target.revision = revision("a", "2");
        seen.pod(0).revision = revision("a", "2");
        assert_eq!(timers(&seen, &settled(3)), [(Timer::Stuck(revision("a", "2")), 600)].into());
    }

    #[test]
    fn a_new_template_is_measured_as_a_whole() {
        let mut seen = healthy(2);
        seen.target.revision = revision("a", "2");
        (seen.pod(0).revision, seen.pod(0).life) = (revision("a", "2"), Life::Unready);
        assert_eq!(timers(&seen, &settled(2)), [(Timer::Stuck(revision("a", "2")), 600)].into());
    }
}
