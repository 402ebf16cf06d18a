//! Primaries that fail, sizes that change, a status that is lost, a clock that jumps.

use std::time::Duration;

use shell_simulator::Story;
use simulator::Options;
use tokio::time::advance;

use crate::lights_out;
use crate::told::{Tale, Told, born, settles};

async fn there_and_back(story: &mut Story) -> Told {
    story.want(4, 4);
    story.settles().await?;
    story.want(3, 3);
    story.settles().await
}

async fn another_template(story: &mut Story) -> Told {
    story.specify("/pod/containers/0/image", "db:2".into());
    story.settles().await
}

/// The database of the primary ends, its container does not.
async fn failover(story: &mut Story) -> Told {
    story.server.befall(|cluster| {
        if let Some(pod) = cluster.pods().get(&0) {
            cluster.kill_database(&pod.uid);
        }
    });
    story.settles().await
}

#[tokio::test(start_paused = true)]
async fn a_crash_after_any_effect_of_growing_and_shrinking_changes_nothing_of_its_end() {
    let tale = Tale { options: Options::calm(), before: settles, plot: there_and_back };
    tale.with_each_crash().await;
}

#[tokio::test(start_paused = true)]
async fn a_crash_after_any_effect_of_a_rollout_starts_nobody_once_more() {
    Tale { options: Options::calm(), before: settles, plot: another_template }.with_each_crash().await;
}

#[tokio::test(start_paused = true)]
async fn a_primary_that_ends_is_followed_by_another_and_no_crash_changes_anything_of_it() {
    let options = Options { primaries: 1, has_secondary: true, ..Options::calm() };
    let tale = Tale { options, before: settles, plot: failover };
    tale.with_each_crash().await;
}

#[tokio::test(start_paused = true)]
async fn a_status_that_was_lost_before_a_power_cut_is_made_up_for_by_the_claims() {
    let (mut reference, _) = born(Options::calm()).await;
    lights_out(&mut reference).await.unwrap_or_else(|told| panic!("{told}"));
    let (mut story, _) = born(Options::calm()).await;
    story.erase_status();
    lights_out(&mut story).await.unwrap_or_else(|told| panic!("{told}"));
    let differs = story.end().differs(&reference.end(), 3, 1);
    assert!(differs.is_empty(), "{}", differs.join("\n"));
}

/// A process that stood still for an hour finds every deadline passed. What it saw last was of before: no container failed
/// to start for an hour.
#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_in_the_middle_of_a_recovery_costs_no_pod_and_makes_nobody_seed_twice() {
    for seconds in [11, 12, 13, 14] {
        let (mut story, _) = born(Options::calm()).await;
        story.server.befall(|cluster| cluster.cut_all_power(10_000));
        story.operators.passes(Duration::from_secs(seconds)).await;
        advance(Duration::from_secs(3600)).await;
        story.settles().await.unwrap_or_else(|told| panic!("{told}"));
        let end = story.end();
        assert_eq!((end.commands["Seed"], end.epoch), (2, 2), "after {seconds} s: {end:?}");
        assert_eq!(end.pods(), (3, 0), "after {seconds} s: {end:?}");
    }
}
