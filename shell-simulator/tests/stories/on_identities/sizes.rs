//! More and fewer members are asked for.

use std::time::Duration;

use shell_simulator::Story;

use super::{born, loses_power, options};
use crate::told::{Told, good};

/// One more, and one fewer.
pub(super) async fn there_and_back(story: &mut Story) -> Told {
    story.want(4, 4);
    story.settles().await?;
    story.want(3, 3);
    story.settles().await
}

#[tokio::test(start_paused = true)]
async fn a_set_grows_by_an_identity_and_becomes_smaller_by_one_that_is_never_given_again() {
    let (mut story, _) = born(options()).await;
    let before = story.identities();
    story.want(5, 5);
    good(story.settles().await);
    let grown = story.identities();
    assert!(grown.len() == 5 && grown.is_superset(&before), "{before:?} became {grown:?}");
    story.want(2, 2);
    good(story.settles().await);
    let left = story.identities();
    assert!(left.len() == 2 && left.is_subset(&grown), "{grown:?} became {left:?}");
    story.want(3, 3);
    good(story.settles().await);
    let now = story.identities();
    assert!(now.is_superset(&left) && now.intersection(&grown).count() == 2, "{grown:?} became {now:?}");
    assert_eq!(story.end().pods(), (6, 3));
}

/// The first member has no power for a while, and then nobody has: it alone lacks what clients wrote meanwhile.
#[tokio::test(start_paused = true)]
async fn who_holds_least_goes_where_a_set_becomes_smaller_while_all_rest() {
    let (mut story, _) = born(options()).await;
    let first = story.server.look(|cluster| cluster.name(0).cloned()).expect("it was named").0;
    story.server.befall(|cluster| {
        loses_power(cluster, 0, 40);
        cluster.write(3);
    });
    story.operators.passes(Duration::from_secs(20)).await;
    story.want(2, 2);
    story.server.befall(|cluster| cluster.cut_all_power(10_000));
    story.operators.passes(Duration::from_secs(30)).await;
    good(story.settles().await);
    let left = story.identities();
    assert!(left.len() == 2 && !left.contains(&first), "{first} had to go, and {left:?} are left");
}
