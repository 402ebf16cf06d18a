//! `policy replay`: a recorded decision, taken again without a cluster.

mod places;
mod text;

use std::path::Path;

use anyhow::Result;
use operator::policy::record::{By, Outcome, Record, Replay, replay as asked_again, replay_by_default};
use operator::policy::{Component, Digest, Interface};
use serde::Serialize;
use serde_json::Value;

use crate::candidate::Candidate;
use crate::output::Verdict;
use crate::records;
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
struct Replayed {
    /// Its place in the file, from 1.
    number: usize,
    interface: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
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
}

/// What came of the question.
#[derive(Debug, Serialize)]
struct Ran {
    #[serde(flatten)]
    by: Asked,
    outcome: Value,
    fuel: Option<u64>,
}

/// Who was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Asked {
    Component {
        digest: Digest,
    },
    /// The policy that is part of the operator.
    Builtin {
        builtin: &'static str,
    },
    /// The record does not say.
    Unknown {},
}

/// As `spec.policy.builtin` has it.
const BUILTIN: Asked = Asked::Builtin { builtin: "largest-integer" };

/// Whether the fuel is the same, or why that means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Compared {
    Same,
    Different,
    NotCounted,
    OtherComponent,
    OtherBuild,
    /// The record does not name its component.
    UnknownComponent,
    /// The record does not say what ran it.
    UnknownBuild,
}

/// Asks again what the records of a file say, of the components that were asked then, or of another. A record whose
/// component is not here keeps none of the others from being asked.
///
/// # Errors
/// If there is no record, or the other component cannot be used.
pub(crate) fn replay(file: &Path, with: Option<&Path>) -> Result<Report> {
    let records = records::read(file)?;
    let other = with.map(|path| Candidate::read(path)?.load()).transpose()?;
    let mut places = Places::around(file);
    let mut replayed = Vec::new();
    for (number, record) in (1..).zip(&records) {
        let taken = match record.cut {
            Some(bytes) => Taken::Not { not_taken: format!("{bytes} bytes of its question were not kept") },
            None => Taken::again(record, other.as_ref(), &mut places),
        };
        replayed.push(Replayed::of(number, record, taken));
    }
    let is_any_taken = replayed.iter().any(|one| matches!(one.taken, Taken::Again { .. }));
    Ok(Report { identical: is_any_taken && replayed.iter().all(Replayed::is_same), records: replayed })
}

// === impl Taken ===

impl Taken {
    /// By the other component, else by the one that was asked then. What either does not export, or no component was
    /// asked, the operator's own policy decides, as it does in the operator.
    fn again(record: &Record, other: Option<&Component>, places: &mut Places) -> Self {
        let interface = record.question.interface();
        let exports = |component: &Component| {
            component.exports().contains(&interface) || interface == Interface::Metadata
        };
        let by_default = record.policy.as_ref().is_some_and(|by| by.digest.is_none());
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
            interface: record.question.interface().versioned(),
            about: Some(about.join(", ")).filter(|about| !about.is_empty()),
            taken,
        }
    }

    /// Whether no difference was found, and none left unsought for want of a component.
    fn is_same(&self) -> bool {
        !matches!(self.taken, Taken::Again { identical: false, .. } | Taken::Missing { .. })
    }
}

impl Compared {
    fn of(record: &Record, again: &Replay) -> Self {
        match again.is_same_fuel {
            Some(true) => Self::Same,
            Some(false) => Self::Different,
            None if record.fuel.is_none() || again.fuel.is_none() => Self::NotCounted,
            None if record.policy.is_none() => Self::UnknownComponent,
            None if !again.is_same_component => Self::OtherComponent,
            None if record.host.is_none() => Self::UnknownBuild,
            None => Self::OtherBuild,
        }
    }
}

// === impl Asked ===

impl Asked {
    /// Who was asked then.
    fn of(record: &Record) -> Self {
        match &record.policy {
            Some(By { digest: Some(digest), .. }) => Self::Component { digest: *digest },
            Some(By { digest: None, .. }) => BUILTIN,
            None => Self::Unknown {},
        }
    }
}

// === impl Report ===

impl Verdict for Report {
    fn is_well(&self) -> bool {
        self.identical
    }
}
