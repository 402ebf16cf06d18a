//! The decision who seeds, taken again without the cluster by the author's tool.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Value, json};

use super::place::Place;
use super::set::SET;
use crate::{policies, run, workspace};

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replayed {
    /// The file with the record, beside the component.
    pub(crate) record: String,
    /// Who was chosen.
    pub(crate) seed: String,
    /// By the component with this digest, then and here.
    pub(crate) digest: String,
    /// The answer is the same.
    pub(crate) same_answer: bool,
    /// The fuel is the same; none if it cannot be compared, as between builds of two processors.
    pub(crate) same_fuel: Option<bool>,
    /// Units of it, then.
    pub(crate) fuel: u64,
}

// === impl Replayed ===

impl Replayed {
    /// Of a record and the tool's report of it.
    fn of(seed: &Value, report: &Value, record: String) -> Option<Self> {
        let replayed = &report["records"][0];
        Some(Self {
            record,
            seed: seed["answer"]["proposal"]["replica"].as_str()?.to_owned(),
            digest: replayed["here"]["digest"].as_str()?.to_owned(),
            same_answer: replayed["then"]["outcome"] == replayed["here"]["outcome"],
            same_fuel: match replayed["fuel"].as_str()? {
                "same" => Some(true),
                "different" => Some(false),
                _ => None,
            },
            fuel: seed["fuel"].as_u64()?,
        })
    }

    /// Nothing is different.
    pub(crate) fn is_same(&self) -> bool {
        self.same_answer && self.same_fuel != Some(false)
    }

    /// For people.
    pub(crate) fn words(&self) -> String {
        let Self { seed, digest, fuel, record, .. } = self;
        let what = match (self.same_answer, self.same_fuel) {
            (true, Some(true)) => format!("the identical answer and fuel ({fuel} units)"),
            (true, None) => "the identical answer; fuel is not compared between builds".to_owned(),
            (true, Some(false)) => "the same answer, WITH OTHER FUEL".to_owned(),
            (false, _) => "ANOTHER ANSWER".to_owned(),
        };
        format!("the decision for {seed}, replayed from {record} with {digest}: {what}")
    }
}

/// Replay the last seed that is recorded.
pub(super) fn last_seed(place: &Place) -> Result<Replayed> {
    let words = ["decisions", SET, "--namespace", place.name, "-o", "json"];
    let told: Value = serde_json::from_str(&run::output(&mut place.tool(&words))?)?;
    let records = told["decisions"].as_array().context("the tool tells of no decisions")?;
    let is_seed =
        |record: &&Value| record["interface"].as_str().is_some_and(|name| name.starts_with("seed@"));
    let seed = records.iter().rev().find(is_seed).context("no seed is recorded")?;
    // Beside the components, where the tool looks for the one that the record names by its digest.
    let folder = policies::component(SET).parent().map(ToOwned::to_owned).unwrap_or_default();
    let file = folder.join(format!("{}-seed.json", place.name));
    fs::write(&file, json!([seed]).to_string())
        .with_context(|| format!("failed to write {}", file.display()))?;
    let mut tool = Command::new(policies::tool_path());
    tool.args(["policy", "replay", "-o", "json"]).arg(&file).current_dir(workspace::root());
    // What differs is told in the report; then the tool ends with 1.
    let done = tool.stdin(Stdio::null()).output().context("failed to start kubectl-rss")?;
    let complaint = || format!("kubectl-rss: {}", String::from_utf8_lossy(&done.stderr).trim());
    let report: Value = serde_json::from_slice(&done.stdout).with_context(complaint)?;
    let shown = file.strip_prefix(workspace::root()).unwrap_or(&file).display().to_string();
    Replayed::of(seed, &report, shown).context("the replay does not say what came of it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replayed(answer: &str, fuel: &str) -> Replayed {
        let seed = json!({"answer": {"proposal": {"replica": "x-1"}}, "fuel": 7});
        let report = json!({"records": [{
            "then": {"outcome": "a"}, "here": {"outcome": answer, "digest": "sha256:c"}, "fuel": fuel,
        }]});
        Replayed::of(&seed, &report, "f".to_owned()).unwrap()
    }

    #[test]
    fn a_decision_is_the_same_by_its_answer_and_by_its_fuel_where_that_can_be_compared() {
        for (answer, fuel, same, words) in [
            ("a", "same", true, "the identical answer and fuel (7 units)"),
            ("a", "otherBuild", true, "the identical answer; fuel is not compared between builds"),
            ("a", "different", false, "the same answer, WITH OTHER FUEL"),
            ("b", "same", false, "ANOTHER ANSWER"),
        ] {
            let replayed = replayed(answer, fuel);
            assert_eq!(replayed.is_same(), same, "{answer} {fuel}");
            assert!(replayed.words().ends_with(words), "{}", replayed.words());
        }
    }
}
