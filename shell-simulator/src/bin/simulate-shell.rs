//! Stories of the whole operator: `simulate-shell --from SEED --count N`; with `--identities`, of a StatefulCluster; with
//! `--on-identities`, of a set on one. As many at once as there are processors, or as `--threads` says. It ends with 2 where
//! a word is not known, or there is no story to tell.

use std::process::ExitCode;
use std::thread::available_parallelism;

use shell_simulator::{identities, tell, tell_on_identities};
use simulator::{Takes, Words, each, refused};

const KNOWN: &[(&str, Takes)] = &[
    ("--from", Takes::Number),
    ("--count", Takes::Amount),
    ("--identities", Takes::Nothing),
    ("--on-identities", Takes::Nothing),
    ("--threads", Takes::Amount),
];

/// With the C library's a story takes half as long again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    run().unwrap_or_else(|why| refused(&why))
}

/// An error is one of the command line.
#[allow(clippy::print_stdout, reason = "what it found is for whoever called it")]
fn run() -> Result<ExitCode, String> {
    let said = Words::read(std::env::args().skip(1), KNOWN)?;
    said.at_most_one(&["--identities", "--on-identities"])?;
    let seeds = said.range("--from", (1, 1), u64::MAX)?;
    let count = seeds.end - seeds.start;
    let processors = available_parallelism().map_or(1, |all| all.get() as u64);
    let threads = said.number("--threads").unwrap_or(processors);
    let tell = match (said.has("--identities"), said.has("--on-identities")) {
        (true, _) => identities::tell,
        (_, true) => tell_on_identities,
        _ => tell,
    };
    let told = each(seeds, threads, tell);
    let sum = match told {
        Ok(sum) => sum,
        Err((seed, told)) => {
            println!("{told}\nseed {seed} went wrong");
            return Ok(ExitCode::FAILURE);
        }
    };
    simulator::count("stories", count);
    simulator::count("crashes", sum.crashes);
    simulator::count("faults", sum.faults);
    simulator::count("replaced", sum.replaced);
    simulator::count("keys", sum.keys);
    println!(
        "{count} stories of the whole operator are as they should be: {} crashes, {} faults, {} keys were given, {} identities took the place of others",
        sum.crashes, sum.faults, sum.keys, sum.replaced
    );
    Ok(ExitCode::SUCCESS)
}
