//! `policy conform`: what must be true of any policy, tried as the operator tries it.

use std::fmt;
use std::path::Path;

use anyhow::Result;
use operator::policy::conform::{Broken, Conformed, Property, Surveyed, survey};
use operator::policy::record::{By, Outcome, Record};
use operator::policy::{Component, Settings, limits};
use serde::Serialize;
use serde_json::Value;

use crate::candidate::{self, Candidate, Given, Origin};
use crate::output::Verdict;
use crate::progress;
use crate::terminal::in_line;

/// What came of it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    #[serde(flatten)]
    origin: Origin,
    digest: String,
    conforms: bool,
    properties: Vec<Tried>,
    /// Questions that were answered.
    questions: u32,
    fuel: Fuel,
}

/// The most that one question used, also one for which it was not enough, and what each may use.
#[derive(Debug, Serialize)]
struct Fuel {
    most: u64,
    limit: u64,
}

/// One property.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tried {
    /// Its name in the operator's messages.
    property: String,
    sentence: &'static str,
    held: Held,
    /// One for each interface that shows that it is not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counterexamples: Vec<Counterexample>,
}

/// Whether it is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Held {
    Yes,
    No,
    /// No interface is exported, or none answered all along, whose answers could show it.
    NotTried,
}

/// What shows that it is not true.
#[derive(Debug, Serialize)]
struct Counterexample {
    detail: String,
    /// The question, as fixtures and records have it.
    interface: String,
    input: Value,
}

/// Tries the component of a file.
///
/// # Errors
/// If it is no policy, or does not accept the settings.
pub(crate) fn conform(file: &Path, settings: &Given) -> Result<Report> {
    let candidate = Candidate::read(file)?;
    let component = candidate.load()?;
    let settings = candidate::settings(&component, settings)?;
    let surveyed = progress::told("asking", || survey(&component, settings.text()));
    Ok(report(candidate.origin, &component, &settings, &surveyed))
}

fn report(origin: Origin, component: &Component, settings: &Settings, surveyed: &Surveyed) -> Report {
    let Surveyed { conformed: Conformed { questions, fuel }, ref broken, ref observed } = *surveyed;
    let tried = |property: Property| {
        let found = broken.iter().filter(|broken| broken.property == property);
        let counterexamples: Vec<_> = found.map(|broken| Counterexample::of(broken, settings)).collect();
        let held = match observed.iter().any(|(observed, _)| *observed == property) {
            _ if !counterexamples.is_empty() => Held::No,
            true => Held::Yes,
            false => Held::NotTried,
        };
        Tried { property: format!("{property:?}"), sentence: property.sentence(), held, counterexamples }
    };
    Report {
        origin,
        digest: component.digest().to_string(),
        conforms: broken.is_empty(),
        properties: Property::ALL.map(tried).into(),
        questions,
        fuel: Fuel { most: fuel, limit: limits::FUEL },
    }
}

impl Counterexample {
    fn of(broken: &Broken, settings: &Settings) -> Self {
        let by = By { name: None, version: None, digest: None };
        let outcome = Outcome::Failed(broken.detail.clone());
        let record = Record::new(settings.value(), (*broken.question).clone(), outcome, by);
        let mut record = serde_json::to_value(record).unwrap_or_default();
        let interface = broken.question.interface().versioned();
        Self { detail: broken.detail.clone(), interface, input: record["input"].take() }
    }
}

// === impl Report ===

impl Verdict for Report {
    fn is_well(&self) -> bool {
        self.conforms
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Tried { property, sentence, held, counterexamples } in &self.properties {
            let mark = match held {
                Held::Yes => "ok",
                Held::No => "BROKEN",
                Held::NotTried => "-",
            };
            writeln!(f, "{mark:<7} {property:<20} {sentence}")?;
            for Counterexample { detail, interface, input } in counterexamples {
                writeln!(f, "        {}", shortened(&in_line(detail)))?;
                writeln!(
                    f,
                    "        asked through {interface}: {}",
                    shortened(&in_line(&input.to_string()))
                )?;
            }
        }
        if self.properties.iter().any(|one| one.held == Held::NotTried) {
            writeln!(f, "-       not tried: no interface is exported, or none answered, that could show it")?;
        }
        let Fuel { most, limit } = self.fuel;
        let percent = most as f64 * 100.0 / limit as f64;
        writeln!(
            f,
            "{} questions were answered; the most that one used is {most} of {limit} units of fuel, {percent:.2} %",
            self.questions
        )?;
        match self.conforms {
            true => write!(f, "{} conforms", self.origin),
            false => write!(
                f,
                "{} does not conform: the operator refuses it (-o json has the questions whole)",
                self.origin
            ),
        }
    }
}

/// The most of a question that helps on a terminal.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 300;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}... ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
