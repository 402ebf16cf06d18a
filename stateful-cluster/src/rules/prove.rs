//! A template is proven once all pods are available with it; one that does not become available is taken back.

use crate::draft::Draft;
use crate::hold::Hold;
use crate::look::{Look, is_well};
use crate::observation::{Pod, Trust};
use crate::timer::Timer;

pub(crate) fn prove(draft: &mut Draft<'_>) {
    let look = &mut draft.look;
    let revision = look.revision().clone();
    let mut by = Vec::new();
    if is_everywhere(look) {
        look.memory.proven = Some(revision);
    } else if is_stuck(look) && look.seen.is_ripe(&Timer::Stuck(revision.clone())) {
        let failing = look.standing().filter(|(identity, pod)| look.fails(identity, pod));
        by = failing.map(|(identity, _)| identity.clone()).collect();
        look.memory.failed = Some(revision);
    }
    if look.seen.rejected.contains(look.revision()) {
        let hold = Hold::PodRefused(look.revision().clone());
        draft.hold(hold);
    }
    if let Some(revision) = draft.look.memory.failed.clone() {
        draft.hold(Hold::TakenBack { revision, by });
    }
}

fn is_everywhere(look: &Look<'_>) -> bool {
    let done = |pod: &Pod| pod.revision == *look.revision() && is_well(pod) && pod.trust == Trust::Sound;
    look.count() > 0 && look.count() >= look.seen.target.replicas && look.standing().all(|(_, pod)| done(pod))
}

/// There is one to go back to, and a pod that has the new one does not work, or none can have it.
pub(crate) fn is_stuck(look: &Look<'_>) -> bool {
    let revision = look.revision();
    let is_rejected = look.seen.rejected.contains(revision);
    look.is_trial(revision)
        && (is_rejected || look.standing().any(|(identity, pod)| look.fails(identity, pod)))
}

#[cfg(test)]
mod tests {
    use crate::Observation;
    use crate::fixture::decide;
    use crate::fixture::{add, healthy, identity, revision, settled, words};
    use crate::hold::Hold;
    use crate::memory::Memory;
    use crate::observation::{Life, Trust};
    use crate::timer::Timer;
    use crate::timers;

    fn with_a_bad_image() -> Observation {
        let mut seen = healthy(2);
        seen.target.revision = revision("a", "2");
        (seen.pod(0).revision, seen.pod(0).life) = (revision("a", "2"), Life::Unready);
        seen
    }

    #[test]
    fn a_template_is_proven_by_all_pods() {
        let mut seen = healthy(2);
        assert_eq!(decide(&seen, &Memory::default()).memory.proven, Some(revision("a", "1")));
        for trust in [Trust::Fresh, Trust::Flaps] {
            seen.pod(1).trust = trust;
            assert_eq!(decide(&seen, &Memory::default()).memory.proven, None, "it started anew a moment ago");
        }
        (seen.pod(1).life, seen.pod(1).trust) = (Life::Unready, Trust::Sound);
        assert_eq!(decide(&seen, &Memory::default()).memory.proven, None);
    }

    #[test]
    fn a_bad_image_is_taken_back_in_place() {
        let mut seen = with_a_bad_image();
        assert!(decide(&seen, &settled(2)).steps.is_empty(), "it may still become available");
        seen.ripen(Timer::Stuck(revision("a", "2")));
        let plan = decide(&seen, &settled(2));
        assert_eq!(words(&plan.steps), ["update db-0 to a1"]);
        let taken_back = |by| Hold::TakenBack { revision: revision("a", "2"), by };
        assert!(plan.holds.contains(&taken_back(vec![identity(0)])), "{:?}", plan.holds);
        (seen.pod(0).revision, seen.pod(1).life) = (revision("a", "1"), Life::Unready);
        let later = decide(&seen, &plan.memory).holds;
        assert!(later.contains(&taken_back(Vec::new())), "who fails later has another one: {later:?}");
    }

    #[test]
    fn a_bad_template_is_taken_back_with_the_pod_that_has_it() {
        let mut seen = healthy(2);
        seen.target.revision = revision("b", "1");
        add(&mut seen, 5);
        (seen.pod(5).revision, seen.pod(5).life) = (revision("b", "1"), Life::Unready);
        seen.ripen(Timer::Stuck(revision("b", "1")));
        let plan = decide(&seen, &settled(2));
        assert_eq!(words(&plan.steps), ["delete db-5: Size"]);
        seen.gone(5);
        assert!(decide(&seen, &plan.memory).steps.is_empty(), "it is not tried again");
        seen.target.revision = revision("c", "1");
        assert_eq!(words(&decide(&seen, &plan.memory).steps), ["create for Update from c"], "another one is");
    }

    #[test]
    fn a_template_of_which_pods_are_refused_is_taken_back_as_one_that_does_not_work() {
        for bad in [revision("b", "1"), revision("a", "2")] {
            let mut seen = healthy(2);
            seen.target.revision = bad.clone();
            seen.rejected.insert(bad.clone());
            assert!(timers(&seen, &settled(2)).contains_key(&Timer::Stuck(bad.clone())), "it is measured");
            let plan = decide(&seen, &settled(2));
            assert_eq!((plan.steps.len(), plan.memory.failed), (1, None), "it is tried again");
            assert_eq!(plan.holds, [Hold::PodRefused(bad.clone())]);
            seen.ripen(Timer::Stuck(bad.clone()));
            seen.gone(1);
            let plan = decide(&seen, &settled(2));
            assert_eq!(words(&plan.steps), ["create for Replacement from a"], "from the one before");
            assert_eq!(plan.holds, [Hold::TakenBack { revision: bad, by: Vec::new() }]);
        }
    }

    #[test]
    fn where_an_owner_decides_who_goes_it_takes_templates_back_too() {
        let mut seen = with_a_bad_image();
        let bad = revision("a", "2");
        seen.rejected.insert(bad.clone());
        seen.ripen(Timer::Stuck(bad.clone()));
        let failed = Memory { failed: Some(bad.clone()), ..settled(2) };
        assert_eq!(decide(&seen, &settled(2)).memory.failed, Some(bad));
        seen.release(&[]);
        for known in [settled(2), failed] {
            assert_eq!(decide(&seen, &known).memory.failed, None);
        }
        assert!(!timers(&seen, &settled(2)).contains_key(&Timer::Stuck(revision("a", "2"))));
    }

    #[test]
    fn the_first_template_has_nothing_to_go_back_to() {
        let mut seen = with_a_bad_image();
        seen.pods.values_mut().for_each(|pod| pod.revision = revision("a", "2"));
        seen.ripen(Timer::Stuck(revision("a", "2")));
        assert_eq!(decide(&seen, &Memory::default()).memory.failed, None);
    }
}
