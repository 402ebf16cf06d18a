//! Where an owner decides who goes, whoever ended or is gone comes back under its own name: no other identity ever mounts
//! its claims, and its owner may need what they hold. Its pod before is gone first, as a StatefulSet does it; after a pause,
//! which a StatefulSet does not make: what ended one pod at once may end the next one, too.

use crate::draft::Draft;
use crate::hold::Hold;
use crate::look::Look;
use crate::names::Identity;
use crate::observation::{Life, Pod, Taken};
use crate::plan::Cause;
use crate::timer::Timer;

pub(crate) fn bring_back(draft: &mut Draft<'_>) {
    let ended: Vec<_> = draft.look.standing().filter(|(id, pod)| comes_back(&draft.look, id, pod)).collect();
    for (identity, pod) in ended {
        if draft.look.seen.is_ripe(&Timer::Ended(pod.uid.clone())) {
            draft.delete(identity, pod, Cause::Ended);
            draft.hold(Hold::Leaving(identity.clone()));
        } else {
            draft.hold(Hold::Ended(identity.clone()));
        }
    }
    for identity in draft.look.missed() {
        let seen = draft.look.seen;
        match (seen.pods.get(identity), seen.taken.get(identity)) {
            (None, None) => draft.create_again(identity),
            (None, Some(Taken::Standing)) => draft.hold(Hold::NameTaken(identity.clone())),
            // Until its node is back, or removed, nobody can say that it ended.
            (Some(pod), _) if pod.is_unheard() => draft.hold(Hold::Unreleased(identity.clone())),
            (Some(_), _) | (None, Some(Taken::Leaving)) => draft.hold(Hold::Leaving(identity.clone())),
        }
    }
}

/// Nothing runs in it any more, nothing will, and there will be another one of its identity.
pub(crate) fn comes_back(look: &Look<'_>, identity: &Identity, pod: &Pod) -> bool {
    pod.life == Life::Ended && look.seen.keeps_its_place(identity)
}

#[cfg(test)]
mod tests {
    use crate::fixture::decide;
    use crate::fixture::{healthy, identity, settled, uid, words};
    use crate::hold::Hold;
    use crate::memory::{Memory, Why};
    use crate::names::Identity;
    use crate::observation::{Birth, Life, Node, Observation, Taken};
    use crate::plan::Step;
    use crate::timer::Timer;
    use crate::timers;

    /// Three of which an owner has given up nobody.
    fn owned() -> Observation {
        let mut seen = healthy(3);
        seen.release(&[]);
        seen
    }

    fn made(seen: &Observation, memory: &Memory) -> Vec<Identity> {
        let of = |step: &Step| match step {
            Step::CreatePod { identity, .. } => Some(identity.clone()),
            _ => None,
        };
        decide(seen, memory).steps.iter().filter_map(of).collect()
    }

    #[test]
    fn who_is_gone_comes_back_under_its_own_name_and_without_the_budget() {
        let mut seen = owned();
        seen.gone(1);
        seen.target.budget = 0;
        let plan = decide(&seen, &settled(3));
        assert_eq!((words(&plan.steps), plan.holds), (vec!["create for Return from a".to_owned()], vec![]));
        assert_eq!(plan.memory.given, [(identity(1), Why::Return)].into(), "promised before it is done");
        assert!(plan.memory.spent.is_empty(), "nobody was replaced");
        assert_eq!(made(&seen, &Memory::default()), [identity(1)], "it needs no memory");
    }

    #[test]
    fn who_ended_is_gone_before_it_comes_back_and_not_at_once() {
        let mut seen = owned();
        seen.pod(1).life = Life::Ended;
        let plan = decide(&seen, &settled(3));
        assert_eq!((words(&plan.steps), plan.holds), (vec![], vec![Hold::Ended(identity(1))]));
        for node in [Node::Heard, Node::Silent] {
            seen.pod(1).node = node;
            assert_eq!(timers(&seen, &settled(3)), [(Timer::Ended(uid(1)), 10)].into());
        }
        seen.pod(1).node = Node::Heard;
        seen.ripen(Timer::Ended(uid(1)));
        let plan = decide(&seen, &settled(3));
        assert_eq!(words(&plan.steps), ["delete db-1: Ended"]);
        assert_eq!(plan.holds, [Hold::Leaving(identity(1))]);
        seen.pod(1).leaving = true;
        let plan = decide(&seen, &settled(3));
        assert_eq!((words(&plan.steps), plan.holds), (vec![], vec![Hold::Leaving(identity(1))]));
        seen.pod(1).node = Node::Silent;
        assert_eq!(
            decide(&seen, &settled(3)).holds,
            [Hold::Unreleased(identity(1))],
            "nobody can say until when"
        );
        seen.gone(1);
        assert_eq!(made(&seen, &settled(3)), [identity(1)]);
    }

    #[test]
    fn who_is_gone_waits_until_no_pod_of_anybody_has_its_name_and_that_pod_counts_for_nothing() {
        let mut seen = owned();
        seen.gone(1);
        for (taken, hold) in
            [(Taken::Standing, Hold::NameTaken(identity(1))), (Taken::Leaving, Hold::Leaving(identity(1)))]
        {
            seen.taken.insert(identity(1), taken);
            let plan = decide(&seen, &settled(3));
            assert_eq!((words(&plan.steps), plan.holds), (vec![], vec![hold]));
        }
        seen.target.replicas = 4;
        let plan = decide(&seen, &settled(3));
        assert_eq!(words(&plan.steps), ["create for Growth from a"], "there is room beside it");
        seen.target.replicas = 3;
        seen.release(&[1]);
        let steps = words(&decide(&seen, &settled(3)).steps);
        assert_eq!(steps, ["create for Replacement from a"], "whoever was given up needs no name");
    }

    #[test]
    fn who_ended_with_nothing_to_come_back_to_is_replaced_within_the_budget() {
        let mut seen = owned();
        seen.pod(1).life = Life::Ended;
        seen.claims.remove(&(identity(1), "data".into()));
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["delete db-1: Ended"]);
        seen.target.budget = 0;
        let plan = decide(&seen, &settled(3));
        assert_eq!((words(&plan.steps), plan.holds.len()), (vec![], 1), "{:?}", plan.holds);
    }

    #[test]
    fn nobody_comes_back_whose_pod_may_live_or_who_is_on_the_way_or_has_nothing_or_was_given_up() {
        type Change = fn(&mut Observation, &mut Memory);
        let cases: [(&str, Change, &[u32]); 7] = [
            ("it is gone", |seen, _| seen.gone(1), &[1]),
            (
                "it ends on a silent node",
                |seen, _| {
                    (seen.pod(1).leaving, seen.pod(1).node) = (true, Node::Silent);
                },
                &[],
            ),
            (
                "it is on the way",
                |seen, known| {
                    seen.gone(1);
                    known.given.insert(identity(1), Why::Return);
                },
                &[],
            ),
            (
                "it was refused",
                |seen, known| {
                    seen.gone(1);
                    known.given.insert(identity(1), Why::Return);
                    seen.births.insert(identity(1), Birth::Refused);
                },
                &[1],
            ),
            (
                "its claims are gone",
                |seen, _| {
                    seen.gone(1);
                    seen.claims.remove(&(identity(1), "data".into()));
                },
                &[100],
            ),
            (
                "it ended, and its claims are gone",
                |seen, _| {
                    seen.pod(1).life = Life::Ended;
                    seen.claims.remove(&(identity(1), "data".into()));
                },
                &[],
            ),
            (
                "it was given up",
                |seen, _| {
                    seen.gone(1);
                    seen.release(&[1]);
                },
                &[100],
            ),
        ];
        for (sentence, change, expected) in cases {
            let (mut seen, mut known) = (owned(), settled(3));
            change(&mut seen, &mut known);
            let expected: Vec<_> = expected.iter().copied().map(identity).collect();
            assert_eq!(made(&seen, &known), expected, "{sentence}");
        }
    }

    #[test]
    fn all_who_were_not_given_up_come_back_whatever_number_is_asked_for() {
        let mut seen = owned();
        (0..3).for_each(|number| seen.gone(number));
        seen.target.replicas = 0;
        assert_eq!(made(&seen, &settled(3)), (0..3).map(identity).collect::<Vec<_>>());
    }
}
