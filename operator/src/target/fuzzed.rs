//! Whatever the API server holds as a resource, the target of it is one that can be acted on, or there is none.

use std::time::Duration;

use super::Target;
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

#[test]
fn a_resource_becomes_a_target_within_its_bounds_or_none() {
    let json = |text: &&str| {
        let value: serde_json::Value = serde_saphyr::from_str(text).expect("a manifest");
        value.to_string().into_bytes()
    };
    let resource = fuzz::Target {
        name: "resource",
        seeds: SEEDS.iter().map(json).collect(),
        tokens: &TOKENS,
        most: 64 << 10,
    };
    resource.hold(|bytes| {
        let Ok(set) = serde_json::from_slice::<ReplicatedStatefulSet>(bytes) else { return };
        let parsed = Target::parse(&set);
        if let Err(invalid) = &parsed {
            assert!(!invalid.problems.is_empty(), "it says what is wrong");
        }
        let Ok(target) = &parsed else { return };
        assert!(
            target.primaries <= target.replicas && target.interval >= Duration::from_secs(1),
            "{target:?}"
        );
        assert!((1..=100).contains(&target.recovery.parallel_joins), "{target:?}");
        assert!(!target.container.is_empty() && target.name.len() <= 48, "{target:?}");
        // What is written back and read again is wanted just the same.
        let again = serde_json::to_vec(&set).expect("it was read from JSON");
        let again = serde_json::from_slice(&again).expect("a resource that was written here");
        assert_eq!(Target::parse(&again), parsed);
    });
}
