//! Records of decisions in a file.

use std::path::Path;

use anyhow::{Context, Result, bail};
use operator::policy::record::{Outcome, Record};
use serde_json::{Value, json};

use crate::file;

/// The records of a file: one, an array of them, or what `decisions -o json` printed.
///
/// # Errors
/// If the file holds something else.
pub(crate) fn read(path: &Path) -> Result<Vec<Record>> {
    let text =
        file::read(path, file::RECORDS).with_context(|| format!("failed to read {}", path.display()))?;
    let json = serde_json::from_slice(&text).with_context(|| format!("{} is not JSON", path.display()))?;
    let values = records(json);
    if values.is_empty() {
        bail!("{} holds no record", path.display());
    }
    let read = |(number, value)| {
        let told = || format!("{}: number {number} is no record of a decision", path.display());
        serde_json::from_value(value).with_context(told)
    };
    (1..).zip(values).map(read).collect()
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
}
