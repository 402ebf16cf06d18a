//! Operators with one fault each: a story that a seed draws finds it, by what it does wrong.

use shell_simulator::{End, Fault, Story, tell_faulty};
use simulator::Options;

use crate::lights_out;
use crate::told::good;

/// So many seeds find it, or nothing does.
const SEEDS: u64 = 600;

async fn recovered(fault: Option<Fault>) -> End {
    let mut story = Story::begin(1, Options { traced: true, ..Options::calm() });
    story.server.plant(fault);
    good(story.settles().await);
    good(lights_out(&mut story).await);
    story.end()
}

fn number(text: &str) -> u64 {
    text.parse().expect("a number")
}

/// Whether a story finds it, by what the last line tells of it.
fn is_found(fault: Fault, by: impl Fn(&str) -> bool) {
    let told = |seed| tell_faulty(seed, fault).err();
    let is_it = |told: String| told.lines().last().is_some_and(&by);
    assert!((1..=SEEDS).filter_map(told).any(is_it), "{fault:?} is not found in {SEEDS} stories");
}

/// Whether there was more than without trouble, where a line ends with how much: "epoch 3, and not 2".
fn is_more(told: &str, before: &str, between: &str) -> bool {
    let numbers = told.rsplit_once(before).and_then(|(_, told)| told.split_once(between));
    numbers.is_some_and(|(is, without)| number(is) > number(without))
}

#[test]
fn an_operator_whose_promises_are_written_after_what_it_does_is_found() {
    is_found(Fault::PromisesLate, |told| told.contains("begins and is written down nowhere"));
}

#[test]
fn an_operator_that_acts_whoever_holds_the_lease_is_found() {
    // What one of two begins the other begins again.
    is_found(Fault::AlwaysLeads, |told| is_more(told, " began ", " times, and not "));
}

#[test]
fn an_operator_that_takes_silence_for_a_stop_is_found() {
    // It brings up others in the place of those that still run.
    is_found(Fault::TakesSilenceForStopped, |told| is_more(told, "epoch ", ", and not "));
}

#[tokio::test(start_paused = true)]
async fn only_trouble_shows_what_is_wrong_with_them() {
    let reference = recovered(None).await;
    for fault in [
        Fault::AlwaysLeads,
        Fault::TakesAnyFateForTheEnd,
        Fault::TakesSilenceForStopped,
        Fault::TakesAllDataForTheSame,
    ] {
        let differs = recovered(Some(fault)).await.differs(&reference, 3, 0);
        assert!(differs.is_empty(), "{fault:?}: {}", differs.join("\n"));
    }
}

mod full {
    use super::*;

    #[test]
    fn an_operator_that_takes_any_fate_of_a_command_for_its_end_is_found() {
        is_found(Fault::TakesAnyFateForTheEnd, |told| told.contains("pods made and gone: "));
    }

    #[test]
    fn an_operator_that_takes_all_data_for_the_same_is_found() {
        is_found(Fault::TakesAllDataForTheSame, |told| told.contains("lacks acknowledged write"));
    }
}
