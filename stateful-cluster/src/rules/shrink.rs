//! Fewer pods: those that a person marked, then the unhealthy, then of an older template, then the youngest.

use crate::draft::Draft;
use crate::look::{Look, is_well};
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
    let leave: Vec<_> =
        in_order(look).into_iter().take(usize::try_from(extra).unwrap_or(usize::MAX)).collect();
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
}
