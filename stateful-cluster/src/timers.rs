//! Which conditions hold in a look, and for how many seconds each must. The shell measures; see `timer`.

use crate::look::{Look, is_steady, recall};
use crate::memory::Memory;
use crate::names::Identity;
use crate::observation::{Observation, Pod};
use crate::rules::bring_back::comes_back;
use crate::rules::prove::is_stuck;
use crate::timer::{Age, Timer};
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

/// Milliseconds until fewer were replaced in the window than may be, and with those that were replaced since the ages were
/// taken. `None`: no time brings that about.
#[must_use]
pub fn until_next(seen: &Observation, memory: &Memory) -> Option<u64> {
    let (target, spent) = (&seen.target, &memory.spent);
    let whole = target.patience.window.saturating_mul(1000);
    let left = |identity: &Identity| match seen.ages.get(&Timer::Spent(identity.clone())) {
        Some(Age::TooSoon(millis)) => *millis,
        Some(Age::Ripe) => 0,
        None => whole,
    };
    let mut left: Vec<_> = spent.iter().map(left).collect();
    left.sort_unstable();
    let budget = usize::try_from(target.budget).unwrap_or(usize::MAX);
    left.get(spent.len().saturating_sub(budget)).copied().filter(|_| budget > 0)
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
    use super::{timers, until_next};
    use crate::fixture::{healthy, identity, revision, settled, uid};
    use crate::memory::Why;
    use crate::observation::{Birth, Life, Node, Trust};
    use crate::timer::{Age, Timer};

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
    fn the_next_may_be_replaced_once_fewer_than_the_budget_are_in_the_window() {
        let (mut seen, mut memory) = (healthy(3), settled(3));
        for (number, left) in [(7, 5000), (8, 2000), (9, 9000)] {
            memory.spent.insert(identity(number));
            seen.ages.insert(Timer::Spent(identity(number)), Age::TooSoon(left));
        }
        for (sentence, budget, expected) in [
            ("the first of them", 3, Some(2000)),
            ("the budget was lowered", 2, Some(5000)),
            ("to one", 1, Some(9000)),
            ("nobody is replaced, ever", 0, None),
            ("one that is missing takes what is left", 4, Some(2000)),
        ] {
            seen.target.budget = budget;
            assert_eq!(until_next(&seen, &memory), expected, "{sentence}");
        }
        seen.ages.clear();
        assert_eq!(until_next(&seen, &memory), Some(3_600_000), "nobody has measured it yet");
        assert_eq!(until_next(&seen, &settled(3)), None);
    }

    #[test]
    fn a_new_template_is_measured_as_a_whole() {
        let mut seen = healthy(2);
        seen.target.revision = revision("a", "2");
        (seen.pod(0).revision, seen.pod(0).life) = (revision("a", "2"), Life::Unready);
        assert_eq!(timers(&seen, &settled(2)), [(Timer::Stuck(revision("a", "2")), 600)].into());
    }
}
