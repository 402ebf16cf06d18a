//! Stories of a set on a StatefulCluster: both controllers of the operator, and an application in the pods.

mod budget;
mod chance;
mod sizes;
mod troubles;

use std::time::Duration;

use planner::target::Failover;
use shell_simulator::{End, Story, Watches};
use simulator::{Cluster, Options, Positions};

use crate::lights_out;
use crate::told::{Told, good};

/// So long a member is away before another identity takes its place, in seconds.
const REPLACED_AFTER: u64 = 150;

/// What is acknowledged is with all that run: who is lost may be given up.
fn options() -> Options {
    let (positions, failover) = (Positions::Monotonic, Failover::AllowLoss);
    Options { positions, failover, traced: true, ..Options::calm() }
}

/// A set that was born.
async fn born(options: Options) -> (Story, End) {
    let mut story = Story::on_identities(1, options, REPLACED_AFTER, Watches::default());
    good(story.settles().await);
    let end = story.end();
    (story, end)
}

/// The machine of a member is without power for so long, in seconds.
fn loses_power(cluster: &mut Cluster, member: usize, seconds: u64) {
    let node = cluster.pods().into_values().nth(member).and_then(|pod| pod.node);
    let at = cluster.nodes().into_keys().position(|name| Some(name) == node);
    cluster.cut_power(at.expect("it has a node"), seconds * 1000);
}

/// The machine of the second member is without power for so long, in seconds, and clients go on.
async fn one_is_dark(story: &mut Story, seconds: u64) -> Told {
    story.server.befall(|cluster| {
        cluster.write(3);
        loses_power(cluster, 1, seconds);
        cluster.write(3);
    });
    story.settles().await
}

/// The same until the story is over.
async fn one_is_lost(story: &mut Story) -> Told {
    one_is_dark(story, 7200).await
}

/// A person deletes the pod of the second member.
async fn one_is_deleted(story: &mut Story) -> Told {
    story.server.befall(|cluster| {
        let pod = cluster.pods().into_values().nth(1).expect("there are three");
        cluster.delete_pod(&pod.uid, None);
    });
    story.settles().await
}

#[tokio::test(start_paused = true)]
async fn a_set_is_born_with_identities_and_recovers_with_the_same_after_a_power_cut() {
    let (mut story, end) = born(options()).await;
    let before = story.identities();
    assert_eq!((end.commands["Seed"], end.commands["Join"]), (1, 2), "{end:?}");
    assert_eq!((end.pods(), end.epoch, before.len()), ((3, 0), 1, 3), "{end:?}");
    good(lights_out(&mut story).await);
    let end = story.end();
    assert_eq!((end.commands["Seed"], end.commands["Join"]), (2, 4), "{end:?}");
    assert_eq!(
        (end.pods(), end.epoch, story.identities()),
        ((3, 0), 2, before),
        "nobody was replaced: {end:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn of_a_member_that_is_lost_with_its_machine_another_identity_takes_the_place_and_no_row_is_lost() {
    let (mut story, _) = born(options()).await;
    let before = story.identities();
    good(one_is_dark(&mut story, 600).await);
    let now = story.identities();
    assert_eq!((now.len(), now.intersection(&before).count(), story.end().epoch), (3, 2, 2));
    // Its machine is back: what was started there has ended, and nobody waits for it.
    story.operators.passes(Duration::from_secs(600)).await;
    good(story.settles().await);
    assert_eq!(story.end().pods(), (4, 1), "{:?}", story.end());
    good(lights_out(&mut story).await);
    assert_eq!((story.identities(), story.end().epoch), (now, 3));
}

#[tokio::test(start_paused = true)]
async fn what_was_started_of_who_was_replaced_keeps_all_waiting_for_a_person_after_a_power_cut() {
    let (mut story, _) = born(options()).await;
    good(one_is_lost(&mut story).await);
    story.server.befall(|cluster| cluster.cut_all_power(10_000));
    story.operators.passes(Duration::from_secs(12)).await;
    let waits = story.rests().await.unwrap_or_else(|told| panic!("{told}"));
    assert!(waits, "nobody knows whether it writes");
    assert_eq!(story.end().commands["Seed"], 1, "{:?}", story.end());
    assert!(story.holds().contains(&"StartOpen".to_owned()), "{:?}", story.holds());
}

#[tokio::test(start_paused = true)]
async fn a_follower_that_is_lost_with_its_machine_is_replaced_where_no_loss_is_allowed() {
    let followed = Options { primaries: 1, has_secondary: true, ..options() };
    let (mut story, _) = born(Options { failover: Failover::NoKnownLoss, ..followed }).await;
    let before = story.identities();
    good(one_is_lost(&mut story).await);
    let now = story.identities();
    assert_eq!((now.len(), now.intersection(&before).count()), (3, 2));
}

#[tokio::test(start_paused = true)]
async fn of_primaries_none_is_replaced_where_no_loss_is_allowed() {
    let (mut story, _) = born(Options { failover: Failover::NoKnownLoss, ..options() }).await;
    let before = story.identities();
    story.server.befall(|cluster| loses_power(cluster, 1, 400));
    story.operators.passes(Duration::from_secs(300)).await;
    assert_eq!(story.identities(), before);
    good(story.settles().await);
    assert_eq!(story.identities(), before, "its machine is back, and so is it");
}

#[tokio::test(start_paused = true)]
async fn whose_machine_is_back_in_time_keeps_its_place_and_gets_what_it_missed() {
    let (mut story, end) = born(options()).await;
    let before = story.identities();
    story.server.befall(|cluster| {
        loses_power(cluster, 1, 120);
        cluster.write(3);
    });
    story.operators.passes(Duration::from_secs(122)).await;
    good(story.settles().await);
    assert_eq!((story.identities(), story.end().pods()), (before, end.pods()));
}

#[tokio::test(start_paused = true)]
async fn whose_pod_a_person_deletes_comes_back_under_its_own_name_to_its_own_claim() {
    let (mut story, _) = born(options()).await;
    let before = story.identities();
    good(one_is_deleted(&mut story).await);
    let end = story.end();
    assert_eq!((story.identities(), end.pods(), end.epoch), (before, (4, 1), 1), "{end:?}");
}
