//! A pod that cannot come back makes room for another identity. Nobody waits for proof that it is dead: the other one
//! shares neither name nor claims with it.

use crate::draft::Draft;
use crate::hold::Hold;
use crate::look::{Look, number};
use crate::names::Identity;
use crate::observation::Pod;
use crate::plan::{Cause, Step};

pub(crate) fn replace(draft: &mut Draft<'_>) {
    let look = &draft.look;
    let mut left = look.budget_left();
    let mut found: Vec<_> =
        look.standing().filter_map(|(id, pod)| Some((id, pod, look.goes(id, pod)?))).collect();
    if let Some(only) = found.iter().position(|(.., cause)| *cause == Cause::Unhealthy) {
        // What makes all of them unhealthy may pass: they are not thrown away together.
        let turn = is_quiet(look);
        let first = found[only].0.clone();
        found.retain(|(id, _, cause)| *cause != Cause::Unhealthy || (turn && **id == first));
    }
    for (identity, pod, cause) in found {
        if left == 0 {
            let spent = number(draft.look.memory.spent.len());
            draft.hold(Hold::BudgetSpent { spent, budget: draft.look.seen.target.budget });
            return;
        }
        left -= 1;
        remove(draft, identity, pod, cause);
    }
}

/// Nobody comes, and nobody goes.
fn is_quiet(look: &Look<'_>) -> bool {
    look.coming() == 0 && !look.seen.pods.values().any(|pod| pod.leaving && !pod.is_unheard())
}

/// Services forget what is not heard of before it is told to end: when it hears that, nobody knows.
fn remove(draft: &mut Draft<'_>, identity: &Identity, pod: &Pod, cause: Cause) {
    let is_lost = cause == Cause::Stranded || (cause == Cause::Released && pod.is_unheard());
    if is_lost && pod.labelled {
        draft.step(Step::SetAside { identity: identity.clone(), if_pod: pod.uid.clone() });
    } else {
        draft.delete(identity, pod, cause);
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::decide;
    use crate::fixture::{healthy, identity, settled, uid, words};
    use crate::hold::Hold;
    use crate::observation::{Life, Node};
    use crate::timer::Timer;

    #[test]
    fn a_pod_that_ended_goes_at_once() {
        let mut seen = healthy(3);
        seen.pod(1).life = Life::Ended;
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["delete db-1: Ended"]);
    }

    #[test]
    fn a_pod_on_a_lost_node_is_set_aside_told_to_end_and_replaced_without_proof() {
        let mut seen = healthy(3);
        seen.pod(1).node = Node::Silent;
        let waits = decide(&seen, &settled(3));
        assert!(waits.steps.is_empty() && waits.holds.contains(&Hold::Unheard(identity(1))), "{waits:?}");
        seen.ripen(Timer::Unheard(uid(1)));
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["set db-1 aside"]);
        seen.pod(1).labelled = false;
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["delete db-1: Stranded"]);
        seen.pod(1).leaving = true;
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["create for Replacement from a"]);
    }

    #[test]
    fn a_node_that_is_back_in_time_keeps_its_pod() {
        let mut seen = healthy(3);
        (seen.pod(1).labelled, seen.pod(1).life) = (false, Life::Available);
        assert_eq!(
            words(&decide(&seen, &settled(3)).steps),
            ["update db-1 to a1"],
            "it has its labels again"
        );
    }

    #[test]
    fn the_unhealthy_are_replaced_one_after_the_other() {
        let mut seen = healthy(3);
        for number in 0..3 {
            seen.pod(number).life = Life::Unready;
            seen.ripen(Timer::Unhealthy(uid(number)));
        }
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["delete db-0: Unhealthy"]);
        seen.pod(0).leaving = true;
        let steps = words(&decide(&seen, &settled(3)).steps);
        assert!(!steps.iter().any(|word| word.starts_with("delete")), "{steps:?}");
    }

    #[test]
    fn without_a_budget_nobody_is_thrown_away() {
        let mut seen = healthy(3);
        seen.pod(1).life = Life::Ended;
        seen.target.budget = 1;
        let mut memory = settled(3);
        memory.spent.insert(identity(9));
        let plan = decide(&seen, &memory);
        assert!(plan.steps.is_empty() && plan.holds.contains(&Hold::BudgetSpent { spent: 1, budget: 1 }));
        memory.spent.clear();
        seen.pod(2).leaving = true;
        let steps = words(&decide(&seen, &memory).steps);
        assert_eq!(steps, ["create for Replacement from a"], "the one that is missing takes what is left");
    }

    #[test]
    fn where_an_owner_decides_only_those_go_that_it_has_given_up() {
        let mut seen = healthy(3);
        seen.release(&[]);
        (seen.pod(0).life, seen.pod(1).node) = (Life::Ended, Node::Silent);
        seen.ripen(Timer::Unheard(uid(1)));
        let plan = decide(&seen, &settled(3));
        assert!(plan.steps.is_empty(), "{:?}", plan.steps);
        assert_eq!(plan.holds, [Hold::Unreleased(identity(0)), Hold::Unreleased(identity(1))]);
        seen.release(&[0, 2]);
        let steps = words(&decide(&seen, &settled(3)).steps);
        assert_eq!(steps, ["delete db-0: Released", "delete db-2: Released"], "a healthy one too");
        seen.release(&[1]);
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["set db-1 aside"]);
        seen.pod(1).labelled = false;
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["delete db-1: Released"]);
        seen.target.budget = 0;
        assert_eq!(words(&decide(&seen, &settled(3)).steps), [""; 0], "the budget counts for an owner too");
    }
}
