//! More pods: as the resource says, for one that is gone, or with a new template beside an old one.

use crate::draft::Draft;
use crate::hold::Hold;
use crate::look::{Look, is_well, number};
use crate::memory::Why;
use crate::target::Order;

pub(crate) fn grow(draft: &mut Draft<'_>) {
    while let Some(why) = next(draft) {
        if !draft.create(why) {
            return;
        }
    }
}

/// What the next identity would be for, and whether there is room for it.
fn next(draft: &mut Draft<'_>) -> Option<Why> {
    let look = &draft.look;
    let why = called_for(look)?;
    if waits_in_turn(look, why) {
        return None;
    }
    let target = &look.seen.target;
    if why == Why::Replacement && number(look.memory.spent.len()) >= target.budget {
        let hold = Hold::BudgetSpent { spent: number(look.memory.spent.len()), budget: target.budget };
        draft.hold(hold);
        return None;
    }
    if look.alive() > target.replicas {
        let leaving =
            look.seen.pods.iter().filter(|(_, pod)| pod.leaving && pod.may_run() && !pod.is_unheard());
        let holds: Vec<_> = leaving.map(|(identity, _)| Hold::Leaving(identity.clone())).collect();
        holds.into_iter().for_each(|hold| draft.hold(hold));
        return None;
    }
    Some(why)
}

fn called_for(look: &Look<'_>) -> Option<Why> {
    let replicas = look.seen.target.replicas;
    let expected = look.places();
    if expected < replicas {
        // One by one, who is missing comes before more are made, if it may.
        let is_first = look.seen.target.order == Order::OneByOne && look.missing() > 0;
        let spent = number(look.memory.spent.len());
        let is_replaced = is_first && spent < look.seen.target.budget;
        return Some(match look.memory.grown < replicas && !is_replaced {
            true => Why::Growth,
            false => Why::Replacement,
        });
    }
    let may_roll = look.is_rolling() && !look.is_surging() && expected == replicas;
    may_roll.then_some(Why::Update)
}

/// One by one, all before it come first. One that takes the place of another waits for nobody who may never be well.
fn waits_in_turn(look: &Look<'_>, why: Why) -> bool {
    let is_unwell = || look.standing().any(|(_, pod)| !is_well(pod));
    look.seen.target.order == Order::OneByOne && (look.coming() > 0 || (why == Why::Growth && is_unwell()))
}

#[cfg(test)]
mod tests {
    use crate::Observation;
    use crate::fixture::decide;
    use crate::fixture::{healthy, identity, revision, settled, uid, words};
    use crate::hold::Hold;
    use crate::memory::{Memory, Why};
    use crate::missing;
    use crate::observation::{Birth, Life, Trust};
    use crate::target::Order;
    use crate::timer::Timer;

    fn steps(seen: &Observation, memory: &Memory) -> Vec<String> {
        words(&decide(seen, memory).steps)
    }

    #[test]
    fn a_new_cluster_is_made_at_once_or_one_by_one() {
        let mut seen = healthy(0);
        seen.target.replicas = 3;
        let plan = decide(&seen, &Memory::default());
        assert_eq!(words(&plan.steps), ["create for Growth from a"; 3]);
        assert_eq!((plan.memory.given.len(), plan.memory.grown), (3, 3), "promised before it is done");
        seen.target.order = Order::OneByOne;
        assert_eq!(steps(&seen, &Memory::default()).len(), 1);
        crate::fixture::add(&mut seen, 0);
        seen.pod(0).life = Life::Starting;
        assert_eq!(steps(&seen, &Memory::default()).len(), 0, "the first one comes first");
    }

    #[test]
    fn one_by_one_who_is_gone_is_replaced_beside_the_unhealthy_and_nobody_else_goes_before() {
        let mut seen = healthy(5);
        seen.target.order = Order::OneByOne;
        for number in 0..5 {
            seen.pod(number).life = Life::Unready;
            seen.ripen(Timer::Unhealthy(uid(number)));
        }
        assert_eq!(steps(&seen, &settled(5)), ["delete db-0: Unhealthy"]);
        seen.gone(0);
        assert_eq!(steps(&seen, &settled(5)), ["create for Replacement from a"]);
        seen.target.budget = 0;
        assert_eq!(steps(&seen, &settled(5)), [""; 0], "nobody else goes while one is missing");
        seen.target.budget = 3;
        seen.target.replicas = 7;
        assert_eq!(steps(&seen, &settled(5)), ["create for Replacement from a"], "before more are made");
        crate::fixture::add(&mut seen, 0);
        assert_eq!(steps(&seen, &settled(5)), ["delete db-1: Unhealthy"], "else more are never made");
    }

    #[test]
    fn an_identity_that_is_gone_is_replaced_by_another_one() {
        let mut seen = healthy(3);
        seen.gone(1);
        let plan = decide(&seen, &settled(3));
        assert_eq!(words(&plan.steps), ["create for Replacement from a"]);
        assert_ne!(plan.steps[0].identity(), &identity(1));
        assert_eq!(plan.memory.spent.len(), 1);
    }

    #[test]
    fn what_was_given_is_waited_for_and_not_given_again() {
        let mut seen = healthy(3);
        seen.gone(1);
        let mut memory = settled(3);
        memory.given.insert(identity(100), Why::Replacement);
        assert!(decide(&seen, &memory).steps.is_empty());
        crate::fixture::add(&mut seen, 100);
        seen.pod(100).cached = false;
        let plan = decide(&seen, &memory);
        assert_eq!((plan.steps.len(), plan.memory.given.len()), (0, 1), "the next look may not have it");
        seen.pod(100).cached = true;
        let plan = decide(&seen, &memory);
        assert_eq!((plan.steps.len(), plan.memory.given.len()), (0, 0));
    }

    #[test]
    fn a_spent_budget_holds_the_next_replacement_and_not_growth() {
        let mut seen = healthy(3);
        seen.gone(1);
        let mut memory = settled(3);
        memory.spent = (7..10).map(identity).collect();
        let plan = decide(&seen, &memory);
        assert!(plan.steps.is_empty());
        assert!(plan.holds.contains(&Hold::BudgetSpent { spent: 3, budget: 3 }), "{:?}", plan.holds);
        seen.target.replicas = 5;
        assert_eq!(steps(&seen, &memory), ["create for Growth from a"; 2]);
    }

    #[test]
    fn who_was_or_may_have_been_made_and_removed_before_it_was_seen_counts_and_who_was_refused_does_not() {
        let after = |birth: Option<Birth>, why| {
            let (mut seen, mut memory) = (healthy(3), settled(3));
            seen.gone(1);
            seen.births.extend(birth.map(|birth| (identity(50), birth)));
            seen.ripen(Timer::Unknown(identity(50)));
            memory.given.insert(identity(50), why);
            memory.spent.extend((why == Why::Replacement).then_some(identity(50)));
            let plan = decide(&seen, &memory);
            (words(&plan.steps), plan.memory.spent.len(), plan.memory.spent.contains(&identity(50)))
        };
        let replaces = vec!["create for Replacement from a".to_owned()];
        let grows = vec!["create for Growth from a".to_owned()];
        for (birth, why, expected) in [
            (Some(Birth::Gone), Why::Replacement, (replaces.clone(), 2, true)),
            (Some(Birth::Refused), Why::Replacement, (replaces.clone(), 1, false)),
            (None, Why::Replacement, (replaces.clone(), 2, true)),
            (Some(Birth::Gone), Why::Growth, (replaces, 1, false)),
            (Some(Birth::Refused), Why::Growth, (grows.clone(), 0, false)),
            (None, Why::Growth, (grows, 0, false)),
        ] {
            assert_eq!(after(birth, why), expected, "{birth:?} {why:?}");
        }
        let (mut seen, mut memory) = (healthy(3), settled(3));
        seen.gone(1);
        seen.target.released = Some([].into());
        seen.births.insert(identity(1), Birth::Refused);
        memory.given.insert(identity(1), Why::Return);
        memory.spent.insert(identity(1));
        let still = decide(&seen, &memory).memory.spent;
        assert!(still.contains(&identity(1)), "it took a place before it came back");
    }

    #[test]
    fn a_place_is_free_until_another_is_given_for_it_or_fewer_are_wanted_or_its_owner_keeps_it() {
        let (mut seen, mut memory) = (healthy(3), settled(3));
        assert_eq!(missing(&seen, &memory), 0);
        seen.gone(1);
        assert_eq!(missing(&seen, &memory), 1);
        seen.release(&[]);
        assert_eq!(missing(&seen, &memory), 0, "it comes back");
        (seen.target.released, seen.target.replicas) = (None, 2);
        assert_eq!(missing(&seen, &memory), 0);
        seen.target.replicas = 3;
        memory.given.insert(identity(100), Why::Replacement);
        assert_eq!(missing(&seen, &memory), 0, "it is on the way");
    }

    #[test]
    fn there_is_room_for_one_beside_those_that_end() {
        let mut seen = healthy(3);
        (seen.pod(0).leaving, seen.pod(1).leaving) = (true, true);
        let plan = decide(&seen, &settled(3));
        assert_eq!(words(&plan.steps), ["create for Replacement from a"]);
        assert!(plan.holds.contains(&Hold::Leaving(identity(0))), "{:?}", plan.holds);
    }

    #[test]
    fn a_new_template_comes_beside_the_old_one_and_one_at_a_time() {
        let mut seen = healthy(2);
        seen.target.revision = revision("b", "1");
        assert_eq!(steps(&seen, &settled(2)), ["create for Update from b"]);
        crate::fixture::add(&mut seen, 5);
        (seen.pod(5).revision, seen.pod(5).life) = (revision("b", "1"), Life::Starting);
        assert_eq!(steps(&seen, &settled(2)), [""; 0], "the new one is not available");
        (seen.pod(5).life, seen.pod(5).trust) = (Life::Available, Trust::Flaps);
        assert_eq!(steps(&seen, &settled(2)), [""; 0], "nor is it between two crashes");
        seen.pod(5).trust = Trust::Sound;
        assert_eq!(steps(&seen, &settled(2)), ["delete db-1: Size"]);
    }

    #[test]
    fn nobody_takes_the_place_of_who_is_gone_until_its_owner_gives_it_up_or_its_claim_is_deleted() {
        let mut seen = healthy(3);
        seen.gone(1);
        seen.release(&[]);
        let back = "create for Return from a";
        assert_eq!(steps(&seen, &settled(3)), [back]);
        seen.target.replicas = 4;
        let both = [back, "create for Growth from a"];
        assert_eq!(steps(&seen, &settled(3)), both, "there is one more place");
        seen.target.replicas = 3;
        seen.release(&[1]);
        assert_eq!(steps(&seen, &settled(3)), ["create for Replacement from a"]);
        seen.release(&[]);
        seen.claims.get_mut(&(identity(1), "data".into())).unwrap().leaving = true;
        assert_eq!(steps(&seen, &settled(3)), ["create for Replacement from a"]);
    }
}
