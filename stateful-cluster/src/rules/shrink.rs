//! Fewer pods: those that cannot stay anyway, those that a person marked, then the unhealthy, then of an older template,
//! then the youngest.

use crate::draft::Draft;
use crate::hold::Hold;
use crate::look::{Look, is_steady, number};
use crate::names::Identity;
use crate::observation::Pod;
use crate::plan::{Cause, Step};
use crate::target::Order;
use std::cmp::Reverse;
use std::collections::BTreeSet;

pub(crate) fn shrink(draft: &mut Draft<'_>) {
    let look = &draft.look;
    let wanted = look.seen.target.replicas + u32::from(look.is_surging());
    // Who goes for another reason in this very plan is not there any more.
    let going = going(&draft.plan.steps);
    let mut extra = look.count().saturating_sub(wanted + number(going.len()));
    if look.seen.target.order == Order::OneByOne {
        let one_ends = look.seen.pods.values().any(|pod| pod.leaving && !pod.is_unheard());
        extra = extra.min(u32::from(!one_ends && going.is_empty()));
    }
    let may_leave = |identity: &Identity| !look.is_kept(identity) && !going.contains(identity);
    let mut leave: Vec<_> = in_order(look).into_iter().filter(|(identity, _)| may_leave(identity)).collect();
    leave.truncate(usize::try_from(extra).unwrap_or(usize::MAX));
    let kept = extra.saturating_sub(number(leave.len()));
    if kept > 0 {
        draft.hold(Hold::Surplus(kept));
    }
    for (identity, pod) in leave {
        draft.delete(identity, pod, Cause::Size);
    }
}

fn going(steps: &[Step]) -> BTreeSet<Identity> {
    let of = |step: &Step| match step {
        Step::DeletePod { identity, .. } => Some(identity.clone()),
        _ => None,
    };
    steps.iter().filter_map(of).collect()
}

fn in_order<'a>(look: &Look<'a>) -> Vec<(&'a Identity, &'a Pod)> {
    let mut pods: Vec<_> = look.standing().collect();
    pods.sort_by_key(|(identity, pod)| {
        let stays = (look.condemned(identity, pod).is_none(), !pod.marked, is_steady(pod), look.is_new(pod));
        (stays, Reverse(pod.created), Reverse((*identity).clone()))
    });
    pods
}

#[cfg(test)]
mod tests {
    use crate::fixture::decide;
    use crate::fixture::{healthy, settled, uid, words};
    use crate::hold::Hold;
    use crate::observation::{Life, Node};
    use crate::target::Order;
    use crate::timer::Timer;

    #[test]
    fn the_marked_go_first_then_the_unhealthy_then_the_youngest() {
        let mut seen = healthy(5);
        seen.target.replicas = 2;
        (seen.pod(0).marked, seen.pod(1).life) = (true, Life::Unready);
        let gone = words(&decide(&seen, &settled(5)).steps);
        assert_eq!(gone, ["delete db-0: Size", "delete db-1: Size", "delete db-4: Size"]);
        seen.pod(2).node = Node::Silent;
        let gone = words(&decide(&seen, &settled(5)).steps);
        assert_eq!(
            gone[1..],
            ["delete db-2: Size", "delete db-1: Size"],
            "unheard is not healthy; younger first"
        );
    }

    #[test]
    fn one_by_one_each_ends_before_the_next() {
        let mut seen = healthy(5);
        (seen.target.replicas, seen.target.order) = (2, Order::OneByOne);
        assert_eq!(words(&decide(&seen, &settled(5)).steps), ["delete db-4: Size"]);
        seen.pod(4).leaving = true;
        assert_eq!(words(&decide(&seen, &settled(5)).steps), [""; 0]);
    }

    #[test]
    fn who_cannot_stay_is_the_surplus_and_takes_nobody_along() {
        let mut seen = healthy(2);
        seen.target.replicas = 1;
        (seen.pod(0).life, seen.pod(1).life) = (Life::Ended, Life::Unready);
        assert_eq!(words(&decide(&seen, &settled(2)).steps), ["delete db-0: Ended"]);
        (seen.pod(1).life, seen.pod(1).marked) = (Life::Available, true);
        assert_eq!(
            words(&decide(&seen, &settled(2)).steps),
            ["delete db-0: Ended"],
            "the other one is marked"
        );
        seen.target.budget = 0;
        assert_eq!(
            words(&decide(&seen, &settled(2)).steps),
            ["delete db-0: Size"],
            "it need not be replaced"
        );
        (seen.pod(0).life, seen.pod(0).node) = (Life::Available, Node::Silent);
        (seen.target.budget, seen.pod(0).labelled) = (3, true);
        seen.ripen(Timer::Unheard(uid(0)));
        assert_eq!(words(&decide(&seen, &settled(2)).steps), ["set db-0 aside"]);
        let mut seen = healthy(4);
        (seen.target.replicas, seen.pod(0).life) = (2, Life::Ended);
        let steps = words(&decide(&seen, &settled(4)).steps);
        assert_eq!(steps, ["delete db-0: Ended", "delete db-3: Size"]);
        seen.target.order = Order::OneByOne;
        assert_eq!(words(&decide(&seen, &settled(4)).steps), ["delete db-0: Ended"]);
    }

    #[test]
    fn a_mark_alone_removes_nobody() {
        let mut seen = healthy(3);
        seen.pod(0).marked = true;
        assert!(decide(&seen, &settled(3)).steps.is_empty());
    }

    #[test]
    fn where_an_owner_decides_those_go_that_it_has_given_up_and_no_others() {
        let mut seen = healthy(4);
        seen.target.replicas = 2;
        (seen.pod(2).marked, seen.pod(3).life) = (true, Life::Unready);
        seen.release(&[0]);
        let plan = decide(&seen, &settled(4));
        assert_eq!(words(&plan.steps), ["delete db-0: Size"]);
        assert!(plan.holds.contains(&Hold::Surplus(1)), "{:?}", plan.holds);
        seen.release(&[0, 1, 2]);
        let plan = decide(&seen, &settled(4));
        assert_eq!(words(&plan.steps), ["delete db-2: Size", "delete db-1: Size"], "the rest is no surplus");
        assert!(!plan.holds.contains(&Hold::Surplus(1)));
    }
}
