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

/// The end of what is told of the first story that finds it.
fn found(fault: Fault) -> String {
    let found = (1..=SEEDS).find_map(|seed| tell_faulty(seed, fault).err());
    let told = found.unwrap_or_else(|| panic!("{fault:?} is not found in {SEEDS} stories"));
    told.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn an_operator_whose_promises_are_written_after_what_it_does_is_found() {
    let told = found(Fault::PromisesLate);
    assert!(told.contains("begins and is written down nowhere"), "{told}");
}

#[test]
fn an_operator_that_acts_whoever_holds_the_lease_is_found() {
    let told = found(Fault::AlwaysLeads);
    assert!(told.contains("began ") && told.contains(" times, and not 1"), "{told}");
}

#[test]
fn an_operator_that_takes_any_fate_of_a_command_for_its_end_is_found() {
    let told = found(Fault::TakesAnyFateForTheEnd);
    assert!(told.contains("pods made and gone: "), "{told}");
}

#[test]
fn an_operator_that_takes_silence_for_a_stop_is_found() {
    let told = found(Fault::TakesSilenceForStopped);
    // It brings up others in the place of those that still run.
    let epochs = told.rsplit_once("epoch ").and_then(|(_, told)| told.split_once(", and not "));
    let number = |text: &str| text.trim().parse::<u64>().expect("a number");
    assert!(epochs.is_some_and(|(is, without)| number(is) > number(without)), "{told}");
}

#[test]
fn an_operator_that_takes_all_data_for_the_same_is_found() {
    let told = found(Fault::TakesAllDataForTheSame);
    assert!(told.contains("lacks acknowledged write"), "{told}");
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
