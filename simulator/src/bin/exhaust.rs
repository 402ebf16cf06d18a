//! Explores small worlds, or walks through larger ones; `--help` says how.

use clap::Parser;
use simulator::arguments::{ENDS, amount, below, range, threads};
use simulator::{Budget, Explorer, Found, Setting, Start, Tally, Walk, each};
use std::io::Write;
use std::ops::Range;
use std::process::ExitCode;
use std::time::Instant;

const STRUCK: Budget = Budget { troubles: 0, faults: 1, writes: 1 };

/// What may go wrong in a walk, of so many moves.
const WALK: Budget = Budget { troubles: 2, faults: 3, writes: 2 };
const MOVES: u64 = 150;

const SETTINGS: [Setting; 2] = [Setting::Equal, Setting::Followed];

/// Explore small worlds of three members to their end, from one beginning after the other: how much there was, or the way
/// to something that must not be.
///
/// Looks are stale, commands late, and at any moment one thing befalls the operator. A state that comes of several of these
/// beginnings is explored once.
#[derive(Parser)]
#[command(after_help = ENDS)]
struct Arguments {
    /// The first beginning, of all that there are.
    #[arg(long, value_name = "INDEX", default_value_t = 0, value_parser = below(beginnings()))]
    from: u64,
    /// How many beginnings, or walks, 1 at least.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = amount())]
    count: u64,
    /// Clients write, and one thing befalls the members in place of the operator.
    #[arg(long)]
    struck: bool,
    /// A policy may answer anything in each look, until nothing goes wrong any more.
    #[arg(long)]
    misled: bool,
    /// End each beginning after so many states, the nearest.
    #[arg(long, value_name = "STATES", value_parser = amount())]
    most: Option<u64>,
    /// How many beginnings are explored at once, 256 at most.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = threads())]
    threads: u64,
    /// Walk by chance through worlds of five members in place of all that, from this seed on.
    #[arg(long, value_name = "SEED", value_parser = below(u64::MAX),
        conflicts_with_all = ["from", "struck", "misled", "most", "threads"])]
    walk: Option<u64>,
}

/// Most of the time goes into copies of the world.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let began = Instant::now();
    let explored = match arguments.walk {
        Some(seed) => walk(&range(seed, arguments.count, u64::MAX)),
        None => arguments.explore(),
    };
    let mut out = std::io::stdout().lock();
    let took = began.elapsed().as_secs_f64();
    match explored {
        Ok(sum) => {
            simulator::count("states explored", sum.states);
            if arguments.misled {
                simulator::count("wrong policy answers", sum.lies);
            }
            let _ = writeln!(out, "{sum}, {took:.1} s");
            ExitCode::SUCCESS
        }
        Err(found) => {
            let _ = writeln!(out, "{found}");
            ExitCode::FAILURE
        }
    }
}

/// How many there are of all settings.
fn beginnings() -> u64 {
    SETTINGS.map(|setting| Start::all(setting).len() as u64).iter().sum()
}

// === impl Arguments ===

impl Arguments {
    fn explore(&self) -> Result<Tally, Box<Found>> {
        let explorers = SETTINGS.map(|setting| Explorer::of(setting, 3));
        let explorers = explorers.map(|explorer| if self.misled { explorer.misled() } else { explorer });
        let starts = SETTINGS.map(Start::all);
        let all: Vec<(&Explorer, &Start)> = explorers
            .iter()
            .zip(&starts)
            .flat_map(|(explorer, starts)| starts.iter().map(move |start| (explorer, start)))
            .collect();
        let asked = range(self.from, self.count, all.len() as u64);
        let mut order: Vec<usize> = asked.map(|index| index as usize).collect();
        // What is known where nobody may wait for a person is known of all that comes later.
        order.sort_by_key(|index| !all[*index].1.keeps_its_data());
        let one = |at: u64| {
            let index = order[at as usize];
            let (explorer, start) = all[index];
            self.one(index, explorer, start)
        };
        each(0..order.len() as u64, self.threads, one).map_err(|(_, found)| found)
    }

    /// How much may go wrong. A policy is asked long after most beginnings: where nothing else goes wrong, that is nearer.
    fn budgets(&self) -> &'static [Budget] {
        match (self.struck, self.misled) {
            (true, _) => &[STRUCK],
            (false, true) => &[Budget::NOTHING, Budget::A_TROUBLE],
            (false, false) => &[Budget::A_TROUBLE],
        }
    }

    fn one(&self, index: usize, explorer: &Explorer, start: &Start) -> Result<Tally, Box<Found>> {
        let mut tally = Tally::default();
        for left in self.budgets() {
            let explored = match self.most {
                Some(most) => explorer.explore(start, *left, most),
                None => explorer.exhaust(start, *left),
            };
            tally += explored.map_err(|mut found| {
                found.path.insert(0, format!("beginning {index}: {start}; {left:?}"));
                found
            })?;
        }
        if self.most.is_none() && !self.struck && !self.misled {
            simulator::count("beginnings explored to the end", 1);
        }
        let _ = writeln!(std::io::stdout(), "{index}, {start}: {tally}");
        Ok(tally)
    }
}

fn walk(seeds: &Range<u64>) -> Result<Tally, Box<Found>> {
    let mut sum = Tally::default();
    for setting in SETTINGS {
        let walk = Walk { seed: seeds.start, count: seeds.end - seeds.start, moves: MOVES, left: WALK };
        sum += Explorer::of(setting, 5).walk(walk)?;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn said(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(["exhaust"].into_iter().chain(line.split_whitespace()))
    }

    #[test]
    fn the_command_line_is_consistent_and_one_beginning_is_explored_where_nothing_is_said() {
        Arguments::command().debug_assert();
        let said = said("").unwrap();
        assert_eq!((said.from, said.count, said.threads, said.most), (0, 1, 2, None));
    }

    #[test]
    fn what_leaves_nothing_to_explore_or_walks_know_nothing_of_is_refused() {
        for line in [
            "--from 966",
            "--count 0",
            "--most 0",
            "--threads 0",
            "--threads 257",
            "--walk",
            "--walk 18446744073709551615",
            "--walk 1 --from 1",
            "--walk 1 --struck",
            "--walk 1 --misled",
            "--walk 1 --most 9",
            "--walk 1 --threads 1",
        ] {
            assert_eq!(said(line).map_err(|error| error.exit_code()).err(), Some(2), "{line}");
        }
        for line in ["--from=965 --count 23 --struck --most 20000", "--misled", "--walk 0 --count 500"] {
            assert!(said(line).is_ok(), "{line}");
        }
    }
}
