//! Labels, annotations and images are changed in the pod that lives: it keeps who it is, and what it holds.

use crate::draft::Draft;
use crate::hold::Hold;
use crate::look::{Look, is_well};
use crate::names::Identity;
use crate::observation::Pod;
use crate::plan::{Cause, Step};

pub(crate) fn update(draft: &mut Draft<'_>) {
    let look = &draft.look;
    if !look.brings_templates() {
        let older = look.standing().filter(|(_, pod)| pod.revision != *look.revision());
        let older: Vec<_> = older.map(|(identity, _)| identity.clone()).collect();
        if !older.is_empty() {
            draft.hold(if look.is_owned() { Hold::OwnerRollsOut(older) } else { Hold::OnDelete(older) });
        }
        return;
    }
    let to = look.revision().clone();
    let others_wait = look.standing().any(|(identity, pod)| look.fails(identity, pod));
    if let Some((identity, pod)) = next(look).filter(|_| !others_wait) {
        let (identity, if_pod) = (identity.clone(), pod.uid.clone());
        // Where nobody works, a template that mends that is told by the first one.
        if !is_well(pod) && look.standing().any(|(_, pod)| is_well(pod)) {
            draft.look.memory.excused.insert(identity.clone());
        }
        draft.step(Step::Update { identity, if_pod, to });
    }
}

/// One that does not work loses nothing: it comes first, unless another one is to come in its place.
fn next<'a>(look: &Look<'a>) -> Option<(&'a Identity, &'a Pod)> {
    let is_spent = look.budget_left() == 0;
    let may = |identity: &Identity, pod: &Pod| {
        !pod.is_unheard()
            && look.is_new(pod)
            && pod.revision != *look.revision()
            && look.condemned(identity, pod).is_none_or(|cause| cause == Cause::Unhealthy && is_spent)
    };
    look.standing().filter(|(identity, pod)| may(identity, pod)).min_by_key(|(_, pod)| is_well(pod))
}

#[cfg(test)]
mod tests {
    use crate::Observation;
    use crate::fixture::decide;
    use crate::fixture::{healthy, identity, revision, settled, uid, words};
    use crate::hold::Hold;
    use crate::observation::{Life, Node, Trust};
    use crate::target::Update;
    use crate::timer::Timer;
    use crate::timers;

    #[test]
    fn an_image_is_changed_in_place_one_pod_at_a_time() {
        let mut seen = healthy(3);
        seen.target.revision = revision("a", "2");
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["update db-0 to a2"]);
        (seen.pod(0).revision, seen.pod(0).life) = (revision("a", "2"), Life::Unready);
        assert_eq!(words(&decide(&seen, &settled(3)).steps), [""; 0], "the first one is not available");
        (seen.pod(0).life, seen.pod(0).trust) = (Life::Available, Trust::Flaps);
        assert_eq!(words(&decide(&seen, &settled(3)).steps), [""; 0], "nor is it between two crashes");
        seen.pod(0).trust = Trust::Fresh;
        seen.pod(2).life = Life::Unready;
        assert_eq!(
            words(&decide(&seen, &settled(3)).steps),
            ["update db-2 to a2"],
            "what does not work comes first"
        );
    }

    #[test]
    fn a_template_is_not_judged_by_who_was_ill_before_it_nor_by_who_is_not_heard_of() {
        let mut seen = healthy(3);
        (seen.target.revision, seen.target.budget) = (revision("a", "2"), 0);
        (seen.pod(0).life, seen.pod(1).node) = (Life::Unready, Node::Silent);
        let plan = decide(&seen, &settled(3));
        assert_eq!(words(&plan.steps), ["update db-0 to a2"]);
        seen.pod(0).revision = revision("a", "2");
        let stuck = Timer::Stuck(revision("a", "2"));
        assert!(!timers(&seen, &plan.memory).contains_key(&stuck));
        assert!(timers(&seen, &plan.memory).contains_key(&Timer::Unhealthy(uid(0))), "as before");
        let plan = decide(&seen, &plan.memory);
        assert_eq!(words(&plan.steps), ["update db-2 to a2"], "and db-1 once it is heard of");
        (seen.pod(2).revision, seen.pod(2).life) = (revision("a", "2"), Life::Unready);
        assert!(timers(&seen, &plan.memory).contains_key(&stuck), "that one worked before");
        (seen.pod(0).life, seen.pod(2).life) = (Life::Available, Life::Available);
        assert!(decide(&seen, &plan.memory).memory.excused.is_empty(), "it works");
        seen.pod(1).revision = revision("a", "2");
        assert!(!timers(&seen, &settled(3)).contains_key(&stuck), "of the silent one nothing is known");
    }

    #[test]
    fn where_nobody_works_the_first_one_tells_whether_another_template_mends_that() {
        let mut seen = healthy(2);
        seen.target.revision = revision("a", "2");
        seen.pods.values_mut().for_each(|pod| pod.life = Life::Unready);
        let plan = decide(&seen, &settled(2));
        assert_eq!(words(&plan.steps), ["update db-0 to a2"]);
        seen.pod(0).revision = revision("a", "2");
        assert_eq!(words(&decide(&seen, &plan.memory).steps), [""; 0], "the other one waits");
        assert!(timers(&seen, &plan.memory).contains_key(&Timer::Stuck(revision("a", "2"))));
    }

    #[test]
    fn who_was_unhealthy_for_too_long_is_brought_another_image_where_nobody_may_take_its_place() {
        let mut seen = healthy(2);
        (seen.target.revision, seen.pod(0).life) = (revision("a", "2"), Life::Unready);
        seen.ripen(Timer::Unhealthy(uid(0)));
        let done = |seen: &Observation| words(&decide(seen, &settled(2)).steps);
        assert_eq!(done(&seen), ["delete db-0: Unhealthy", "update db-1 to a2"]);
        seen.target.budget = 0;
        assert_eq!(done(&seen), ["update db-0 to a2"], "it would wait for the window to be over");
        seen.pod(0).life = Life::Ended;
        assert_eq!(done(&seen), ["update db-1 to a2"], "that one runs no image any more");
    }

    #[test]
    fn a_person_who_updates_by_deleting_is_told_whom() {
        let mut seen = healthy(2);
        (seen.target.revision, seen.target.update) = (revision("b", "2"), Update::OnDelete);
        let plan = decide(&seen, &settled(2));
        assert!(plan.steps.is_empty());
        assert!(plan.holds.contains(&Hold::OnDelete(vec![identity(0), identity(1)])), "{:?}", plan.holds);
    }

    #[test]
    fn where_an_owner_decides_no_template_is_brought_to_a_pod_that_lives() {
        for (lasting, in_place) in [("a", "2"), ("b", "1")] {
            let mut seen = healthy(2);
            seen.target.revision = revision(lasting, in_place);
            seen.release(&[]);
            let plan = decide(&seen, &settled(2));
            assert!(plan.steps.is_empty(), "{:?}", plan.steps);
            assert_eq!(plan.holds, [Hold::OwnerRollsOut(vec![identity(0), identity(1)])]);
        }
    }
}
