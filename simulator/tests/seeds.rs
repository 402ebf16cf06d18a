//! Seeds that were told and ended well stay that way.

use simulator::{Outcome, Report, simulate, tell};

fn ends_well(report: &Report) {
    let failure = report.failure.as_ref().map(Outcome::to_string);
    assert!(failure.is_none(), "{}", failure.unwrap_or_default());
}

#[test]
fn the_first_thousand_seeds_end_well() {
    ends_well(&simulate(1, 1000));
}

#[test]
fn a_thousand_others_end_well() {
    ends_well(&simulate(1_000_000, 1000));
}

#[test]
fn a_seed_tells_the_same_story_every_time() {
    let (once, again) = (tell(7, true, true), tell(7, true, true));
    assert_eq!(once.trace, again.trace);
    assert!(once.effects > 0 && !once.trace.is_empty());
}
