//! A policy that takes too much is refused by a process of its own, and the process that began it stays small.
//!
//! The test has a program of its own, because it measures the most memory that its process ever had.

mod made;

use std::time::{Duration, Instant};

use operator::policy::isolated::{Bounds, Limit};
use operator::policy::{Component, Host, Isolated, NoVerdict, Refusal, Settings, Unfit};
use serde_json::json;

use made::{most_resident, nested_loops, policy};

/// The most resident memory in bytes of the process that loads nothing itself.
const RESIDENT: u64 = 80 << 20;

fn isolated(bounds: Bounds) -> Isolated {
    Isolated::new(env!("CARGO_BIN_EXE_rss-operator"), bounds)
}

/// It passes the inspection. Compiling it takes some 100 MiB and seconds.
fn large() -> Vec<u8> {
    policy(&nested_loops(107, 200).repeat(4))
}

#[tokio::test]
async fn a_policy_passes_within_the_limits_that_the_operator_sets() {
    let loaded = isolated(Bounds::default()).load(&policy("")).await;
    assert_eq!(loaded.unwrap(), Ok(()));
}

#[tokio::test]
async fn the_largest_component_that_is_inspected_successfully_passes_within_them() {
    let loaded = isolated(Bounds::default()).load(&large()).await;
    assert_eq!(loaded.unwrap(), Ok(()));
}

#[tokio::test]
async fn a_component_that_takes_more_memory_is_refused_by_that_name_and_the_operator_stays_small() {
    let bounds = Bounds { memory: 40, ..Bounds::default() };
    let refused = isolated(bounds).load(&large()).await.unwrap().unwrap_err();
    assert!(matches!(refused, Refusal::Limit(Limit::Memory(40) | Limit::MemoryOrStack(40))), "{refused}");
    let words = refused.to_string();
    assert!(words.starts_with("the process that loads it takes more than 40 MiB of memory"), "{words}");
    let resident = most_resident();
    assert!(resident < RESIDENT, "{} MiB", resident >> 20);
}

#[tokio::test]
async fn a_component_that_takes_more_processor_time_is_refused_by_that_name() {
    let functions = nested_loops(107, 200).repeat(19);
    let bounds = Bounds { processor: 1, ..Bounds::default() };
    let refused = isolated(bounds).load(&policy(&functions)).await.unwrap().unwrap_err();
    assert_eq!(refused, Refusal::Limit(Limit::Processor(1)));
}

#[tokio::test]
async fn what_is_no_policy_is_refused_in_the_words_of_its_inspection() {
    let bytes = b"\0asm\x01\0\0\0";
    let here = Component::load(&Host::new().unwrap(), bytes).unwrap_err();
    let refused = isolated(Bounds::default()).load(bytes).await.unwrap();
    assert_eq!(refused, Err(Refusal::Isolated(here.to_string())));
}

#[tokio::test]
async fn settings_are_checked_by_the_schema() {
    let isolated = isolated(Bounds::default());
    let schema = json!({"properties": {"weight": {"type": "integer"}}, "additionalProperties": false});
    let check = async |settings: serde_json::Value| {
        let settings = Settings::new(settings.as_object().unwrap().clone()).unwrap();
        isolated.check(&schema.to_string(), &settings).await.unwrap()
    };
    assert_eq!(check(json!({"weight": 3})).await, Ok(()));
    let unknown = "/height: there is no such setting".to_owned();
    assert_eq!(check(json!({"height": 3})).await, Err(Unfit::Isolated(unknown)));
}

#[tokio::test]
async fn a_process_that_does_not_begin_or_says_nothing_is_not_held_against_the_policy() {
    let load = async |program: &str| Isolated::new(program, Bounds::default()).load(&policy("")).await;
    assert!(matches!(load("/nowhere").await, Err(NoVerdict::Start(_))));
    assert!(matches!(load("/bin/false").await, Err(NoVerdict::Silent(_))));
    assert!(matches!(load("/bin/true").await, Err(NoVerdict::Silent(_))));
    assert!(matches!(load("/bin/echo").await, Err(NoVerdict::Silent(_))), "it says something else");
    // No engine comes up in so little memory.
    let tiny = Bounds { memory: 1, ..Bounds::default() };
    assert!(isolated(tiny).load(&policy("")).await.is_err());
}

#[tokio::test]
async fn a_process_that_does_not_end_is_ended() {
    let (bounds, began) = (Bounds { time: Duration::ZERO, ..Bounds::default() }, Instant::now());
    let late = isolated(bounds).load(&large()).await;
    assert!(matches!(late, Err(NoVerdict::Late(_))));
    assert!(began.elapsed() < Duration::from_secs(5));
}
