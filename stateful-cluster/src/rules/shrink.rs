//! Fewer pods: those that a person marked, then the unhealthy, then of an older template, then the youngest.

use crate::draft::Draft;
use crate::hold::Hold;
use crate::look::{Look, is_well, number};
use crate::names::Identity;
use crate::observation::Pod;
use crate::plan::Cause;
use crate::target::Order;
use std::cmp::Reverse;

pub(crate) fn shrink(draft: &mut Draft<'_>) {
    let look = &draft.look;
    let wanted = look.seen.target.replicas + u32::from(look.is_surging());
    let mut extra = look.count().saturating_sub(wanted);
    if look.seen.target.order == Order::OneByOne {
        let one_ends = look.seen.pods.values().any(|pod| pod.leaving && !pod.is_unheard());
        extra = extra.min(u32::from(!one_ends));
    }
    let mut leave: Vec<_> =
        in_order(look).into_iter().filter(|(identity, _)| !look.is_kept(identity)).collect();
    leave.truncate(usize::try_from(extra).unwrap_or(usize::MAX));
    let kept = extra.saturating_sub(number(leave.len()));
    if kept > 0 {
        draft.hold(Hold::Surplus(kept));
    }
    for (identity, pod) in leave {
        draft.delete(identity, pod, Cause::Size);
    }
}

fn in_order<'a>(look: &Look<'a>) -> Vec<(&'a Identity, &'a Pod)> {
    let mut pods: Vec<_> = look.standing().collect();
    pods.sort_by_key(|(identity, pod)| {
        (!pod.marked, is_well(pod), look.is_new(pod), Reverse(pod.created), Reverse((*identity).clone()))
    });
    pods
}

#[cfg(test)]
mod tests {
    use crate::fixture::decide;
    use crate::fixture::{healthy, settled, words};
    use crate::hold::Hold;
    use crate::observation::{Life, Node};
    use crate::target::Order;

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
