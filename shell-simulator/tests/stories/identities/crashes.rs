//! A process that dies after each of its effects, and requests that go wrong.

use std::time::Duration;

use shell_simulator::Trouble;
use shell_simulator::identities::{Blow, Wish};

use super::{BLOWS, WISHES, WITHOUT_CLAIM, are_told_with_each, begun, plain};
use crate::TROUBLES;
use crate::told::good;

#[tokio::test(start_paused = true)]
async fn three_pods_are_made_each_with_a_claim_of_its_own_and_then_nothing_is_done_any_more() {
    let story = begun("Delete", &Default::default(), false).await;
    let end = story.end();
    assert_eq!((end.pods, end.claims, story.identities()), ((3, 0), (3, 0), 3), "{end:?}");
}

/// Of each plot: pods that were made, and that went; the same of claims.
const COSTS: [(&str, [usize; 4]); 13] = [
    ("a pod is deleted", [4, 1, 4, 1]),
    ("a pod is deleted by force", [4, 1, 4, 0]),
    ("a pod is evicted", [4, 1, 4, 0]),
    ("a pod fails for good", [4, 1, 4, 1]),
    ("a node has no power any more", [4, 0, 4, 0]),
    ("a node is removed", [4, 1, 4, 0]),
    ("two more are asked for", [5, 0, 5, 0]),
    ("two fewer are asked for", [3, 2, 3, 2]),
    ("two fewer are asked for, whose claims stay", [3, 2, 3, 0]),
    ("another image is asked for", [3, 0, 3, 0]),
    ("an image is asked for that is not there", [3, 0, 3, 0]),
    ("other arguments are asked for", [6, 3, 6, 3]),
    ("a pod and its claim are deleted", [4, 1, 4, 1]),
];

#[tokio::test(start_paused = true)]
async fn who_is_gone_is_followed_by_one_identity_with_one_claim_and_leaves_its_own_as_the_policy_says() {
    let mut costs = Vec::new();
    for plot in BLOWS.iter().chain(&WISHES).chain([&WITHOUT_CLAIM]) {
        let (end, _) = plain(*plot).await;
        costs.push((plot.tells, [end.pods.0, end.pods.1, end.claims.0, end.claims.1]));
    }
    assert_eq!(costs, COSTS);
}

#[tokio::test(start_paused = true)]
async fn a_crash_after_any_effect_of_what_befalls_pods_changes_nothing_of_how_it_ends() {
    are_told_with_each(&BLOWS, 1, &[Trouble::Death], false).await;
    are_told_with_each(&[WITHOUT_CLAIM], 1, &[Trouble::Death], false).await;
}

#[tokio::test(start_paused = true)]
async fn a_crash_after_any_effect_of_what_is_asked_for_changes_nothing_of_how_it_ends() {
    are_told_with_each(&WISHES, 1, &[Trouble::Death], false).await;
}

#[tokio::test(start_paused = true)]
async fn no_refusal_no_lost_answer_and_nothing_late_changes_anything_of_what_befalls_pods() {
    are_told_with_each(&BLOWS, 2, &TROUBLES, false).await;
    are_told_with_each(&[WITHOUT_CLAIM], 2, &TROUBLES, false).await;
}

#[tokio::test(start_paused = true)]
async fn no_refusal_no_lost_answer_and_nothing_late_changes_anything_of_what_is_asked_for() {
    are_told_with_each(&WISHES, 2, &TROUBLES, false).await;
}

/// Kubernetes by itself would have told all of them to end meanwhile.
#[tokio::test(start_paused = true)]
async fn a_power_cut_of_ten_minutes_costs_no_identity_where_none_may_take_the_place_of_another() {
    let mut story = begun("Delete", &Default::default(), false).await;
    let before = story.standing();
    story.want(Wish::Budget(0));
    (0..3).for_each(|at| story.befall(Blow::PowerOff, at));
    good(story.passes(Duration::from_secs(600)).await);
    story.befall(Blow::PowerOn, 0);
    good(story.settles().await);
    assert_eq!((story.standing(), story.identities()), (before, 3));
}
