//! What no pod becomes available with, and what that may cost.

use std::time::Duration;

use shell_simulator::Trouble;
use shell_simulator::identities::{Blow, Story, Wish};

use super::{LOST, begun, plain};
use crate::told::good;

const HOUR: Duration = Duration::from_secs(3600);

/// Shorter than what passes from the start of a process to its first look: it has no lease yet.
const TICK: Duration = Duration::from_millis(100);

/// The first template has none to go back to.
#[tokio::test(start_paused = true)]
async fn a_first_image_that_is_not_there_costs_the_budget_in_each_window_and_no_more_and_the_right_one_ends_that()
 {
    let mut story = Story::begin(1, 3, "Delete", Default::default());
    for wish in [Wish::Image("db:bad"), Wish::Budget(2), Wish::Window("1h")] {
        story.want(wish);
    }
    good(story.passes(HOUR).await);
    assert_eq!(story.identities(), 3 + 2);
    assert!(story.holds().contains("BudgetSpent"), "{}", story.holds());
    good(story.passes(HOUR).await);
    assert_eq!(story.identities(), 3 + 2 + 2, "the next window has a budget of its own");
    let standing = story.standing();
    story.want(Wish::Image("db:1"));
    good(story.settles().await);
    assert_eq!((story.standing(), story.identities()), (standing, 3 + 2 + 2), "it is mended where it stands");
}

/// Whoever comes next never sees it, and nobody says whether it was made.
#[tokio::test(start_paused = true)]
async fn a_replacement_that_is_gone_before_the_successor_of_who_asked_for_it_looks_counts_in_the_budget() {
    let (_, effects) = plain(LOST).await;
    let creation = effects.iter().position(|effect| effect.starts_with("Create pods/")).unwrap();
    let mut story = begun("Delete", &Default::default(), false).await;
    let before = story.standing();
    [Wish::Budget(1), Wish::Window("1h")].into_iter().for_each(|wish| story.want(wish));
    story.operators.strike(creation + 1, Trouble::Death);
    story.befall(Blow::Delete, 1);
    while story.operators.deaths() == 0 {
        good(story.passes(TICK).await);
    }
    let new = story.standing().iter().position(|name| !before.contains(name));
    story.befall(Blow::Force, new.expect("the operator died, and the pod that it made stands"));
    good(story.passes(HOUR / 2).await);
    assert_eq!(story.identities(), 3 + 1);
    assert!(story.holds().contains("BudgetSpent"), "{}", story.holds());
    good(story.passes(HOUR).await);
    assert_eq!(story.identities(), 3 + 2, "the next window has a budget of its own");
}
