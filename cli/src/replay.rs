//! `policy replay`: a recorded decision, taken again without a cluster.

mod places;

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result};
use operator::policy::record::{Build, Record, Replay, replay as asked_again};
use operator::policy::{Component, Digest};
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

/// One record, then and here.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Replayed {
    /// Its place in the file, from 1.
    number: usize,
    interface: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    identical: bool,
    then: Ran,
    here: Ran,
    fuel: Compared,
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
        let component = match &other {
            Some(component) => component,
            None => places.find(record).with_context(told)?,
        };
        replayed.push(Replayed::of(number, record, component));
    }
    Ok(Report { identical: replayed.iter().all(|one| one.identical), records: replayed })
}

// === impl Replayed ===

impl Replayed {
    fn of(number: usize, record: &Record, component: &Component) -> Self {
        let again = asked_again(record, component);
        let fuel = Compared::of(record, &again);
        let digest = record.policy.as_ref().and_then(|by| by.digest);
        let set = record.set.as_ref().map(|set| format!("{}/{}", set.namespace, set.name));
        let about = [record.name.clone(), set, record.at.clone()].into_iter().flatten().collect::<Vec<_>>();
        Self {
            number,
            interface: record.question.interface().versioned(),
            about: Some(about.join(", ")).filter(|about| !about.is_empty()),
            identical: again.is_same_outcome && fuel != Compared::Different,
            then: Ran { digest, outcome: records::outcome(&record.outcome), fuel: record.fuel },
            here: Ran {
                digest: Some(*component.digest()),
                outcome: records::outcome(&again.outcome),
                fuel: again.fuel,
            },
            fuel,
        }
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
        let same = self.records.iter().filter(|one| one.identical).count();
        write!(f, "{same} of {} decisions are the same", self.records.len())
    }
}

impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, interface, about, identical, then, here, fuel } = self;
        let mark = if *identical { "same   " } else { "DIFFERS" };
        let about = about.as_ref().map(|about| format!(" ({about})")).unwrap_or_default();
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
