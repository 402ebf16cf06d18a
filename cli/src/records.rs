//! Records of decisions in a file.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use operator::policy::record::{Outcome, Record};
use serde_json::{Value, json};

/// The records of a file: one, or an array of them.
///
/// # Errors
/// If the file holds something else.
pub(crate) fn read(file: &Path) -> Result<Vec<Record>> {
    let text = fs::read(file).with_context(|| format!("failed to read {}", file.display()))?;
    let json = serde_json::from_slice(&text).with_context(|| format!("{} is not JSON", file.display()))?;
    let values = match json {
        Value::Array(values) => values,
        value => vec![value],
    };
    if values.is_empty() {
        bail!("{} holds no record", file.display());
    }
    let read = |(number, value)| {
        let told = || format!("{}: number {number} is no record of a decision", file.display());
        serde_json::from_value(value).with_context(told)
    };
    (1..).zip(values).map(read).collect()
}

/// What came of a question, as records have it.
pub(crate) fn outcome(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Answered(answer) => json!({"answer": answer}),
        Outcome::Failed(why) => json!({"failure": why}),
    }
}
