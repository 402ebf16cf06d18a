//! `policy bench`: what a component takes of time and memory, on this machine and by this build of the program.

mod native;

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use operator::policy::question::{
    Member, Output, PrimariesInput, Question, ReplicasInput, SeedInput, SequenceInput,
};
use operator::policy::{Component, Host, Interface};
use planner::position::Position;
use serde::Serialize;

use crate::candidate::{self, Candidate, Origin};
use crate::progress;
pub(crate) use native::Native;

/// How often a component is compiled; half of them stay, so that what one more takes can be seen.
const COMPILED: usize = 16;
/// How often each interface is asked.
const ASKED: usize = 2000;

/// What all of them take.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
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

/// Measures the components of files, one after the other.
///
/// # Errors
/// If one is no policy, or does not answer.
pub(crate) fn bench(files: &[PathBuf], settings: &str) -> Result<Report> {
    let host = Host::new()?;
    let one = |file: &PathBuf| {
        let candidate = Candidate::read(file)?;
        progress::told("measuring", || Measured::of(&host, candidate, settings))
    };
    let policies = files.iter().map(one).collect::<Result<_>>()?;
    Ok(Report { policies, native: Native::measured() })
}

// === impl Measured ===

impl Measured {
    fn of(host: &Host, candidate: Candidate, settings: &str) -> Result<Self> {
        // The first of a kind pays for what all share.
        let component = candidate.load()?;
        let settings = candidate::settings(&component, settings)?;
        let bytes = &candidate.bytes;
        let (compiled, kept, resident) = compile(host, bytes)?;
        let calls = questions().into_iter().filter(|one| component.exports().contains(&one.interface()));
        let calls =
            calls.map(|question| Call::of(&component, settings.text(), &question)).collect::<Result<_>>()?;
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
        let interface = question.interface().name();
        let mut fuel = 0;
        let mut took = Vec::with_capacity(ASKED);
        for _ in 0..ASKED {
            let begun = Instant::now();
            let ran = component.ask(settings, question).with_context(|| format!("asked {interface}"))?;
            took.push(begun.elapsed());
            fuel = ran.fuel;
        }
        Ok(Self { interface, microseconds: median(took) * 1e6, fuel })
    }
}

/// What the operator asks about a set of three members.
fn questions() -> Vec<Question> {
    let member = |ordinal: u32| Member {
        name: format!("rss-db-{ordinal}"),
        ordinal: Some(ordinal),
        position: Some(Position::Ordinal(4200 + u64::from(ordinal))),
        ..Member::default()
    };
    let members: Vec<_> = (0..3).map(member).collect();
    let output = Output { replica: members[0].name.clone(), stdout: "4200\n".into(), ..Output::default() };
    let primaries = vec![members[0].name.clone()];
    vec![
        Question::Sequence(SequenceInput { output }),
        Question::Seed(SeedInput { candidates: members.clone() }),
        Question::Primaries(PrimariesInput { members: members.clone() }),
        Question::Replicas(ReplicasInput { member: members[1].clone(), primaries }),
        Question::Check,
    ]
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

/// The interfaces of one that decides everything, which is asked without a component too.
const ALL: [Interface; 4] = [Interface::Sequence, Interface::Seed, Interface::Primaries, Interface::Replicas];
