//! `policy replay`: a recorded decision, taken again without a cluster.

mod places;

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result};
use operator::policy::record::{Build, Record, Replay, replay as asked_again, replay_by_default};
use operator::policy::{Component, Digest, Interface};
use serde::Serialize;
use serde_json::Value;

use crate::candidate::Candidate;
use crate::output::Verdict;
use crate::{difference, records};
use places::Places;

/// What came of all.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
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
    /// It cannot be, and why: no difference was found.
    #[serde(rename_all = "camelCase")]
    Not { not_taken: String },
}

/// What came of the question.
#[derive(Debug, Serialize)]
struct Ran {
    /// Of the component.
    digest: Option<Digest>,
    outcome: Value,
    fuel: Option<u64>,
}

/// Whether the fuel is the same, or why that means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Compared {
    Same,
    Different,
    NotCounted,
    OtherComponent,
    OtherBuild,
}

/// Asks again what the records of a file say, of the components that were asked then, or of another.
///
/// # Errors
/// If there is no record, or no component to ask.
pub(crate) fn replay(file: &Path, with: Option<&Path>) -> Result<Report> {
    let records = records::read(file)?;
    let other = with.map(|path| Candidate::read(path)?.load()).transpose()?;
    let mut places = Places::around(file);
    let mut replayed = Vec::new();
    for (number, record) in (1..).zip(&records) {
        let told = || format!("{}: record {number}", file.display());
        let taken = match record.cut {
            Some(bytes) => Taken::Not { not_taken: format!("{bytes} bytes of its question were not kept") },
            None => Taken::again(record, other.as_ref(), &mut places).with_context(told)?,
        };
        replayed.push(Replayed::of(number, record, taken));
    }
    Ok(Report { identical: replayed.iter().all(Replayed::is_same), records: replayed })
}

// === impl Taken ===

impl Taken {
    /// By the other component, else by the one that was asked then. What either does not export, or no component was
    /// asked, the operator's own policy decides, as it does in the operator.
    fn again(record: &Record, other: Option<&Component>, places: &mut Places) -> Result<Self> {
        let interface = record.question.interface();
        let exports = |component: &Component| {
            component.exports().contains(&interface) || interface == Interface::Metadata
        };
        let by_default = record.policy.as_ref().is_some_and(|by| by.digest.is_none());
        let component = match other {
            Some(other) => Some(other).filter(|other| exports(other)),
            None if by_default => None,
            None => Some(places.find(record)?),
        };
        let again = match component {
            Some(component) => asked_again(record, component),
            None => match replay_by_default(record) {
                Ok(again) => again,
                Err(why) => return Ok(Self::Not { not_taken: why.to_string() }),
            },
        };
        Ok(Self::compared(record, again, component.map(|component| *component.digest())))
    }

    fn compared(record: &Record, again: Replay, here: Option<Digest>) -> Self {
        let fuel = Compared::of(record, &again);
        let digest = record.policy.as_ref().and_then(|by| by.digest);
        Self::Again {
            identical: again.is_same_outcome && fuel != Compared::Different,
            then: Ran { digest, outcome: records::outcome(&record.outcome), fuel: record.fuel },
            here: Ran { digest: here, outcome: records::outcome(&again.outcome), fuel: again.fuel },
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

    /// Whether no difference was found.
    fn is_same(&self) -> bool {
        !matches!(self.taken, Taken::Again { identical: false, .. })
    }
}

impl Compared {
    fn of(record: &Record, again: &Replay) -> Self {
        match again.is_same_fuel {
            Some(true) => Self::Same,
            Some(false) => Self::Different,
            None if record.fuel.is_none() || again.fuel.is_none() => Self::NotCounted,
            None if !again.is_same_component => Self::OtherComponent,
            None => Self::OtherBuild,
        }
    }
}

// === impl Report ===

impl Verdict for Report {
    fn is_well(&self) -> bool {
        self.identical
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for replayed in &self.records {
            replayed.fmt(f)?;
        }
        let of = |wanted| move |one: &&Replayed| matches!(one.taken, Taken::Again { identical, .. } if identical == wanted);
        let (same, others) =
            (self.records.iter().filter(of(true)).count(), self.records.iter().filter(of(false)).count());
        write!(f, "{same} of {} decisions are the same", same + others)?;
        match self.records.len() - same - others {
            0 => Ok(()),
            not_taken => write!(f, ", {not_taken} could not be taken again"),
        }
    }
}

impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, interface, about, taken } = self;
        let about = about.as_ref().map(|about| format!(" ({about})")).unwrap_or_default();
        let (identical, then, here, fuel) = match taken {
            Taken::Again { identical, then, here, fuel } => (identical, then, here, fuel),
            Taken::Not { not_taken } => {
                return writeln!(f, "not taken again {number} {interface}{about}: {not_taken}");
            }
        };
        let mark = if *identical { "same   " } else { "DIFFERS" };
        writeln!(f, "{mark} {number} {interface}{about}: {}", fuel_words(*fuel, then.fuel, here.fuel))?;
        if then.outcome != here.outcome {
            writeln!(f, "  - the record, {}", shown(then.digest))?;
            writeln!(f, "  + here, {}", shown(here.digest))?;
            for line in difference::lines(&then.outcome, &here.outcome) {
                writeln!(f, "  {line}")?;
            }
        }
        Ok(())
    }
}

fn shown(digest: Option<Digest>) -> String {
    digest.map_or_else(|| "the operator's own policy".to_owned(), |digest| digest.to_string())
}

fn fuel_words(fuel: Compared, then: Option<u64>, here: Option<u64>) -> String {
    let units = |fuel: Option<u64>| fuel.map_or_else(|| "none counted".to_owned(), |fuel| fuel.to_string());
    let Build { wasmtime, arch } = Build::this();
    let both = || format!("{} units of fuel then, {} here", units(then), units(here));
    match fuel {
        Compared::Same => format!("{} units of fuel, as then", units(here)),
        Compared::Different => both(),
        Compared::NotCounted => "its fuel was not counted".to_owned(),
        Compared::OtherComponent => format!("{}; it is another component", both()),
        Compared::OtherBuild => format!("{}; here runs wasmtime {wasmtime} on {arch}, there another", both()),
    }
}
