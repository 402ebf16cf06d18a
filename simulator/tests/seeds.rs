//! Seeds that were told and ended well stay that way.

#![allow(clippy::print_stdout, reason = "the counts are what a person asks of these tests")]

use planner::Readiness;
use simulator::{Outcome, Report, foretell, sampled, simulate, tell, tell_foretold, tell_with_policies};
use std::collections::BTreeMap;

fn ends_well(report: &Report) {
    let failure = report.failure.as_ref().map(Outcome::to_string);
    assert!(failure.is_none(), "{}", failure.unwrap_or_default());
}

#[test]
fn the_first_seeds_end_well() {
    ends_well(&simulate(1, sampled(150, 1000)));
}

#[test]
fn seeds_far_from_the_first_end_well() {
    ends_well(&simulate(1_000_000, sampled(150, 1000)));
}

/// Each was told wrong once, and is none of the thousands.
#[test]
fn seeds_that_went_wrong_once_end_well() {
    for seed in [
        20220, 21021, 22242, 23590, 24104, 25814, 29728, 31594, 33359, 35730, 38941, 45433, 55804, 57806,
        63136, 65491, 66684, 67696, 71522, 74424, 77485, 502632,
    ] {
        ends_well(&simulate(seed, 1));
    }
}

#[test]
fn sets_whose_policy_is_changed_at_any_moment_end_well() {
    // The last ones were told wrong once.
    for seed in (1..=sampled(100, 1000)).chain([1169, 60422, 75974, 77058]) {
        let outcome = tell_with_policies(seed, true, false);
        if !outcome.breaches.is_empty() {
            panic!("{}", tell_with_policies(seed, true, true));
        }
    }
}

/// Whatever befell the set before, and in every mode.
#[test]
fn what_is_said_of_a_lights_out_is_what_becomes_of_it() {
    let mut said = BTreeMap::new();
    // The last one was told wrong once.
    for seed in (1..=200).chain([223]) {
        let (outcome, readiness) = foretell(seed, true, false);
        if !outcome.breaches.is_empty() {
            panic!("{}", tell_foretold(seed, true, true));
        }
        let word = match readiness {
            Some(Readiness::Ready(..)) => "it comes back",
            Some(Readiness::NotReady(_)) => "it is held",
            Some(Readiness::Unknown(_)) => "nobody knows",
            None => "nobody asked",
        };
        *said.entry(word).or_insert(0) += 1;
    }
    println!("{said:?}");
    for (word, at_least) in [("it comes back", 80), ("it is held", 60)] {
        assert!(said.get(word).is_some_and(|count| *count >= at_least), "what is compared: {said:?}");
    }
}

#[test]
fn a_seed_tells_the_same_story_every_time() {
    let (once, again) = (tell(7, true, true), tell(7, true, true));
    assert_eq!(once.trace, again.trace);
    assert!(once.effects > 0 && !once.trace.is_empty());
}
