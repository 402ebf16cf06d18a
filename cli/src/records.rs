//! Records of decisions in a file.

use std::io;
use std::path::Path;

use anyhow::{Context, Result, bail};
use operator::policy::Digest;
use operator::policy::record::{Outcome, Record};
use serde_json::{Value, json};

use crate::file;

/// In the place of a file: standard input.
const STANDARD_INPUT: &str = "-";

/// What a record says of its policy. A name beside these is a slip of the pen, and the record would be another's.
const POLICY: [&str; 3] = ["name", "version", "digest"];

/// What a record has, and what the operator writes beside it of a candidate.
const KNOWN: [&str; 15] = [
    "name",
    "interface",
    "settings",
    "input",
    "answer",
    "failure",
    "policy",
    "fuel",
    "vetoes",
    "host",
    "at",
    "set",
    "cut",
    "decided",
    "difference",
];

/// What stands in the place of a record.
pub(crate) struct Found {
    /// It, or why it is none.
    pub(crate) record: Result<Record, String>,
    /// Names in it that a record does not have: readers are to pass them over, and a slip of the pen looks the same.
    pub(crate) passed_over: Vec<String>,
}

/// The records of a file: one, an array of them, or what `decisions -o json` printed.
///
/// # Errors
/// If the file holds something else.
pub(crate) fn read(path: &Path) -> Result<Vec<Found>> {
    let (read, name) = match path.to_str() {
        Some(STANDARD_INPUT) => (file::read_from(io::stdin(), file::RECORDS), "standard input".to_owned()),
        _ => (file::read(path, file::RECORDS), path.display().to_string()),
    };
    let text = read.with_context(|| format!("failed to read {name}"))?;
    let json = serde_json::from_slice(&text).with_context(|| format!("{name} is not JSON"))?;
    let values = records(json);
    if values.is_empty() {
        bail!("{name} holds no record");
    }
    Ok(values.into_iter().map(Found::of).collect())
}

impl Found {
    fn of(value: Value) -> Self {
        let names = value.as_object().into_iter().flat_map(|record| record.keys());
        let passed_over = names.filter(|name| !KNOWN.contains(&name.as_str())).cloned().collect();
        Self { record: record(value), passed_over }
    }
}

fn record(value: Value) -> Result<Record, String> {
    if !value.is_object() {
        return Err("it is no object".to_owned());
    }
    match &value["policy"] {
        Value::Null => {}
        Value::Object(policy) => policy.iter().try_for_each(|(name, value)| said_of_policy(name, value))?,
        _ => return Err("policy is no object".to_owned()),
    }
    let fixture = of_fixture(&value);
    serde_json::from_value(value).map_err(|error| format!("{error}{fixture}"))
}

/// What a fixture has otherwise than a record, where that keeps it from being one.
fn of_fixture(value: &Value) -> &'static str {
    let (answer, output) = (&value["answer"], &value["input"]["output"]);
    let is_open = answer.is_object() && answer["why"].is_null() && answer["problems"].is_null();
    match () {
        () if output.get("stdoutFrom").or(output.get("stderrFrom")).is_some() => {
            "; a fixture is a record only with its output in it, and not in another file"
        }
        () if is_open => "; a fixture is a record only if its answer has a why",
        () => "",
    }
}

fn said_of_policy(name: &str, value: &Value) -> Result<(), String> {
    if !POLICY.contains(&name) {
        let known = POLICY.map(|name| format!("policy.{name}")).join(", ");
        return Err(format!("policy.{name} is none of {known}"));
    }
    let text = value.as_str().ok_or_else(|| format!("policy.{name} is no text"))?;
    match name {
        "digest" => text.parse::<Digest>().map(drop).map_err(|why| format!("policy.digest: {why}")),
        _ => Ok(()),
    }
}

/// The decisions of a set stand before what its candidate would have decided otherwise.
fn records(json: Value) -> Vec<Value> {
    let array = |value: &mut Value| value.as_array_mut().map(std::mem::take).unwrap_or_default();
    match json {
        Value::Array(values) => values,
        mut told if told["decisions"].is_array() => {
            let mut values = array(&mut told["decisions"]);
            values.extend(told.pointer_mut("/candidate/disagreements").map(array).unwrap_or_default());
            values
        }
        value => vec![value],
    }
}

/// What came of a question, as records have it.
pub(crate) fn outcome(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Answered(answer) => json!({"answer": answer}),
        Outcome::Failed(why) => json!({"failure": why}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decisions_prints_is_read_with_what_a_candidate_would_have_decided() {
        for (file, expected) in [
            (json!([1, 2]), vec![1, 2]),
            (json!({"decisions": [1], "candidate": {"disagreements": [2, 3]}}), vec![1, 2, 3]),
            (json!({"decisions": [1], "candidate": {"agreed": 7}}), vec![1]),
            (json!({"decisions": [1]}), vec![1]),
        ] {
            assert_eq!(json!(records(file)), json!(expected));
        }
        assert_eq!(records(json!({"interface": "seed@0.1.0"})).len(), 1);
    }

    #[test]
    fn a_slip_of_the_pen_in_its_policy_makes_no_record_of_another_policy() {
        let of = |policy: Value| {
            record(
                json!({"interface": "sequence@0.1.0", "input": {"output": {}}, "failure": "?", "policy": policy}),
            )
        };
        let digest = format!("sha256:{}", "0".repeat(64));
        assert!(of(json!({})).is_ok() && of(Value::Null).is_ok());
        assert!(of(json!({"name": "galera", "version": "1", "digest": digest})).is_ok());
        let refused = of(json!({"name": "galera", "digst": digest})).unwrap_err();
        assert_eq!(refused, "policy.digst is none of policy.name, policy.version, policy.digest");
        for (policy, why) in [
            (json!("galera"), "policy is no object"),
            (json!({"name": 7}), "policy.name is no text"),
            (json!({"digest": null}), "policy.digest is no text"),
            (json!({"digest": "sha256:12"}), "policy.digest: a digest is `sha256:` and 64 of 0-9 and a-f"),
        ] {
            assert_eq!(of(policy).unwrap_err(), why);
        }
        assert_eq!(record(json!([7])).unwrap_err(), "it is no object");
    }

    #[test]
    fn a_fixture_that_is_no_record_is_told_what_it_lacks() {
        let output = json!({"replica": "x-0", "exitCode": 0, "stdout": "", "stderr": ""});
        let fixture = json!({"interface": "sequence@0.1.0", "input": {"output": output},
            "answer": {"reading": "empty"}});
        let why = record(fixture.clone()).unwrap_err();
        assert!(why.ends_with("; a fixture is a record only if its answer has a why"), "{why}");
        let mut whole = fixture.clone();
        whole["answer"]["why"] = json!("");
        assert_eq!(record(whole).map(drop), Ok(()));
        let mut elsewhere = fixture;
        elsewhere["input"]["output"] = json!({"stdoutFrom": "a.txt"});
        let why = record(elsewhere).unwrap_err();
        assert!(why.ends_with("with its output in it, and not in another file"), "{why}");
    }
}
