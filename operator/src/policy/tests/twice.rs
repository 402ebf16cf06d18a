//! Two runs of one question that differ. Nothing that the host takes can do that, so this policy is given a counter
//! behind the host's back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use largest_integer::LargestInteger;
use native_policy::Native;
use planner::decision::{Decisions, SequenceOutput, Verdict};
use planner::plan::Reason;
use planner::record::Reading;
use wasmtime::component::Linker;

use super::*;
use crate::api::{self, SetStatus};
use crate::events;
use crate::policy::bindings as wit;
use crate::policy::conform::{Property, conform, survey};
use crate::policy::guest::Image;
use crate::policy::load::LoadError;
use crate::policy::record::Outcome;
use crate::policy::{Judge, Obstacle, Policy, Settings, translate};
use crate::report::words;

const WORDS: &str = "the policy answered the same question differently in a second run";

/// 0 and 1 by turns.
const PARITY: &str = "(i32.and (i32.wrap_i64 (call $next)) (i32.const 1))";

/// A component that is as it was inspected, but for its code: that does this too, and has `$next`.
fn fickle(guest: &Guest, export: &str, body: &str) -> Component {
    let mut component = loaded(guest);
    let counting = guest.clone().body(body).counting(export).component();
    let mut linker = Linker::new(&host().engine);
    let count = AtomicU64::new(0);
    let next =
        move |_: wasmtime::StoreContextMut<'_, _>, (): ()| Ok((count.fetch_add(1, Ordering::Relaxed),));
    linker.instance("counter").unwrap().func_wrap("next", next).unwrap();
    component.pre = linker.instantiate_pre(&host().compile(&counting).unwrap()).unwrap();
    let worlds = &mut component.worlds;
    worlds.seed = worlds.seed.as_ref().and_then(|_| wit::seed::SeedPolicyIndices::new(&component.pre).ok());
    worlds.sequence =
        worlds.sequence.as_ref().and_then(|_| wit::sequence::SequencePolicyIndices::new(&component.pre).ok());
    component
}

/// Its reason has another letter in it each time.
fn seeds() -> Component {
    fickle(
        &Guest::seed(),
        "export seed;",
        &format!("(i32.store8 (i32.const 1032) (i32.add (i32.const 97) {PARITY}))"),
    )
}

/// It says the same each time, and takes longer every other time.
fn reads() -> Component {
    let sequence = Guest::sequence(Image::unreadable());
    fickle(&sequence, "export sequence;", &format!("(if {PARITY} (then (drop (memory.size))))"))
}

#[test]
fn what_gives_it_away_is_an_import_and_nobody_has_one() {
    let counting = Guest::seed().counting("export seed;").component();
    assert_eq!(load(&counting).map(drop), Err(Refusal::Import("counter".to_owned())));
}

#[test]
fn a_policy_that_disagrees_with_itself_does_not_conform_and_the_set_is_told_to_wait_for_another_try() {
    for component in [seeds(), reads()] {
        let broken = survey(&component, "{}").broken;
        assert_eq!(broken.iter().map(|one| one.property).collect::<Vec<_>>(), [Property::SameTwice]);
        let interface = broken[0].question.interface();
        let digest = *component.digest();
        let error = LoadError::Broken { digest, broken: conform(&component, "{}").unwrap_err() };
        let told = format!("{digest}: SameTwice does not hold for {interface}: {WORDS}");
        let judge = Judge {
            active: None,
            obstacle: Some(Obstacle::from(&error)),
            ..Judge::builtin(LargestInteger::default())
        };
        let happened = events::of_policy(&judge, &SetStatus::default());
        let [event] = &happened[..] else { panic!("{happened:?}") };
        // It may be the machine: the same policy is tried again, and is not held to be bad.
        assert_eq!(event.reason, events::Reason::Shell(api::Reason::PolicyUnavailable));
        assert!(event.note.starts_with(&told) && event.is_warning, "{}", event.note);
    }
}

#[test]
fn a_policy_that_disagrees_with_itself_when_it_decides_has_no_verdict_and_the_set_says_so() {
    static DEFAULT: Native<LargestInteger> = Native(LargestInteger { monotonic: false });
    let policy = |component| Policy::new(Arc::new(component), Arc::new(Settings::default()), &DEFAULT);
    let seeds = policy(seeds());
    let verdict = seeds.seed(&translate::candidates(&members(&[1, 2])));
    assert_eq!(verdict, Verdict::Missing(WORDS.to_owned()));
    let records = seeds.take_records();
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_eq!(record.outcome, Outcome::Failed(WORDS.to_owned()));
    let judge = Judge::builtin(LargestInteger { monotonic: false });
    let news = events::RefusalsTold::default().news(&judge, &records);
    let told: Vec<_> = news.into_iter().map(|one| one.note).collect();
    let by = record.policy.as_ref().map(words::by).unwrap();
    assert_eq!(told, [format!("{by} did not answer seed: {WORDS}")]);
    let hold = words::reason(&Reason::NoSeedVerdict(WORDS.to_owned()), None);
    assert_eq!(hold, format!("the policy named no seed: {WORDS}"));

    let output =
        SequenceOutput { replica: &"db-0".into(), code: 0, stdout: "7", stderr: "", truncated: false };
    assert_eq!(policy(reads()).sequence(&output).reading, Reading::Unreadable(WORDS.to_owned()));
}
