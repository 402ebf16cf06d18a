//! `policy bench`: what a component takes of time and memory, on this machine and by this build of the program.

mod native;
mod questions;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use operator::policy::question::Question;
use operator::policy::{Component, Host};
use serde::Serialize;

use crate::candidate::{self, Candidate, Given, Origin};
use crate::progress;
use crate::terminal::in_line;
pub(crate) use native::Native;

/// How often a component is compiled; half of them stay, so that what one more takes can be seen.
const COMPILED: usize = 16;
/// The folder of a crate's fixtures.
const FIXTURES: &str = "fixtures";
/// How often each interface is asked.
const ASKED: usize = 2000;

/// What all of them take.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// The folder whose questions were asked; none: those about bare numbers.
    fixtures: Option<String>,
    policies: Vec<Measured>,
    /// The policy that is part of the operator, where it is called without a component.
    native: Native,
}

/// What one takes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Measured {
    #[serde(flatten)]
    origin: Origin,
    /// In bytes.
    size: usize,
    /// From the bytes to a policy that can be asked, the median.
    compile_milliseconds: f64,
    /// Bytes that are resident for each further one.
    resident: u64,
    calls: Vec<Call>,
}

/// What a question takes, in a fresh instance.
#[derive(Debug, Serialize)]
struct Call {
    interface: &'static str,
    /// The median.
    microseconds: f64,
    fuel: u64,
}

/// Measures the components of files, one after the other, with the questions of these fixtures, else of those that lie
/// here as in a crate of a policy.
///
/// # Errors
/// If one is no policy, or does not answer or refuses what it is asked.
pub(crate) fn bench(files: &[PathBuf], settings: &Given, fixtures: Option<&Path>) -> Result<Report> {
    let host = Host::new()?;
    let fixtures = fixtures.or_else(|| Some(Path::new(FIXTURES)).filter(|folder| folder.is_dir()));
    let questions = match fixtures {
        Some(folder) => questions::of_fixtures(folder, settings)?,
        None => questions::of_numbers(),
    };
    let one = |file: &PathBuf| {
        let candidate = Candidate::read(file)?;
        progress::told("measuring", || Measured::of(&host, candidate, settings, &questions))
    };
    let policies: Vec<Measured> = files.iter().map(one).collect::<Result<_>>()?;
    let asked = |question: &&Question| {
        let mut calls = policies.iter().flat_map(|policy| &policy.calls);
        calls.any(|call| call.interface == question.interface().name())
    };
    let native = Native::measured(questions.iter().filter(asked), settings);
    Ok(Report { fixtures: fixtures.map(|folder| folder.display().to_string()), policies, native })
}

// === impl Measured ===

impl Measured {
    fn of(host: &Host, candidate: Candidate, settings: &Given, questions: &[Question]) -> Result<Self> {
        // The first of a kind pays for what all share.
        let component = candidate.load()?;
        let settings = candidate::settings(&component, settings)?;
        let exported = |one: &&Question| component.exports().contains(&one.interface());
        let asked: Vec<&Question> = questions.iter().filter(exported).collect();
        // What it refuses is known before anything takes long.
        asked.iter().try_for_each(|question| fuel(&component, settings.text(), question).map(drop))?;
        let bytes = &candidate.bytes;
        let (compiled, kept, resident) = compile(host, bytes)?;
        let call = |question: &&Question| Call::of(&component, settings.text(), question);
        let calls = asked.iter().map(call).collect::<Result<_>>()?;
        drop(kept);
        let compile_milliseconds = median(compiled) * 1e3;
        Ok(Self { size: bytes.len(), origin: candidate.origin, compile_milliseconds, resident, calls })
    }
}

/// How long each took, those that stayed, and what one of them takes.
fn compile(host: &Host, bytes: &[u8]) -> Result<(Vec<Duration>, Vec<Component>, u64)> {
    let (mut took, mut kept, mut before) = (Vec::new(), Vec::new(), 0);
    for number in 0..COMPILED {
        if number == COMPILED / 2 {
            before = resident()?;
        }
        let begun = Instant::now();
        let component = Component::load(host, bytes)?;
        took.push(begun.elapsed());
        // Before the memory is looked at, that which compiling needs has been had and given back.
        if number >= COMPILED / 2 {
            kept.push(component);
        }
    }
    let more = resident()?.saturating_sub(before);
    let each = more / u64::try_from(kept.len().max(1))?;
    Ok((took, kept, each))
}

impl Call {
    fn of(component: &Component, settings: &str, question: &Question) -> Result<Self> {
        let mut used = 0;
        let mut took = Vec::with_capacity(ASKED);
        for _ in 0..ASKED {
            let begun = Instant::now();
            used = fuel(component, settings, question)?;
            took.push(begun.elapsed());
        }
        let interface = question.interface().name();
        Ok(Self { interface, microseconds: median(took) * 1e6, fuel: used })
    }
}

/// What a question takes that is decided.
fn fuel(component: &Component, settings: &str, question: &Question) -> Result<u64> {
    let interface = question.interface().name();
    let ran = component.ask(settings, question).with_context(|| format!("asked {interface}"))?;
    match questions::refusal(&ran.value) {
        None => Ok(ran.fuel),
        Some(why) => bail!(
            "{interface}: it refuses what it is asked, and that says nothing of what deciding takes: {why}; name its \
             fixtures by --fixtures"
        ),
    }
}

/// The one in the middle, in seconds; 0 of none.
fn median(mut took: Vec<Duration>) -> f64 {
    took.sort();
    took.get(took.len() / 2).map_or(0.0, Duration::as_secs_f64)
}

/// What is resident of this process, in bytes.
fn resident() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status").context("only Linux tells what is resident")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    Ok(kilobytes.context("the kernel does not tell what is resident")? * 1024)
}

// === impl Report ===

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fixtures {
            Some(folder) => writeln!(f, "asked what the fixtures in {} ask", in_line(folder))?,
            None => writeln!(f, "asked about bare numbers")?,
        }
        for Measured { origin, size, compile_milliseconds, resident, calls } in &self.policies {
            writeln!(f, "{origin}")?;
            writeln!(
                f,
                "  {size} bytes; compiled in {compile_milliseconds:.1} ms; {resident} bytes resident"
            )?;
            for Call { interface, microseconds, fuel } in calls {
                writeln!(f, "  {interface:<10} {microseconds:>8.1} us, {fuel} units of fuel")?;
            }
        }
        self.native.fmt(f)
    }
}
