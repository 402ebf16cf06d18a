//! A pod that cannot come back makes room for another identity. Nobody waits for proof that it is dead: the other one
//! shares neither name nor claims with it.

use crate::draft::Draft;
use crate::hold::Hold;
use crate::look::{Look, is_steady, number};
use crate::names::Identity;
use crate::observation::Pod;
use crate::plan::{Cause, Step};

pub(crate) fn replace(draft: &mut Draft<'_>) {
    let look = &draft.look;
    let mut left = look.budget_left();
    let mut found: Vec<_> =
        look.standing().filter_map(|(id, pod)| Some((id, pod, look.goes(id, pod)?))).collect();
    let is_calm = look.seen.any_heard && is_quiet(look);
    let goes = |id: &Identity, pod: &Pod| look.goes(id, pod).is_some();
    let may_be_ill = is_calm && look.missing() == 0 && is_made_up_for(look, goes);
    let mut waiting = in_turn(look, &mut found, Cause::Unhealthy, may_be_ill);
    let is_dark = !look.seen.any_heard && found.iter().any(|(.., cause)| *cause == Cause::Stranded);
    let may_be_lost = is_calm && is_made_up_for(look, |_, _| false);
    waiting.extend(in_turn(look, &mut found, Cause::Stranded, may_be_lost));
    waiting.extend(is_dark.then_some(Hold::NoNodeHeard));
    waiting.into_iter().for_each(|hold| draft.hold(hold));
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

/// Somebody who goes, and why.
type Going<'a> = (&'a Identity, &'a Pod, Cause);

/// What makes all of them unhealthy, or silent, may pass: they are not thrown away together. Leaves one of that cause, if
/// it is anybody's turn, and says for what the others wait. Who was set aside is in the middle of it; then comes whoever
/// took the place of another one, who holds less than those that were there before.
fn in_turn(look: &Look<'_>, found: &mut Vec<Going<'_>>, cause: Cause, is_turn: bool) -> Vec<Hold> {
    let of_cause = found.iter().filter(|(.., of)| *of == cause);
    let first = |(id, pod, _): &&Going<'_>| (pod.labelled, !look.memory.spent.contains(*id));
    let next = of_cause.min_by_key(first).filter(|_| is_turn);
    let next = next.map(|(identity, ..)| (*identity).clone());
    let waits = |(identity, _, of): &Going<'_>| *of == cause && next.as_ref() != Some(*identity);
    let waiting = found.extract_if(.., |going| waits(going)).map(|(identity, ..)| identity.clone());
    let hold = if cause == Cause::Stranded { Hold::Unheard } else { Hold::Unhealthy };
    waiting.map(hold).collect()
}

/// Whoever took the place of another one in this window is available, cannot be, or goes itself.
fn is_made_up_for(look: &Look<'_>, goes: impl Fn(&Identity, &Pod) -> bool) -> bool {
    let pods = look.memory.spent.iter().filter_map(|identity| look.seen.pods.get_key_value(identity));
    let heard = pods.filter(|(_, pod)| !pod.leaving && !pod.is_unheard());
    heard.into_iter().all(|(identity, pod)| is_steady(pod) || goes(identity, pod))
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
    use crate::fixture::{add, healthy, identity, settled, uid, words};
    use crate::hold::Hold;
    use crate::observation::{Life, Node, Trust};
    use crate::timer::Timer;

    #[test]
    fn a_pod_that_ended_goes_at_once() {
        let mut seen = healthy(3);
        seen.pod(1).life = Life::Ended;
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["delete db-1: Ended"]);
    }

    #[test]
    fn a_pod_that_restarts_in_a_loop_is_replaced_when_it_is_down() {
        let mut seen = healthy(3);
        seen.ripen(Timer::Unhealthy(uid(1)));
        seen.pod(1).trust = Trust::Flaps;
        assert!(decide(&seen, &settled(3)).steps.is_empty(), "it is up");
        seen.pod(1).life = Life::Unready;
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["delete db-1: Unhealthy"]);
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
    fn the_next_unhealthy_one_goes_once_whoever_took_the_last_ones_place_is_available_and_that_one_before_it()
    {
        let mut seen = healthy(3);
        for number in 0..2 {
            seen.pod(number).life = Life::Unready;
            seen.ripen(Timer::Unhealthy(uid(number)));
        }
        let mut memory = settled(3);
        memory.spent.insert(identity(2));
        for (life, trust) in [(Life::Starting, Trust::Sound), (Life::Available, Trust::Flaps)] {
            (seen.pod(2).life, seen.pod(2).trust) = (life, trust);
            assert_eq!(words(&decide(&seen, &memory).steps), [""; 0], "{life:?}, {trust:?}");
        }
        (seen.pod(2).life, seen.pod(2).trust) = (Life::Available, Trust::Sound);
        assert_eq!(words(&decide(&seen, &memory).steps), ["delete db-0: Unhealthy"]);
        seen.pod(2).life = Life::Unready;
        seen.ripen(Timer::Unhealthy(uid(2)));
        assert_eq!(words(&decide(&seen, &memory).steps), ["delete db-2: Unhealthy"], "it holds the least");
    }

    #[test]
    fn those_of_silent_nodes_are_given_up_one_after_the_other_and_only_once_the_last_one_is_made_up_for() {
        let mut seen = healthy(3);
        for number in 0..2 {
            seen.pod(number).node = Node::Gone;
            seen.ripen(Timer::Unheard(uid(number)));
        }
        seen.pod(1).labelled = false;
        let plan = decide(&seen, &settled(3));
        assert_eq!(words(&plan.steps), ["delete db-1: Stranded"], "the one that was begun with");
        assert_eq!(plan.holds, [Hold::Unheard(identity(0))]);
        seen.gone(1);
        add(&mut seen, 5);
        seen.pod(5).life = Life::Starting;
        let mut memory = settled(3);
        memory.spent.insert(identity(5));
        assert_eq!(words(&decide(&seen, &memory).steps), [""; 0], "the one that took its place starts");
        seen.pod(5).life = Life::Available;
        assert_eq!(words(&decide(&seen, &memory).steps), ["set db-0 aside"]);
        (seen.pod(5).life, seen.pod(5).node) = (Life::Starting, Node::Silent);
        assert_eq!(words(&decide(&seen, &memory).steps), ["set db-0 aside"], "it cannot become available");
    }

    #[test]
    fn where_no_node_is_heard_nobody_is_given_up_for_silence_or_for_want_of_health() {
        let mut seen = healthy(3);
        seen.any_heard = false;
        seen.pods.values_mut().for_each(|pod| pod.node = Node::Silent);
        (seen.pod(2).node, seen.pod(2).life) = (Node::None, Life::Starting);
        seen.ripen(Timer::Unhealthy(uid(2)));
        seen.ripen(Timer::Unheard(uid(0)));
        let plan = decide(&seen, &settled(3));
        assert!(plan.steps.is_empty(), "{:?}", plan.steps);
        assert!(plan.holds.contains(&Hold::NoNodeHeard), "{:?}", plan.holds);
        seen.any_heard = true;
        let steps = words(&decide(&seen, &settled(3)).steps);
        assert_eq!(steps, ["set db-0 aside", "delete db-2: Unhealthy"]);
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
        (seen.pod(0).life, seen.pod(1).node) = (Life::Unready, Node::Silent);
        seen.ripen(Timer::Unhealthy(uid(0)));
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
