//! A process that dies after each of its effects, and requests that go wrong.

use std::time::Duration;

use shell_simulator::Trouble;
use shell_simulator::identities::{Blow, Wish};

use super::{PLOTS, begun, plain, with_each};
use crate::TROUBLES;
use crate::told::good;

#[tokio::test(start_paused = true)]
async fn three_pods_are_made_each_with_a_claim_of_its_own_and_then_nothing_is_done_any_more() {
    let story = begun(&Default::default(), false).await;
    let end = story.end();
    assert_eq!((end.pods, end.claims, story.identities()), ((3, 0), (3, 0), 3), "{end:?}");
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_is_gone_is_followed_by_one_identity_and_its_claim_by_one_claim() {
    let (end, _) = plain(PLOTS[0].1).await;
    assert_eq!((end.pods, end.claims), ((4, 1), (4, 1)), "{end:?}");
}

#[tokio::test(start_paused = true)]
async fn a_crash_after_any_effect_changes_nothing_of_how_it_ends() {
    for (sentence, plot) in PLOTS {
        let wrong = with_each(plot, 1, &[Trouble::Death], false).await;
        assert!(wrong.is_empty(), "{sentence}\n{wrong}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_refusal_no_lost_answer_and_nothing_late_changes_anything_of_how_it_ends() {
    for (sentence, plot) in PLOTS {
        let wrong = with_each(plot, 1, &TROUBLES, false).await;
        assert!(wrong.is_empty(), "{sentence}\n{wrong}");
    }
}

/// Kubernetes by itself would have told all of them to end meanwhile.
#[tokio::test(start_paused = true)]
async fn a_power_cut_of_ten_minutes_costs_no_identity_where_none_may_take_the_place_of_another() {
    let mut story = begun(&Default::default(), false).await;
    let before = story.standing();
    story.want(Wish::Budget(0));
    (0..3).for_each(|at| story.befall(Blow::PowerOff, at));
    good(story.passes(Duration::from_secs(600)).await);
    story.befall(Blow::PowerOn, 0);
    good(story.settles().await);
    assert_eq!((story.standing(), story.identities()), (before, 3));
}
