//! What was promised, as the policy that decides now may use it.

use largest_integer::LargestInteger;
use planner::Memory;

use crate::api::PolicyStatus;
use crate::policy::Judge;
use crate::target::Policy;

/// What was promised, as the policy that decides now may use it. What another policy read may mean something else by
/// this one, so it is read anew, as it is after a pause, and numbers of before are compared with none of now, as after
/// an outage. The status has the policy beside the memory in one write.
///
/// What the policy before began need not be over. Its start stays open as any other, and nobody seeds meanwhile; this
/// policy's own reading closes it where the lock tells. If it comes up, the epoch has the base that the other one read,
/// of the outage in which it did: no number of this policy is compared with it.
pub(super) fn judged_by(policy: &Judge, told: Option<&PolicyStatus>, mut memory: Memory) -> Memory {
    if policy.decides() && is_another(policy, told) {
        memory.paused = true;
        memory.outages += 1;
    }
    memory
}

fn is_another(policy: &Judge, told: Option<&PolicyStatus>) -> bool {
    // An operator that did not tell of policies knew this one alone.
    let before = told.cloned().unwrap_or_else(|| Policy::told(LargestInteger::default()));
    policy.active.as_ref().is_some_and(|active| !active.answers_as(&before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Decider, Digest};

    #[test]
    fn what_another_policy_read_is_read_anew_and_what_the_same_one_read_is_not() {
        let builtin = Judge::builtin(LargestInteger::default());
        let monotonic = Judge::builtin(LargestInteger { monotonic: true });
        let component = PolicyStatus { digest: Some(Digest::of(b"")), ..PolicyStatus::default() };
        let nobody = Judge { decider: Decider::Nobody(String::new()), ..monotonic.clone() };
        for (sentence, policy, told, expected) in [
            ("the same", &builtin, builtin.active.clone(), false),
            ("an operator that did not tell knew one only", &builtin, None, false),
            ("other settings", &monotonic, builtin.active.clone(), true),
            ("a component before", &builtin, Some(component), true),
            ("nobody reads now", &nobody, builtin.active.clone(), false),
        ] {
            let memory = judged_by(policy, told.as_ref(), Memory::default());
            assert_eq!(memory.paused, expected, "{sentence}");
            assert_eq!(
                memory.outages,
                u64::from(expected),
                "{sentence}: numbers of before count for nothing"
            );
        }
        let paused = Memory { paused: true, ..Memory::default() };
        assert!(judged_by(&builtin, None, paused).paused, "what is void stays so");
    }
}
