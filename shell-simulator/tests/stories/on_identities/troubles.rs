//! Processes that die, requests that go wrong, more than one process, and processes that see late.

use shell_simulator::{Story, Trouble, Watches};

use simulator::sampled;

use super::sizes::there_and_back;
use super::{REPLACED_AFTER, born, one_is_deleted, one_is_lost, options};
use crate::told::{Told, good, with_each};
use crate::{TROUBLES, lights_out};

/// Tells a plot once for every so manieth effect of it, with one of these troubles there, in turns.
async fn changes_nothing(plot: impl AsyncFn(&mut Story) -> Told, step: usize, troubles: &[Trouble]) {
    let wrong = with_each(async || born(options()).await.0, plot, step, troubles).await;
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test(start_paused = true)]
async fn a_crash_after_any_effect_of_a_replacement_changes_nothing_of_its_end() {
    // It has more effects than the other stories.
    changes_nothing(one_is_lost, sampled(4, 1), &[Trouble::Death]).await;
}

#[tokio::test(start_paused = true)]
async fn a_crash_after_any_effect_of_a_recovery_changes_nothing_of_its_end() {
    changes_nothing(lights_out, 1, &[Trouble::Death]).await;
}

#[tokio::test(start_paused = true)]
async fn a_crash_after_any_effect_of_a_return_changes_nothing_of_its_end() {
    changes_nothing(one_is_deleted, 1, &[Trouble::Death]).await;
}

#[tokio::test(start_paused = true)]
async fn a_crash_after_any_effect_of_growing_and_shrinking_changes_nothing_of_its_end() {
    changes_nothing(there_and_back, 1, &[Trouble::Death]).await;
}

#[tokio::test(start_paused = true)]
async fn no_refusal_no_lost_answer_and_nothing_late_changes_anything_of_a_replacement() {
    changes_nothing(one_is_lost, 14, &TROUBLES).await;
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_freezes_in_a_replacement_and_wakes_in_another_ones_term_changes_nothing() {
    let begin = async || {
        let (mut story, _) = born(options()).await;
        story.operators.stand_by();
        good(story.settles().await);
        story
    };
    let wrong = with_each(begin, one_is_lost, 20, &[Trouble::Freeze(60), Trouble::Freeze(20)]).await;
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test(start_paused = true)]
async fn watches_that_are_late_break_off_and_repeat_themselves_change_nothing_of_a_replacement() {
    let (mut reference, _) = born(options()).await;
    good(one_is_lost(&mut reference).await);
    let late: [&[(&str, u64)]; 2] = [
        &[("pods", 4000), ("persistentvolumeclaims", 3000)],
        &[("nodes", 9000), ("statefulclusters", 6000), ("replicatedstatefulsets", 5000)],
    ];
    for lags in late {
        let watches = Watches { lags: lags.to_vec(), stutters: true, unanswered: true, unelected: true };
        let mut story = Story::on_identities(1, options(), REPLACED_AFTER, watches);
        good(story.settles().await);
        good(one_is_lost(&mut story).await);
        let differs = story.end().differs(&reference.end(), 3, 2);
        assert!(differs.is_empty(), "{lags:?}\n{}", differs.join("\n"));
    }
}
