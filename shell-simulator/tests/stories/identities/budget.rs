//! What no pod becomes available with, and what that may cost.

use std::time::Duration;

use shell_simulator::identities::{Story, Wish};

use crate::told::good;

const HOUR: Duration = Duration::from_secs(3600);

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
