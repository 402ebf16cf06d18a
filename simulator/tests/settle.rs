//! From every small state that a set without faults can be in, with the operator dying just after
//! any one of its effects, the set comes to rest, and no later round acts.

#![allow(clippy::print_stdout, reason = "the counts are what a person asks of these tests")]

use simulator::{Beginning, Options, sampled, settles};

/// Tells one beginning without a crash, then once for each effect with a crash after it.
fn with_every_crash(options: &Options, beginning: &Beginning) -> u64 {
    let whole = settles(options.clone(), beginning);
    assert!(whole.breaches.is_empty(), "{beginning:?}\n{whole}");
    for effect in 1..=whole.effects {
        let options = Options { crashes: vec![effect], ..options.clone() };
        let outcome = settles(options, beginning);
        assert!(outcome.breaches.is_empty(), "{beginning:?}, a crash after effect {effect}\n{outcome}");
    }
    whole.effects + 1
}

/// For each change of the source one in so many of the beginnings is tried.
const SAMPLE: usize = 16;

/// All beginnings come to more than a thousand stories.
fn every_beginning(options: &Options) {
    let (all, step) = (Beginning::all(), sampled(SAMPLE, 1));
    let stories: u64 = all.iter().step_by(step).map(|beginning| with_every_crash(options, beginning)).sum();
    println!("{stories} stories");
    assert!(stories > 1000 / step as u64, "{stories}");
}

#[test]
fn a_set_of_primaries_settles_from_everywhere() {
    every_beginning(&Options::calm());
}

#[test]
fn a_set_with_secondaries_settles_from_everywhere() {
    every_beginning(&Options::followed());
}
