//! A snapshot of etcd that is restored: whoever was replaced since is not in it, and stands once more.

use shell_simulator::identities::{Blow, Wish};
use simulator::sampled;

use super::{BLOWS, LOST, Plot, WISHES, begun};
use crate::told::good;

/// Tells a plot once for each change in the API server that comes of it (or every so manieth), and then restores what was
/// there before that one: no law is broken, and it becomes well.
async fn restored_before_each(plot: Plot, step: usize) -> String {
    let mut wrong = Vec::new();
    for change in (0..).step_by(step) {
        let mut story = plot.begun(&Default::default(), false).await;
        let before = story.snapshots().len();
        (plot.befalls)(&story);
        good(story.settles().await);
        let Some(snapshot) = story.snapshots().get(before - 1 + change).copied() else { break };
        story.restore(snapshot);
        if let Err(told) = story.settles().await {
            wrong.push(format!("restored as it was before change {change}:\n{told}"));
        }
    }
    wrong.join("\n\n")
}

#[tokio::test(start_paused = true)]
async fn of_each_snapshot_of_a_replacement_that_is_restored_no_identity_is_given_again() {
    let wrong = restored_before_each(LOST, sampled(3, 1)).await;
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test(start_paused = true)]
async fn of_whatever_snapshot_is_restored_no_identity_is_given_again_and_no_claim_is_anothers() {
    for plot in BLOWS.into_iter().chain(WISHES) {
        let wrong = restored_before_each(plot, sampled(21, 7)).await;
        assert!(wrong.is_empty(), "{}\n{wrong}", plot.tells);
    }
}

/// That is not guaranteed: whoever took their places is in no snapshot, and goes.
#[tokio::test(start_paused = true)]
async fn those_that_were_replaced_since_a_snapshot_stand_again_once_it_is_restored() {
    let mut story = begun("Delete", &Default::default(), false).await;
    let (snapshot, before) = (story.snapshots().pop().unwrap_or_default(), story.standing());
    (0..3).for_each(|at| story.befall(Blow::Delete, at));
    good(story.settles().await);
    let since = story.standing();
    assert!(since.iter().all(|name| !before.contains(name)), "{before:?} {since:?}");
    story.restore(snapshot);
    assert_eq!(story.standing(), before, "as they were, and nobody made them");
    good(story.settles().await);
    assert_eq!((story.standing(), story.identities()), (before, 6));
    story.want(Wish::Size(5));
    good(story.settles().await);
    assert_eq!(story.identities(), 8, "and others are given names of their own");
}
