//! A policy behind the planner's questions.

use std::sync::{Arc, LazyLock};

use super::*;
use crate::policy::guest::Image;
use crate::policy::record::Outcome;
use crate::policy::{Policy, Settings};
use largest_integer::LargestInteger;
use native_policy::Native;
use planner::decision::{Candidate, Decisions, Judgement, SequenceOutput, Treatment, Verdict};
use planner::names::ReplicaName;
use planner::position::Position;
use planner::record::Reading;

const DEFAULT: Native<LargestInteger> = Native(LargestInteger { monotonic: false });

fn policy(guest: &Guest) -> Policy<'static> {
    Policy::new(Arc::new(loaded(guest)), Arc::new(Settings::default()), &DEFAULT)
}

fn printed(code: i32, stdout: &'static str) -> SequenceOutput<'static> {
    static REPLICA: LazyLock<ReplicaName> = LazyLock::new(|| name("db-0"));
    SequenceOutput { replica: &REPLICA, code, stdout, stderr: "", truncated: false }
}

fn candidates(ordinals: &[u32]) -> Vec<Candidate> {
    let candidate = |n: &u32| Candidate {
        replica: ReplicaName(format!("db-{n}")),
        ordinal: *n,
        created_at: None,
        position: Some(Position::Ordinal(u64::from(*n))),
        facts: Vec::new(),
    };
    ordinals.iter().map(candidate).collect()
}

fn name(name: &str) -> ReplicaName {
    ReplicaName(name.into())
}

#[test]
fn what_the_component_exports_is_its_decision_and_the_rest_the_defaults() {
    let policy = policy(&Guest::seed());
    // The component takes the lowest ordinal, the default the largest position.
    let Verdict::Proposed { answer, why } = policy.seed(&candidates(&[2, 1, 3])) else { panic!() };
    assert_eq!((answer, why.as_str()), (name("db-1"), "the lowest ordinal"));
    assert_eq!(policy.sequence(&printed(0, "42")).reading, Reading::At(Position::Ordinal(42)));
    let Verdict::Proposed { answer, .. } = policy.primaries(&candidates(&[1, 3, 2])) else { panic!() };
    assert_eq!(answer, [name("db-3"), name("db-2"), name("db-1")]);
}

#[test]
fn a_reading_comes_with_its_facts_and_is_never_a_position_of_a_failure() {
    let policy = policy(&Guest::sequence(Image::ordinal(7).facts(&[("safe_to_bootstrap", "1")])));
    let facts = vec![("safe_to_bootstrap".to_owned(), "1".to_owned())];
    let reading = Reading::At(Position::Ordinal(7));
    assert_eq!(policy.sequence(&printed(0, "x")), Judgement { reading, facts });
    let Reading::Unreadable(why) = policy.sequence(&printed(3, "7")).reading else { panic!() };
    assert!(why.contains("ended with 3"), "{why}");
}

#[test]
fn a_reading_that_is_not_believed_says_what_is_wrong_in_the_same_words_each_time() {
    let reads = |intervals: &[(u64, u64)]| {
        let policy = policy(&Guest::sequence(Image::history(&[("a", intervals)])));
        policy.sequence(&printed(0, "x")).reading
    };
    let why = "the policy's answer is refused: an interval ends before it begins";
    for interval in [(9, 8), (12, 3)] {
        assert_eq!(reads(&[interval]), Reading::Unreadable(why.to_owned()));
    }
    let apart = reads(&[(1, 5), (5, 9)]);
    assert!(apart == reads(&[(1, 7), (2, 9)]) && apart != reads(&[(9, 8)]), "{apart:?}");
}

#[test]
fn a_policy_that_fails_is_a_missing_verdict_with_its_reason() {
    let endless = "(loop $again (br $again))";
    let why = Failure::OutOfFuel.to_string();
    let seeds = policy(&Guest::seed().body(endless));
    assert_eq!(seeds.seed(&candidates(&[1])), Verdict::Missing(why.clone()));
    let reads = policy(&Guest::sequence(Image::ordinal(7)).body(endless));
    assert_eq!(reads.sequence(&printed(0, "7")).reading, Reading::Unreadable(why.clone()));
    let orders = policy(&Guest::primaries().body(endless));
    assert_eq!(orders.primaries(&candidates(&[1])), Verdict::Missing(why.clone()));
    let treats = policy(&Guest::replicas().body(endless));
    assert_eq!(treats.replicas(&candidates(&[1])[0], &[]), Verdict::Missing(why));
}

#[test]
fn a_policy_that_refuses_says_why_and_one_that_holds_too() {
    let refuses = policy(&Guest::seed().body("(i32.store8 (i32.const 512) (i32.const 1))"));
    assert_eq!(refuses.seed(&candidates(&[1])), Verdict::Missing("the lowest ordinal".into()));
    let holds = policy(&Guest::replicas().body("(i32.store8 (i32.const 512) (i32.const 2))"));
    let Verdict::Proposed { answer, .. } = holds.replicas(&candidates(&[1])[0], &[]) else { panic!() };
    assert_eq!(answer, Treatment::Hold("the first".into()));
    let follows = policy(&Guest::replicas());
    let primaries = [name("db-9"), name("db-10")];
    let Verdict::Proposed { answer, .. } = follows.replicas(&candidates(&[1])[0], &primaries) else {
        panic!()
    };
    assert_eq!(answer, Treatment::RunSecondary { follow: Some(name("db-9")) }, "as the planner gives them");
}

#[test]
fn each_decision_leaves_a_record_with_what_the_host_did_not_believe() {
    let seeds = policy(&Guest::seed().body("(i64.store (i32.const 516) (i64.load (i32.const 1024)))"));
    seeds.seed(&candidates(&[1]));
    seeds.sequence(&printed(0, "42"));
    let records = seeds.take_records();
    assert_eq!(records.len(), 2);
    let [vetoed, native] = &records[..] else { panic!() };
    let Outcome::Answered(answer) = &vetoed.outcome else { panic!("{:?}", vetoed.outcome) };
    assert!(answer.proposal(&vetoed.question).ends_with(" as seed") && vetoed.fuel.is_some());
    assert!(matches!(&vetoed.vetoes[..], [why] if why.contains("the lowest ordinal")), "{:?}", vetoed.vetoes);
    assert!(vetoed.policy.as_ref().unwrap().digest.is_some() && vetoed.host.is_some());
    assert!(matches!(native.outcome, Outcome::Answered(_)));
    assert!(native.policy.as_ref().unwrap().digest.is_none() && native.fuel.is_none());
    let Question::Sequence(asked) = &native.question else { panic!() };
    assert_eq!((asked.output.replica.as_str(), asked.output.stdout.as_str()), ("db-0", "42"));
    assert!(seeds.take_records().is_empty());
}

#[test]
fn a_record_has_the_settings_that_were_given_to_whom_it_names() {
    let map = serde_json::from_value(serde_json::json!({"of": "the component"})).unwrap();
    let settings = Arc::new(Settings::new(map).unwrap());
    let seeds = Policy::new(Arc::new(loaded(&Guest::seed())), settings, &DEFAULT);
    seeds.seed(&candidates(&[1]));
    seeds.primaries(&candidates(&[1, 2]));
    let [component, native] = &seeds.take_records()[..] else { panic!() };
    assert_eq!(component.settings["of"], "the component");
    assert!(native.settings.is_empty(), "the operator's own policy was given none");
    assert!(crate::policy::record::replay_by_default(native).unwrap().is_same_outcome);
}

#[test]
fn a_record_that_a_policy_left_can_be_replayed() {
    let seeds = policy(&Guest::seed());
    seeds.seed(&candidates(&[3, 1]));
    let record = seeds.take_records().remove(0);
    let again = crate::policy::record::replay(&record, &loaded(&Guest::seed()));
    assert!(again.is_same_outcome && again.is_same_component);
    assert_eq!(again.is_same_fuel, Some(true));
}
