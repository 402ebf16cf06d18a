//! `simulate --from SEED --count N`: tells the stories of these seeds, and the first that goes
//! wrong in full. `--trace` tells one seed in full, `--survey` names every seed that goes
//! wrong; both may be `--unaudited`, to hear the laws of the world alone, `--policies`, of sets whose
//! policy is changed now and then, and `--adversary`, of sets whose policy answers anything. As many at once as there are
//! processors, or as `--threads` says. It ends with 2 where a word is not known, or there is no story to tell.

use simulator::{Outcome, Takes, Words, refused};
use std::io::Write;
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Instant;

const KNOWN: &[(&str, Takes)] = &[
    ("--from", Takes::Number),
    ("--count", Takes::Amount),
    ("--trace", Takes::Nothing),
    ("--survey", Takes::Nothing),
    ("--unaudited", Takes::Nothing),
    ("--policies", Takes::Nothing),
    ("--adversary", Takes::Nothing),
    ("--threads", Takes::Amount),
];

/// Most of the time goes into copies of the world.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    run().unwrap_or_else(|why| refused(&why))
}

/// An error is one of the command line.
fn run() -> Result<ExitCode, String> {
    let said = Words::read(std::env::args().skip(1), KNOWN)?;
    said.at_most_one(&["--policies", "--adversary"])?;
    said.at_most_one(&["--trace", "--survey"])?;
    let seeds = said.range("--from", (1, 1000), u64::MAX)?;
    let audited = !said.has("--unaudited");
    let tell = match () {
        () if said.has("--policies") => simulator::tell_with_policies,
        () if said.has("--adversary") => simulator::tell_with_adversary,
        () => simulator::tell,
    };
    if said.has("--trace") {
        let _ = writeln!(std::io::stdout(), "{}", tell(seeds.start, audited, true));
        return Ok(ExitCode::SUCCESS);
    }
    if said.has("--survey") {
        survey(seeds.map(|seed| tell(seed, audited, false)));
        return Ok(ExitCode::SUCCESS);
    }
    let began = Instant::now();
    let all = available_parallelism().map_or(1, |all| all.get() as u64);
    let threads = said.number("--threads").unwrap_or(all);
    let report = simulator::simulate_by(tell, seeds.start, seeds.end - seeds.start, threads);
    report.count();
    let (took, effects) = (began.elapsed().as_secs_f64(), report.effects);
    let rate = report.stories as f64 / took.max(f64::EPSILON);
    let failed = report.failure.is_some();
    let mut out = std::io::stdout().lock();
    if let Some(failure) = &report.failure {
        let _ = writeln!(out, "{failure}");
    }
    let stories = report.stories;
    let _ = writeln!(out, "{stories} stories, {effects} effects, {took:.1} s, {rate:.0} stories a second");
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Names those that went wrong.
fn survey(outcomes: impl Iterator<Item = Outcome>) {
    let (began, mut out) = (Instant::now(), std::io::stdout().lock());
    for outcome in outcomes.filter(|outcome| !outcome.breaches.is_empty()) {
        let _ = writeln!(out, "{outcome}");
    }
    let _ = writeln!(out, "{:.1} s", began.elapsed().as_secs_f64());
}
