//! Several starts of one running member in one container.

use crate::names::{AttemptId, ContainerId};
use crate::start::{Lock, Start, StartKind};

/// What only turned a running member is part of the start that made it, once it is over and seen to have turned it, or
/// late; its lock is asked again. Two that each made one stay: a record that was written in part brings a closed start
/// back, and which of them the member runs by nobody can tell then.
pub(super) fn fold(open: &mut Vec<Start>, container: &ContainerId, is_late: impl Fn(&Start) -> bool) {
    let here = |start: &Start| start.container == *container;
    let kept = made_by(open, container).cloned();
    let folds = |start: &Start| here(start) && rank(start.kind) > 0 && Some(&start.attempt) != kept.as_ref();
    let is_over = |start: &Start| start.ended && (start.confirmed || is_late(start));
    let over = open.iter().filter(|start| here(start)).all(is_over);
    if over && open.iter().any(folds) {
        open.retain(|start| !folds(start));
        open.iter_mut().filter(|start| here(start)).for_each(|start| start.lock = Lock::Unasked);
    }
}

/// The start that a member runs by in this container; the others only turned it. Two records made one do not tell the
/// order of their starts, but their kinds do.
pub(super) fn made_by<'a>(open: &'a [Start], container: &ContainerId) -> Option<&'a AttemptId> {
    let here = open.iter().filter(|start| start.container == *container);
    here.min_by_key(|start| rank(start.kind)).map(|start| &start.attempt)
}

/// What may have made a member comes before what can only have turned it.
fn rank(kind: StartKind) -> u32 {
    match kind {
        StartKind::Seed | StartKind::Join | StartKind::Found => 0,
        StartKind::Follow => 1,
        StartKind::Promote | StartKind::Demote => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{container, memory, name, record, start, stopped_set};
    use StartKind::{Demote, Follow, Found, Join, Promote, Seed};

    #[test]
    fn what_turned_a_member_is_folded_into_what_made_it_in_whatever_order_they_stand() {
        for (sentence, kinds, left) in [
            ("made only", vec![Join], vec![0]),
            ("promoted", vec![Join, Promote], vec![0]),
            ("told whom to follow", vec![Seed, Follow], vec![0]),
            ("the other order", vec![Follow, Seed], vec![1]),
            ("made as a follower, and promoted", vec![Promote, Follow], vec![1]),
            ("turned again and again", vec![Found, Demote, Follow, Promote], vec![0]),
            ("two that made it", vec![Join, Join], vec![0, 1]),
            ("two that made it, and one that turned it", vec![Seed, Join, Demote], vec![0, 1]),
        ] {
            let mut open: Vec<Start> = (0..kinds.len()).map(|n| start(0, &n.to_string())).collect();
            open.iter_mut().zip(kinds).for_each(|(start, kind)| start.kind = kind);
            let all = open.clone();
            fold(&mut open, &container(0), |_| false);
            let names: Vec<usize> = open.iter().map(|start| start.attempt.0.parse().unwrap()).collect();
            assert_eq!(names, left, "{sentence}");
            let is_asked_again = open.iter().all(|start| start.lock == Lock::Unasked);
            assert_eq!(is_asked_again, open.len() < all.len(), "{sentence}");
        }
    }

    #[test]
    fn what_turns_a_member_is_folded_once_it_is_over_and_seen_or_late() {
        for (sentence, change, late, folds) in [
            ("it did", (|_| {}) as fn(&mut Start), false, true),
            ("it goes on", |start| start.ended = false, true, false),
            ("it is elsewhere", |start| start.container = container(1), true, false),
            ("it may take effect yet", |start| start.confirmed = false, false, false),
            ("it came to nothing", |start| start.confirmed = false, true, true),
        ] {
            let mut open = vec![start(0, "join"), start(0, "promote")];
            open[1].kind = Promote;
            change(&mut open[1]);
            fold(&mut open, &container(0), |_| late);
            assert_eq!(open.len() == 1, folds, "{sentence}");
        }
    }

    #[test]
    fn a_closed_start_that_a_record_written_in_part_brings_back_stays_beside_the_one_that_followed() {
        let mut seen = stopped_set(1).answers(0, 0);
        let written = record(0).confirmed_in(1).starts(2).open_start("second");
        seen.replicas.get_mut(&name(0)).unwrap().claims[0].record = Some(written);
        let known = memory([record(0).confirmed_in(1).open_start("first")]);
        let plan = crate::decide(&seen, &known);
        assert_eq!(plan.memory.of(&name(0)).map(|record| record.open.len()).sum::<usize>(), 2);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
    }
}
