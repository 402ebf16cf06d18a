//! More than one process, and processes that see or hear late.

use shell_simulator::{Trouble, Watches};
use simulator::sampled;

use super::{BLOWS, WISHES, are_told_with_each, plain};
use crate::told::Again;

#[tokio::test(start_paused = true)]
async fn a_leader_that_freezes_before_an_effect_and_wakes_in_another_ones_term_changes_nothing() {
    for plots in [BLOWS.as_slice(), &WISHES] {
        are_told_with_each(plots, 3, &[Trouble::Freeze(60), Trouble::Freeze(20)], true).await;
    }
}

/// Longer than a request can be on its way: more pods than are asked for may come of it, each of an identity of its own.
#[tokio::test(start_paused = true)]
async fn a_leader_that_wakes_when_its_promises_were_given_up_gives_no_identity_twice() {
    for plot in BLOWS.into_iter().chain(WISHES) {
        let (_, effects) = plain(plot).await;
        for at in (1..=effects.len()).step_by(sampled(12, 3)) {
            let mut story = plot.begun(&Watches::default(), true).await;
            story.crowds();
            story.operators.strike(at, Trouble::Freeze(super::TOO_LATE.as_secs()));
            (plot.befalls)(&story);
            let told = story.passes(super::TOO_LATE).await.and(story.settles().await);
            assert!(told.is_ok(), "{}, at effect {at}: {}", plot.tells, told.unwrap_err());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn watches_that_are_late_break_off_and_repeat_themselves_change_nothing_of_how_it_ends() {
    let late: [&[(&str, u64)]; 5] = [
        &[],
        &[("pods", 4000)],
        &[("nodes", 9000)],
        &[("persistentvolumeclaims", 3000), ("controllerrevisions", 5000)],
        &[("statefulclusters", 6000)],
    ];
    for plot in BLOWS.into_iter().chain(WISHES).step_by(sampled(4, 1)) {
        let (end, _) = plain(plot).await;
        for lags in late {
            let watches = Watches { lags: lags.to_vec(), stutters: true, unanswered: true, unelected: true };
            let mut story = plot.begun(&watches, false).await;
            (plot.befalls)(&story);
            let told = story.settles().await;
            let differs = told.err().map_or_else(|| story.differs(&end), |told| vec![told]);
            assert!(differs.is_empty(), "{}, {lags:?}\n{}", plot.tells, differs.join("\n"));
        }
    }
}
