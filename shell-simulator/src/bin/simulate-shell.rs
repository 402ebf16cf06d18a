//! Tells stories of the whole operator by their seeds; `--help` says how.

use std::process::ExitCode;

use clap::Parser;
use shell_simulator::{identities, tell, tell_on_identities};
use simulator::arguments::{ENDS, Seeds};
use simulator::each;

/// Tell stories of the whole operator by their seeds, each of a set: how much there was in all of them, or what went wrong.
#[derive(Parser)]
#[command(after_help = ENDS)]
struct Arguments {
    #[command(flatten)]
    seeds: Seeds,
    /// Of a StatefulCluster.
    #[arg(long)]
    identities: bool,
    /// Of a set on a StatefulCluster.
    #[arg(long, conflicts_with = "identities")]
    on_identities: bool,
}

/// With the C library's a story takes half as long again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[allow(clippy::print_stdout, reason = "what it found is for whoever called it")]
fn main() -> ExitCode {
    let Arguments { seeds, identities, on_identities } = Arguments::parse();
    let tell = match (identities, on_identities) {
        (true, _) => identities::tell,
        (_, true) => tell_on_identities,
        _ => tell,
    };
    let (seeds, threads) = (seeds.range(), seeds.threads);
    let count = seeds.end - seeds.start;
    let sum = match each(seeds, threads, tell) {
        Ok(sum) => sum,
        Err((seed, told)) => {
            println!("{told}\nseed {seed} went wrong");
            return ExitCode::FAILURE;
        }
    };
    simulator::count("stories of the operator", count);
    simulator::count("simulated operator crashes", sum.crashes);
    simulator::count("simulated faults", sum.faults);
    simulator::count("replaced identities", sum.replaced);
    simulator::count("keys given", sum.keys);
    println!(
        "{count} stories of the whole operator are as they should be: {} crashes, {} faults, {} keys were given, {} identities took the place of others",
        sum.crashes, sum.faults, sum.keys, sum.replaced
    );
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn said(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(["simulate-shell"].into_iter().chain(line.split_whitespace()))
    }

    #[test]
    fn the_command_line_is_consistent_and_one_seed_is_told_where_nothing_is_said() {
        Arguments::command().debug_assert();
        assert_eq!(said("").unwrap().seeds.range(), 1..2);
        assert_eq!(said("--from=0 --count=5000 --on-identities").unwrap().seeds.range(), 0..5000);
    }

    #[test]
    fn two_kinds_of_stories_at_once_and_none_at_all_are_refused() {
        for line in ["--identities --on-identities", "--count 0", "--identity", "--from 18446744073709551615"]
        {
            assert_eq!(said(line).map_err(|error| error.exit_code()).err(), Some(2), "{line}");
        }
    }
}
