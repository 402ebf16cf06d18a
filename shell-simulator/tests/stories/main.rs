//! Stories of the whole operator, each told without trouble, and with some after its effects.

mod chance;
mod changes;
mod identities;
mod on_identities;
mod planted;
mod rivals;
mod told;

use std::time::Duration;

use shell_simulator::{Story, Trouble};
use simulator::Options;
use told::{Tale, Told, at_once, born, settles};

/// All nodes lose their power.
pub(crate) async fn lights_out(story: &mut Story) -> Told {
    story.server.befall(|cluster| cluster.cut_all_power(10_000));
    story.operators.passes(Duration::from_secs(12)).await;
    story.settles().await
}

fn birth() -> Tale<impl AsyncFn(&mut Story) -> Told, impl AsyncFn(&mut Story) -> Told> {
    Tale { options: Options::calm(), before: at_once, plot: settles }
}

fn recovery() -> Tale<impl AsyncFn(&mut Story) -> Told, impl AsyncFn(&mut Story) -> Told> {
    Tale { options: Options::calm(), before: settles, plot: lights_out }
}

#[tokio::test(start_paused = true)]
async fn a_set_is_born_and_then_nothing_is_done_any_more() {
    let (_, end) = born(Options::calm()).await;
    assert_eq!((end.commands["Seed"], end.commands["Join"]), (1, 2), "{end:?}");
    assert_eq!((end.pods(), end.epoch), ((3, 0), 1), "{end:?}");
}

#[tokio::test(start_paused = true)]
async fn after_a_power_cut_one_member_is_seeded_and_the_others_join_it() {
    let (mut story, before) = born(Options::calm()).await;
    lights_out(&mut story).await.unwrap_or_else(|told| panic!("{told}"));
    let end = story.end();
    for (command, more) in [("Seed", 1), ("Join", 2), ("Read", 3)] {
        assert_eq!(end.commands[command], before.commands[command] + more, "{command}: {end:?}");
    }
    assert_eq!((end.pods(), end.epoch), ((3, 0), 2), "no pod was replaced: {end:?}");
}

#[tokio::test(start_paused = true)]
async fn a_crash_after_any_effect_of_a_birth_changes_nothing_of_its_end() {
    birth().with_each_crash().await;
}

#[tokio::test(start_paused = true)]
async fn a_crash_after_any_effect_of_a_recovery_changes_nothing_of_its_end() {
    recovery().with_each_crash().await;
}

/// What a request meets on its way, one kind after the other.
const TROUBLES: [Trouble; 7] = [
    Trouble::Refused(409),
    Trouble::AnswerLost,
    Trouble::Late(5),
    Trouble::Refused(429),
    Trouble::Unanswered,
    Trouble::Refused(500),
    Trouble::Late(40),
];

#[tokio::test(start_paused = true)]
async fn no_refusal_no_lost_answer_and_nothing_late_changes_anything_of_the_end_of_a_recovery() {
    recovery().with_each(3, &TROUBLES).await;
}
