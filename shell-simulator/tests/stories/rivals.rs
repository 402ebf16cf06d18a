//! More than one process, and processes that see or hear late.

use std::time::Duration;

use planner::observation::Command;
use planner::target::ForcedDeletion;
use shell_simulator::{Story, Trouble, Watches};
use simulator::{Cluster, Options};

use crate::lights_out;
use crate::told::{Tale, Told, born, good, with_each};

async fn with_another(story: &mut Story) -> Told {
    story.operators.stand_by();
    story.settles().await
}

/// Longer than a lease: the other one leads when it wakes, and what it had sent lands then.
#[tokio::test(start_paused = true)]
async fn a_leader_that_freezes_before_any_effect_and_wakes_in_another_ones_term_changes_nothing() {
    let recovery = Tale { options: Options::calm(), before: with_another, plot: lights_out };
    recovery.with_each(1, &[Trouble::Freeze(60), Trouble::Freeze(20)]).await;
}

/// What it hears late is what stood in the status when the one before it had not done yet what it did last.
#[tokio::test(start_paused = true)]
async fn a_successor_whose_watch_of_the_set_is_late_writes_down_nothing_of_before() {
    let begin = async || {
        let watches = Watches { lags: vec![("replicatedstatefulsets", 30_000)], ..Watches::default() };
        let options = Options { traced: true, ..Options::calm() };
        let mut story = Story::watching(1, options, watches);
        good(story.settles().await);
        good(with_another(&mut story).await);
        story
    };
    let plot = async |story: &mut Story| {
        story.server.befall(|cluster| {
            let first = cluster.pods().into_values().next().expect("a member");
            cluster.kill_database(&first.uid);
        });
        story.settles().await
    };
    let wrong = with_each(begin, plot, 1, &[Trouble::Freeze(20)]).await;
    assert!(wrong.is_empty(), "{wrong}");
}

/// A birth and a recovery whose watches tell everything twice, break off now and then, and are so late, and in which what
/// is asked for gets no answer now and then: what is other than in the story without that.
async fn seen_late(lags: &[&[(&'static str, u64)]]) -> String {
    let (mut reference, _) = born(Options::calm()).await;
    lights_out(&mut reference).await.unwrap_or_else(|told| panic!("{told}"));
    let mut wrong = Vec::new();
    for lags in lags {
        let watches = Watches { lags: lags.to_vec(), stutters: true, unanswered: true, unelected: true };
        let options = Options { traced: true, ..Options::calm() };
        let mut story = Story::watching(1, options, watches);
        let told = match story.settles().await {
            Ok(()) => lights_out(&mut story).await,
            told => told,
        };
        let differs =
            told.err().map_or_else(|| story.end().differs(&reference.end(), 3, 2), |told| vec![told]);
        wrong.extend((!differs.is_empty()).then(|| format!("{lags:?}: {}", differs.join("\n"))));
    }
    wrong.join("\n\n")
}

/// What happened later to another kind is told before.
#[tokio::test(start_paused = true)]
async fn watches_that_are_late_break_off_and_repeat_themselves_change_nothing_of_the_end_of_a_recovery() {
    let wrong = seen_late(&[
        &[],
        &[("pods", 4000)],
        &[("nodes", 9000)],
        &[("persistentvolumeclaims", 3000), ("statefulsets", 5000)],
        &[("replicatedstatefulsets", 6000)],
    ]);
    let wrong = wrong.await;
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test(start_paused = true)]
async fn nodes_that_are_told_after_their_pods_hold_no_member_for_a_person() {
    let wrong = seen_late(&[&[("pods", 4000), ("nodes", 9000)]]).await;
    assert!(wrong.is_empty(), "{wrong}");
}

/// The pod of the member that was told to seed last, if another was before it.
fn second_seed(cluster: &Cluster) -> Option<planner::names::PodUid> {
    let seeds: Vec<_> = cluster.began().iter().filter(|began| began.command == Command::Seed).collect();
    let replica = &seeds.get(1)?.replica;
    let number: u32 = replica.0.rsplit('-').next()?.parse().ok()?;
    Some(cluster.pods().get(&number)?.uid.clone())
}

/// What is known of nodes is as old as from before the power cut when the start is promised, and of now when its pod is
/// gone: only the boot that it is written with tells that nothing ended it.
#[tokio::test(start_paused = true)]
async fn a_start_whose_pod_is_deleted_by_force_before_it_was_seen_to_run_is_not_closed_by_a_boot_that_is_told_late()
 {
    let watches = Watches { lags: vec![("nodes", 30_000)], ..Watches::default() };
    let options = Options { forced_deletion: ForcedDeletion::Hold, traced: true, ..Options::calm() };
    let mut story = Story::watching(1, options, watches);
    story.settles().await.unwrap_or_else(|told| panic!("{told}"));
    story.server.befall(|cluster| cluster.cut_all_power(10_000));
    let mut pod = None;
    for _ in 0..2000 {
        story.operators.passes(Duration::from_millis(20)).await;
        pod = pod.or_else(|| story.server.look(second_seed));
        if pod.is_some() {
            break;
        }
    }
    let pod = pod.expect("a member is told to seed");
    story.server.befall(|cluster| cluster.force_delete(&pod));
    let waits = story.rests().await.unwrap_or_else(|told| panic!("{told}"));
    assert!(waits, "nothing but a person says that it is over");
}
