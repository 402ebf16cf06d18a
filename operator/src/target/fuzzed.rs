//! Whatever the API server holds as a resource, the target of it is one that can be acted on, or there is none.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use super::{Invalid, Target};
use crate::api::ReplicatedStatefulSet;
use crate::fuzz;

/// Manifests that other tests have, and words of theirs.
const SEEDS: [&str; 4] = [
    include_str!("../../tests/fixtures/everything.yaml"),
    include_str!("../../tests/fixtures/galera.yaml"),
    include_str!("../../tests/fixtures/dummy.yaml"),
    include_str!("../../tests/fixtures/stopped.yaml"),
];
const TOKENS: [&str; 8] =
    ["replicas", "primaries", "timeout", "\"1h\"", "\"-5s\"", "\"99999999999h\"", "monitor", "settings"];

fn resources() -> fuzz::Target<'static> {
    let json = |text: &&str| {
        let value: serde_json::Value = serde_saphyr::from_str(text).expect("a manifest");
        value.to_string().into_bytes()
    };
    let seeds = SEEDS.iter().map(json).collect();
    fuzz::Target { name: "resource", seeds, tokens: &TOKENS, most: 64 << 10 }
}

type Parse = fn(&ReplicatedStatefulSet) -> Result<Target, Invalid>;

fn check(bytes: &[u8], parse: Parse) {
    let Ok(set) = serde_json::from_slice::<ReplicatedStatefulSet>(bytes) else { return };
    let parsed = parse(&set);
    if let Err(invalid) = &parsed {
        assert!(!invalid.problems.is_empty(), "it says what is wrong");
    }
    let Ok(target) = &parsed else { return };
    assert!(target.primaries <= target.replicas && target.interval >= Duration::from_secs(1), "{target:?}");
    assert!((1..=100).contains(&target.recovery.parallel_joins), "{target:?}");
    assert!(!target.container.is_empty() && target.name.len() <= 48, "{target:?}");
    // What is written back and read again is wanted just the same.
    let again = serde_json::to_vec(&set).expect("it was read from JSON");
    let again = serde_json::from_slice(&again).expect("a resource that was written here");
    assert_eq!(parse(&again), parsed);
}

#[test]
fn a_resource_becomes_a_target_within_its_bounds_or_none() {
    resources().hold(|bytes| check(bytes, Target::parse));
}

#[test]
fn targets_out_of_their_bounds_are_found_out() {
    let wrong: [(&str, Parse); 6] = [
        ("more primaries than members", |set| {
            Target::parse(set).map(|target| Target { primaries: target.replicas + 1, ..target })
        }),
        ("no time between two looks", |set| {
            Target::parse(set).map(|target| Target { interval: Duration::ZERO, ..target })
        }),
        ("no joins at a time", |set| {
            Target::parse(set).map(|mut target| {
                target.recovery.parallel_joins = 0;
                target
            })
        }),
        ("no container", |set| {
            Target::parse(set).map(|target| Target { container: String::new(), ..target })
        }),
        ("a refusal that says nothing", |set| {
            Target::parse(set).map_err(|_| Invalid { problems: Vec::new() })
        }),
        ("another target each time", |set| {
            static GENERATION: AtomicI64 = AtomicI64::new(0);
            let generation = GENERATION.fetch_add(1, Ordering::Relaxed);
            Target::parse(set).map(|target| Target { generation, ..target })
        }),
    ];
    for (sentence, parse) in wrong {
        assert!(resources().finds(|bytes| check(bytes, parse)), "{sentence}");
    }
}
