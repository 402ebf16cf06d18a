//! `policy test`: every fixture, natively and as the component that runs in the cluster.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use anyhow::{Context, Result, anyhow};
use operator::policy::record::{Outcome, Record, replay};
use operator::policy::{Component, limits};
use policy_sdk::fixture::{self, Fixture, Wrong};
use policy_sdk::record::Decision;
use serde::Serialize;
use serde_json::{Value, json};

use crate::candidate::Candidate;
use crate::output::{self, Verdict};
use crate::terminal::in_line;
use crate::{build, cargo, progress};

/// What came of all.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    passed: bool,
    /// The tests of the crate, by cargo.
    native: bool,
    #[serde(serialize_with = "output::path")]
    component: PathBuf,
    fixtures: Vec<Tested>,
    /// The most fuel that one fixture used, answered or not.
    fuel: u64,
}

/// One fixture, asked of the component.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tested {
    #[serde(serialize_with = "output::path")]
    file: PathBuf,
    /// Its place in the file, from 1.
    number: usize,
    name: Option<String>,
    /// What is wrong with the answer, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<String>,
    /// Of an answer that is another one: both.
    #[serde(flatten)]
    differs: Option<Differs>,
    fuel: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Differs {
    right: Value,
    given: Value,
}

/// Tests the policy of a crate.
///
/// # Errors
/// If it cannot be built, or there are no fixtures.
pub(crate) fn test(folder: &Path) -> Result<Report> {
    let policy = cargo::find(folder)?;
    let fixtures = load(folder)?;
    let native = cargo::test(&policy)?;
    let built = build::of(policy)?;
    let component = Candidate::read(&built.component.path)?.load()?;
    let ask_all = || fixtures.iter().map(|fixture| Tested::of(fixture, &component)).collect();
    let fixtures: Vec<Tested> = progress::told("asking", ask_all);
    let passed = native && fixtures.iter().all(|one| one.wrong.is_none());
    let fuel = fixtures.iter().filter_map(|one| one.fuel).max().unwrap_or_default();
    Ok(Report { passed, native, component: built.component.path, fixtures, fuel })
}

fn load(folder: &Path) -> Result<Vec<Fixture>> {
    let folder = folder.join("fixtures");
    fixture::load(&folder).map_err(|why| match is_any_in(&folder) {
        // What is wrong with one that is there ends with what it is.
        true => anyhow!("{why}"),
        false => anyhow!("{why}; kubectl rss policy new writes some, and a record of a decision is one"),
    })
}

fn is_any_in(folder: &Path) -> bool {
    let is_fixture = |file: &Path| file.extension().is_some_and(|extension| extension == "json");
    fs::read_dir(folder).is_ok_and(|all| all.flatten().any(|entry| is_fixture(&entry.path())))
}

// === impl Tested ===

impl Tested {
    fn of(fixture: &Fixture, component: &Component) -> Self {
        let (fuel, failure) = (Cell::new(None), Cell::new(None));
        let wrong = fixture.compare(|_, right| {
            let (given, used, why) = match ask(component, fixture, right) {
                Ok(asked) => asked,
                Err(error) => (None, None, Some(format!("{error:#}"))),
            };
            fuel.set(used);
            failure.set(why);
            given
        });
        let (wrong, differs) = match (failure.take(), wrong) {
            // Why there is no answer says more than that there is none.
            (Some(why), _) => (Some(why), None),
            (None, Some(Wrong::Differs { right, given })) => {
                (Some("the answer is another one".to_owned()), Some(Differs { right, given }))
            }
            (None, wrong) => (wrong.map(|wrong| wrong.to_string()), None),
        };
        let (file, name) = (fixture.file.clone(), fixture.record.name.clone());
        Self { file, number: fixture.number, name, wrong, differs, fuel: fuel.get() }
    }
}

/// A decision of the component, the fuel for it, and why there is no answer.
type Asked = (Option<Decision>, Option<u64>, Option<String>);

/// Asks the component what a fixture asks.
fn ask(component: &Component, fixture: &Fixture, right: &Decision) -> Result<Asked> {
    let replayed = replay(&record(fixture)?, component);
    let mut decision = serde_json::to_value(right)?;
    let members = decision.as_object_mut().context("a decision is an object")?;
    members.remove("answer");
    let why = match &replayed.outcome {
        Outcome::Answered(_) if !replayed.vetoes.is_empty() && fixture.record.vetoes.is_empty() => {
            Some(format!("the answer is refused: {}", replayed.vetoes.join("; ")))
        }
        Outcome::Answered(answer) => {
            members.insert("answer".to_owned(), json!(answer));
            None
        }
        Outcome::Failed(why) => Some(why.clone()).filter(|_| fixture.record.failure.as_ref() != Some(why)),
    };
    Ok((Some(serde_json::from_value(decision)?), replayed.fuel, why))
}

/// The fixture as the operator's record: one that leaves the answer open has a failure there, which nobody looks at.
pub(crate) fn record(fixture: &Fixture) -> Result<Record> {
    let mut value = serde_json::to_value(&fixture.record)?;
    let is_open = value.get("answer").is_none() && value.get("failure").is_none();
    if let Some(members) = value.as_object_mut().filter(|_| is_open) {
        members.insert("failure".to_owned(), Value::from(""));
    }
    Ok(serde_json::from_value(value)?)
}

// === impl Report ===

impl Verdict for Report {
    fn is_well(&self) -> bool {
        self.passed
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrong: Vec<&Tested> = self.fixtures.iter().filter(|one| one.wrong.is_some()).collect();
        for Tested { file, number, name, wrong, differs, .. } in &wrong {
            let name = in_line(name.as_deref().unwrap_or("(no name)"));
            let why = in_line(wrong.as_deref().unwrap_or_default());
            writeln!(f, "WRONG    {}, fixture {number}, {name}: {why}", file.display())?;
            if let Some(Differs { right, given }) = differs {
                writeln!(f, "         right: {}", in_line(&right.to_string()))?;
                writeln!(f, "         given: {}", in_line(&given.to_string()))?;
            }
        }
        writeln!(
            f,
            "native   {}",
            if self.native { "cargo test passed" } else { "cargo test FAILED; it says above why" }
        )?;
        let right = self.fixtures.len() - wrong.len();
        writeln!(f, "wasm     {right} of {} fixtures are answered as they say", self.fixtures.len())?;
        writeln!(f, "         {}", self.component.display())?;
        write!(f, "fuel     at most {} of {} units for one fixture", self.fuel, limits::FUEL)
    }
}
