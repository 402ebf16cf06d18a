//! Pods that go and may not.

use super::{Case, Rule, is_caught, updated};
use crate::fixture::{healthy, identity, revision, settled, uid};
use crate::observation::{Life, Node};
use crate::plan::{Cause, Step};
use crate::timer::Timer;

#[test]
fn a_deletion_without_a_cause_is_caught() {
    let mut seen = healthy(3);
    seen.pod(0).life = Life::Ended;
    let ended = Case::of(seen, settled(3));
    is_caught("it lives", &ended, Rule::Cause, |case| case.seen.pod(0).life = Life::Available);
    is_caught("it is another pod", &ended, Rule::Cause, |case| case.seen.pod(0).uid = uid(9));
    let mut seen = healthy(3);
    (seen.pod(0).node, seen.pod(0).labelled) = (Node::Silent, false);
    seen.ripen(Timer::Unheard(uid(0)));
    let stranded = Case::of(seen, settled(3));
    is_caught("its node is heard", &stranded, Rule::Cause, |case| case.seen.pod(0).node = Node::Heard);
    let mut seen = healthy(3);
    (seen.pod(0).node, seen.pod(0).leaving) = (Node::Silent, true);
    let ends = Case::of(seen, settled(3));
    assert_eq!(ends.plan.steps.len(), 2);
    is_caught("it ends where it is heard", &ends, Rule::Cause, |case| case.seen.pod(0).node = Node::Heard);
    is_caught("too soon", &stranded, Rule::Cause, |case| case.seen.ages.clear());
    is_caught("an update that needs another pod", &updated(), Rule::Cause, |case| {
        case.seen.pod(0).revision = revision("z", "1");
    });
}

#[test]
fn a_pod_that_ended_and_makes_room_for_the_next_one_of_it_without_a_pause_is_caught() {
    let mut seen = healthy(3);
    seen.pod(0).life = Life::Ended;
    seen.release(&[]);
    seen.ripen(Timer::Ended(uid(0)));
    let sound = Case::of(seen, settled(3));
    assert_eq!(sound.plan.steps.len(), 1);
    is_caught("it ended a moment ago", &sound, Rule::Cause, |case| case.seen.ages.clear());
}

#[test]
fn a_pod_that_is_thrown_away_for_want_of_a_claim_that_is_refused_is_caught() {
    let mut seen = healthy(3);
    seen.pod(1).life = Life::Starting;
    seen.ripen(Timer::Unhealthy(uid(1)));
    let sound = Case::of(seen, settled(3));
    assert_eq!(sound.plan.steps.len(), 1);
    is_caught("its claim is refused", &sound, Rule::Cause, |case| {
        case.seen.refused.insert((identity(1), "data".into()));
    });
}

#[test]
fn what_is_thrown_away_where_no_node_is_heard_or_together_with_another_is_caught() {
    let mut seen = healthy(3);
    (seen.pod(0).node, seen.pod(1).node) = (Node::Silent, Node::Silent);
    (0..2).for_each(|number| seen.ripen(Timer::Unheard(uid(number))));
    let sound = Case::of(seen, settled(3));
    assert_eq!(sound.plan.steps.len(), 1);
    is_caught("in the dark", &sound, Rule::Dark, |case| case.seen.any_heard = false);
    is_caught("two at once", &sound, Rule::Budget, |case| {
        case.plan.steps.push(Step::SetAside { identity: identity(1), if_pod: uid(1) });
    });
    let mut seen = healthy(3);
    seen.pod(0).life = Life::Unready;
    seen.ripen(Timer::Unhealthy(uid(0)));
    let sound = Case::of(seen, settled(3));
    is_caught("an unhealthy one", &sound, Rule::Dark, |case| case.seen.any_heard = false);
}

#[test]
fn who_is_thrown_away_before_the_last_one_is_made_up_for_is_caught() {
    let (mut ill, mut silent) = (healthy(3), healthy(3));
    ill.pod(0).life = Life::Unready;
    ill.ripen(Timer::Unhealthy(uid(0)));
    silent.pod(0).node = Node::Silent;
    silent.ripen(Timer::Unheard(uid(0)));
    let sound = Case::of(ill.clone(), settled(3));
    is_caught("one is missing", &sound, Rule::Turn, |case| case.seen.gone(1));
    for seen in [ill, silent] {
        let mut before = settled(3);
        before.spent.insert(identity(2));
        let sound = Case::of(seen, before);
        assert_eq!(sound.plan.steps.len(), 1);
        is_caught("it still starts", &sound, Rule::Turn, |case| case.seen.pod(2).life = Life::Starting);
    }
}

#[test]
fn a_surplus_that_is_none_is_caught() {
    let mut seen = healthy(3);
    seen.target.replicas = 2;
    let sound = Case::of(seen, settled(3));
    is_caught("two of three", &sound, Rule::Enough, |case| {
        let (identity, if_pod) = (identity(0), uid(0));
        case.plan.steps.push(Step::DeletePod { identity, if_pod, cause: Cause::Size });
    });
    let mut seen = healthy(2);
    (seen.target.replicas, seen.pod(0).life) = (1, Life::Ended);
    let sound = Case::of(seen, settled(2));
    is_caught("beside the one that ended", &sound, Rule::Enough, |case| {
        let (identity, if_pod) = (identity(1), uid(1));
        case.plan.steps.push(Step::DeletePod { identity, if_pod, cause: Cause::Size });
    });
}
