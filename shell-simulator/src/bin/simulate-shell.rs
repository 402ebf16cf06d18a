//! Stories of the whole operator: `simulate-shell --from SEED --count N`; with `--identities`, of a StatefulCluster; with
//! `--on-identities`, of a set on one. As many at once as there are processors, or as `--threads` says.

use std::process::ExitCode;
use std::thread::available_parallelism;

use shell_simulator::{identities, tell, tell_on_identities};
use simulator::each;

/// With the C library's a story takes half as long again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number after a word, or this.
fn number(word: &str, otherwise: u64) -> u64 {
    let mut words = std::env::args().skip_while(|said| said != word).skip(1);
    words.next().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

#[allow(clippy::print_stdout, reason = "what it found is for whoever called it")]
fn main() -> ExitCode {
    let (from, count) = (number("--from", 1), number("--count", 1));
    let threads = number("--threads", available_parallelism().map_or(1, |all| all.get() as u64));
    let is_said = |word: &str| std::env::args().any(|said| said == word);
    let tell = match (is_said("--identities"), is_said("--on-identities")) {
        (true, _) => identities::tell,
        (_, true) => tell_on_identities,
        _ => tell,
    };
    let seeds = from..from.saturating_add(count);
    let told = each(seeds, threads, tell);
    let sum = match told {
        Ok(sum) => sum,
        Err((seed, told)) => {
            println!("{told}\nseed {seed} went wrong");
            return ExitCode::FAILURE;
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
    ExitCode::SUCCESS
}
