//! `policy replay`: a recorded decision, taken again without a cluster.

mod asked;
mod places;
mod text;

use std::path::Path;

use anyhow::Result;
use operator::policy::record::{Outcome, Record, Replay, replay as asked_again, replay_by_default};
use operator::policy::{Component, Interface};
use serde::Serialize;
use serde_json::Value;

use crate::candidate::Candidate;
use crate::output::Verdict;
use crate::records::{self, Found};
use asked::{Asked, BUILTIN, Compared};
use places::Places;

/// What came of all.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Decisions were taken again, all that have a component here, and no difference was found.
    identical: bool,
    records: Vec<Replayed>,
}

/// One record.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Replayed {
    /// Its place in the file, from 1.
    number: usize,
    /// None: it is no record.
    #[serde(skip_serializing_if = "Option::is_none")]
    interface: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    /// Names in it that a record does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passed_over: Vec<String>,
    #[serde(flatten)]
    taken: Taken,
}

/// What came of it when it was taken again.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Taken {
    /// Then and here.
    Again { identical: bool, then: Ran, here: Ran, fuel: Compared },
    /// Its component is not here, or none is named, and why that is so.
    #[serde(rename_all = "camelCase")]
    Missing { missing: String },
    /// It cannot be, wherever it is tried, and why: no difference was found.
    #[serde(rename_all = "camelCase")]
    Not { not_taken: String },
    /// It is no record of a decision, and why.
    #[serde(rename_all = "camelCase")]
    NoRecord { no_record: String },
}

/// What came of the question.
#[derive(Debug, Serialize)]
struct Ran {
    #[serde(flatten)]
    by: Asked,
    outcome: Value,
    fuel: Option<u64>,
}

/// Asks again what the records of a file say, of the components that were asked then, or of another. A record that
/// cannot be read, or whose component is not here, keeps none of the others from being asked.
///
/// # Errors
/// If there is no record, or the other component cannot be used.
pub(crate) fn replay(file: &Path, with: Option<&Path>) -> Result<Report> {
    let records = records::read(file)?;
    let other = with.map(|path| Candidate::read(path)?.load()).transpose()?;
    let mut places = Places::around(file);
    let mut replayed = Vec::new();
    for (number, Found { record, passed_over }) in (1..).zip(records) {
        let one = match &record {
            Ok(record) => Replayed::of(number, record, Taken::of(record, other.as_ref(), &mut places)),
            Err(why) => Replayed::no_record(number, why),
        };
        replayed.push(Replayed { passed_over, ..one });
    }
    let is_any_taken = replayed.iter().any(|one| matches!(one.taken, Taken::Again { .. }));
    Ok(Report { identical: is_any_taken && replayed.iter().all(Replayed::is_same), records: replayed })
}

// === impl Taken ===

impl Taken {
    fn of(record: &Record, other: Option<&Component>, places: &mut Places) -> Self {
        match record.cut {
            Some(bytes) => Self::Not { not_taken: format!("{bytes} bytes of its question were not kept") },
            None => Self::again(record, other, places),
        }
    }

    /// By the other component, else by the one that was asked then. What either does not export, or no component was
    /// asked, the operator's own policy decides, as it does in the operator.
    fn again(record: &Record, other: Option<&Component>, places: &mut Places) -> Self {
        let interface = record.question.interface();
        let exports = |component: &Component| {
            component.exports().contains(&interface) || interface == Interface::Metadata
        };
        let by_default = Asked::of(record) == BUILTIN;
        let component = match other {
            Some(other) => Some(other).filter(|other| exports(other)),
            None if by_default => None,
            None => match places.find(record) {
                Ok(component) => Some(component),
                Err(why) => return Self::Missing { missing: format!("{why:#}") },
            },
        };
        let again = match component {
            Some(component) => asked_again(record, component),
            None => match replay_by_default(record) {
                Ok(again) => again,
                Err(why) => return Self::Not { not_taken: why.to_string() },
            },
        };
        let here = component.map_or(BUILTIN, |component| Asked::Component { digest: *component.digest() });
        Self::compared(record, again, here)
    }

    fn compared(record: &Record, again: Replay, here: Asked) -> Self {
        let fuel = Compared::of(record, &again);
        // Those of a record are the planner's too, which is not asked again.
        let told = |outcome: &Outcome, vetoes: &[String]| {
            let mut told = records::outcome(outcome);
            if !again.is_same_outcome && !vetoes.is_empty() {
                told["vetoes"] = vetoes.into();
            }
            told
        };
        Self::Again {
            identical: again.is_same_outcome && fuel != Compared::Different,
            then: Ran {
                by: Asked::of(record),
                outcome: told(&record.outcome, &record.vetoes),
                fuel: record.fuel,
            },
            here: Ran { by: here, outcome: told(&again.outcome, &again.vetoes), fuel: again.fuel },
            fuel,
        }
    }
}

// === impl Replayed ===

impl Replayed {
    fn of(number: usize, record: &Record, taken: Taken) -> Self {
        let set = record.set.as_ref().map(|set| format!("{}/{}", set.namespace, set.name));
        let about = [record.name.clone(), set, record.at.clone()].into_iter().flatten().collect::<Vec<_>>();
        Self {
            number,
            interface: Some(record.question.interface().versioned()),
            about: Some(about.join(", ")).filter(|about| !about.is_empty()),
            passed_over: Vec::new(),
            taken,
        }
    }

    fn no_record(number: usize, why: &str) -> Self {
        let taken = Taken::NoRecord { no_record: why.to_owned() };
        Self { number, interface: None, about: None, passed_over: Vec::new(), taken }
    }

    /// Whether no difference was found, and none left unsought for want of a component, or of a record.
    fn is_same(&self) -> bool {
        !matches!(
            self.taken,
            Taken::Again { identical: false, .. } | Taken::Missing { .. } | Taken::NoRecord { .. }
        )
    }
}

// === impl Report ===

impl Verdict for Report {
    fn is_well(&self) -> bool {
        self.identical
    }
}
