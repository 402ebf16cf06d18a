//! Records: one form, and the same answer and fuel when they are replayed.

use super::*;
use crate::policy::guest::Image;
use crate::policy::limits;
use crate::policy::record::{Build, Outcome, Record, hear, replay};
use serde_json::{Value, json};

/// Here and in what authors test with it is the same record.
fn round_trip(value: &Value) {
    let record: Record = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(&json!(record), value);
    let fixture: policy_sdk::record::Record = serde_json::from_value(value.clone()).unwrap();
    let back: Record = serde_json::from_value(json!(fixture)).unwrap();
    assert_eq!(back, Record { host: None, ..record });
}

#[test]
fn a_record_of_each_interface_is_read_and_written_as_it_is() {
    let member = json!({"name": "db-0", "ordinal": 0, "createdAt": 1_760_000_000,
        "position": {"history": {"a": [{"first": 0, "last": u64::MAX}]}}, "facts": {"safe": "1"}, "extra": {}});
    let output = json!({"replica": "db-0", "exitCode": 1, "stdout": "", "stderr": "no", "truncated": false, "extra": {}});
    let at = json!({"at": {"position": {"ordinal": 42}, "facts": {}}});
    let cases = [
        ("sequence", json!({"output": output}), json!({"reading": at, "why": ""})),
        ("sequence", json!({"output": output}), json!({"reading": "empty", "why": ""})),
        ("seed", json!({"candidates": [member]}), json!({"proposal": {"replica": "db-0"}, "why": "w"})),
        ("seed", json!({"candidates": []}), json!({"proposal": "refuse", "why": "w"})),
        ("primaries", json!({"members": [member]}), json!({"ordering": ["db-0"], "why": "w"})),
        (
            "replicas",
            json!({"member": member, "primaries": ["db-1"]}),
            json!({"treatment": {"runSecondary": "db-1"}, "why": ""}),
        ),
        ("replicas", json!({"member": member, "primaries": []}), json!({"treatment": "hold", "why": ""})),
        ("metadata", json!({}), json!({"problems": [{"path": "/a", "message": "m"}]})),
    ];
    for (interface, input, answer) in cases {
        round_trip(
            &json!({"interface": format!("{interface}@0.1.0"), "settings": {"a": 1}, "input": input, "answer": answer}),
        );
    }
}

#[test]
fn a_record_carries_who_when_and_for_whom() {
    let digest = format!("sha256:{}", "ab".repeat(32));
    round_trip(&json!({
        "name": "a clean stop", "interface": "metadata@0.1.0", "settings": {}, "input": {}, "failure": "out of fuel",
        "policy": {"name": "galera", "version": "0.1.0", "digest": digest}, "fuel": 123, "vetoes": ["no"],
        "host": {"wasmtime": "48.0.8", "arch": "x86_64"},
        "at": "2026-11-20T10:00:00Z", "set": {"namespace": "db", "name": "galera"},
    }));
}

#[test]
fn what_is_left_out_is_nothing_and_what_is_unknown_is_only_allowed_outside() {
    let short = json!({"interface": "seed@0.1.0", "input": {"candidates": [{"name": "db-0"}]},
        "answer": {"proposal": "refuse", "why": ""}, "stranger": 1});
    assert!(serde_json::from_value::<Record>(short).is_ok());
    let refused = |value: Value| serde_json::from_value::<Record>(value).unwrap_err().to_string();
    let record = |interface: &str, input: Value, answer: Value| json!({"interface": interface, "input": input, "answer": answer});
    let answer = json!({"proposal": "refuse", "why": ""});
    let candidates = json!({"candidates": []});
    assert!(refused(record("seed@0.2.0", candidates.clone(), answer.clone())).contains("seed@0.1.0"));
    let strange = json!({"candidates": [{"name": "a", "stranger": 1}]});
    assert!(refused(record("seed@0.1.0", strange, answer.clone())).contains("stranger"));
    let strange = json!({"proposal": "refuse", "why": "", "stranger": 1});
    assert!(refused(record("seed@0.1.0", candidates.clone(), strange)).contains("stranger"));
    let both = json!({"interface": "seed@0.1.0", "input": candidates, "answer": answer, "failure": "x"});
    assert!(refused(both).contains("an answer and a failure"));
}

fn recorded(component: &Component, question: Question) -> Record {
    let ran = component.ask_twice("{}", &question).unwrap();
    let by = crate::policy::record::By::component(component);
    let outcome = Outcome::Answered(ran.value);
    let record = Record::new(&json!({}), question, outcome, by);
    Record { fuel: Some(ran.fuel), host: Some(Build::this()), ..record }
}

#[test]
fn a_replay_gives_the_same_answer_for_the_same_fuel() {
    for (guest, question) in [
        (Guest::sequence(Image::ordinal(7)), output(0, "7")),
        (Guest::seed(), seed(&[2, 1])),
        (Guest::primaries(), primaries(&[2, 1, 3])),
        (Guest::replicas(), replicas(1, &["db-0"])),
    ] {
        let component = loaded(&guest);
        let text = serde_json::to_string(&recorded(&component, question)).unwrap();
        let again = replay(&serde_json::from_str(&text).unwrap(), &component);
        assert!(again.is_same_component && again.is_same_outcome, "{again:?}");
        assert_eq!(again.is_same_fuel, Some(true));
    }
}

#[test]
fn a_replay_tells_what_is_different() {
    let record = recorded(&loaded(&Guest::seed()), seed(&[2, 1]));
    let refuses = loaded(&Guest::seed().body("(i32.store8 (i32.const 512) (i32.const 1))"));
    let other = replay(&record, &refuses);
    assert!(!other.is_same_component && !other.is_same_outcome);
    assert_eq!(other.is_same_fuel, None, "the fuel of another component means nothing");
    let component = loaded(&Guest::seed());
    let elsewhere = Record { host: Some(Build { arch: "other".into(), ..Build::this() }), ..record.clone() };
    assert_eq!(replay(&elsewhere, &component).is_same_fuel, None);
    let cheaper = Record { fuel: record.fuel.map(|fuel| fuel - 1), ..record };
    assert_eq!(replay(&cheaper, &component).is_same_fuel, Some(false));
}

#[test]
fn a_failure_is_replayed_as_the_same_failure() {
    let component = loaded(&Guest::seed().body("(loop $again (br $again))"));
    let by = crate::policy::record::By::component(&component);
    let failed = Outcome::Failed(Failure::OutOfFuel.to_string());
    let again = replay(&Record::new(&json!({}), seed(&[1]), failed, by), &component);
    assert!(again.is_same_outcome && again.fuel == Some(limits::FUEL), "{again:?}");
}

#[test]
fn the_fuel_of_a_question_without_an_answer_is_recorded_and_replays_to_the_same() {
    let traps = "(i32.store (i32.const 0) (i32.const 1)) (unreachable)";
    let component = loaded(&Guest::seed().body(traps));
    let heard = hear(&component, "{}", &seed(&[1]));
    assert!(matches!(&heard.outcome, Outcome::Failed(why) if why.contains("trapped")), "{:?}", heard.outcome);
    assert!(heard.fuel.is_some_and(|fuel| fuel > 0));
    let by = crate::policy::record::By::component(&component);
    let record = Record::new(&json!({}), seed(&[1]), heard.outcome, by);
    let record = Record { fuel: heard.fuel, host: Some(Build::this()), ..record };
    assert_eq!(replay(&record, &component).is_same_fuel, Some(true));
}

/// A policy that takes what a failed command printed for data, and what came of asking it about that.
fn refused() -> (Component, Record) {
    let component = loaded(&Guest::sequence(Image::ordinal(7)));
    let heard = hear(&component, "{}", &output(1, "7"));
    assert_eq!(
        heard.believed.unwrap_err().to_string(),
        "the policy proposed 7 as what db-0 holds; refused because a command that ended with 1 does not say what the data holds"
    );
    let by = crate::policy::record::By::component(&component);
    let record = Record::new(&json!({}), output(1, "7"), heard.outcome, by);
    (component, Record { fuel: heard.fuel, vetoes: heard.vetoes, host: Some(Build::this()), ..record })
}

#[test]
fn an_answer_that_is_not_believed_is_recorded_with_its_fuel_and_why_and_replays_to_the_same() {
    let (component, record) = refused();
    assert!(matches!(record.outcome, Outcome::Answered(_)) && record.fuel.is_some(), "{record:?}");
    assert_eq!((record.vetoes.len(), record.believed()), (1, None), "it counts for nothing");
    let again = replay(&record, &component);
    assert!(again.is_same_outcome && again.is_same_fuel == Some(true), "{again:?}");
    assert_eq!(again.vetoes, record.vetoes);
}

#[test]
fn a_record_of_before_that_has_a_failure_in_its_place_replays_to_the_same() {
    let (component, record) = refused();
    let old = |failure: String| Record { outcome: Outcome::Failed(failure), fuel: None, ..record.clone() };
    let why = format!("the policy's answer is refused: {}", record.vetoes[0]);
    let again = replay(&old(why), &component);
    assert!(again.is_same_outcome && again.is_same_fuel.is_none(), "{again:?}");
    assert!(!replay(&old("it trapped".to_owned()), &component).is_same_outcome);
}

#[test]
fn an_answer_that_counted_then_and_does_not_now_is_another_outcome() {
    let (component, record) = refused();
    let believed = Record { vetoes: Vec::new(), ..record };
    assert!(!replay(&believed, &component).is_same_outcome);
}

#[test]
fn of_an_answer_that_is_too_large_to_be_kept_it_is_recorded_why_it_counts_for_nothing() {
    let long: String = "x".repeat(8000);
    let component = loaded(&Guest::sequence(Image::history(&[(&long, &[(1, 2)])])));
    let heard = hear(&component, "{}", &output(0, "7"));
    assert!(
        matches!(&heard.outcome, Outcome::Failed(why) if why.contains("8000 bytes")),
        "{:?}",
        heard.outcome
    );
    assert!(heard.fuel.is_some() && heard.vetoes.len() == 1);
}
