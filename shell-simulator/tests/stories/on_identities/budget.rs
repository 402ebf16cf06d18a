//! More members are lost than others may take the place of.

use std::time::Duration;

use shell_simulator::Story;

use super::{born, loses_power, options};
use crate::told::good;

/// So long a machine is without power.
const DARK: Duration = Duration::from_mins(10);

/// The machine of the youngest member is without power, and clients go on.
fn the_youngest_is_dark(story: &Story) {
    story.server.befall(|cluster| {
        cluster.write(3);
        let youngest = cluster.pods().len() - 1;
        loses_power(cluster, youngest, DARK.as_secs());
        cluster.write(3);
    });
}

/// Three may be replaced within an hour, unless it is said otherwise.
#[tokio::test(start_paused = true)]
async fn a_place_that_stays_open_as_the_budget_is_spent_is_told_until_another_has_it() {
    let (mut story, _) = born(options()).await;
    for _ in 0..3 {
        let before = story.identities();
        the_youngest_is_dark(&story);
        good(story.settles().await);
        // Its machine is back before the next goes, and takes pods.
        story.operators.passes(DARK).await;
        assert_eq!(story.identities().intersection(&before).count(), 2, "one was replaced");
        assert!(story.holds().is_empty(), "{:?}", story.holds());
    }
    let before = story.identities();
    the_youngest_is_dark(&story);
    story.operators.passes(Duration::from_mins(15)).await;
    assert_eq!(story.holds(), ["PlacesOpen"]);
    assert!(story.identities().is_subset(&before), "nobody has its place: {:?}", story.identities());
    good(story.settles().await);
    let now = story.identities();
    assert_eq!((now.len(), now.intersection(&before).count()), (3, 2), "the hour is over");
    assert!(story.holds().is_empty(), "{:?}", story.holds());
}
