//! What the command lines of the programs that tell stories and explore worlds have in common.

use std::ops::Range;
use std::thread::available_parallelism;

use clap::builder::RangedU64ValueParser;
use clap::{Args, value_parser};

/// What these programs end with, for their help.
pub const ENDS: &str = "It ends with 0 where all is well, with 1 where something went wrong, and with 2 where the \
                        command line is wrong.";

/// More at once would wait for each other, and a system may refuse so many.
const MOST_THREADS: u64 = 256;

/// Seeds, one after the other, and how many of their stories are told at once.
#[derive(Args, Clone, Copy, Debug)]
pub struct Seeds {
    /// The first seed; each other one is one more.
    #[arg(long, value_name = "SEED", default_value_t = 1, value_parser = below(u64::MAX))]
    pub from: u64,
    /// How many seeds, 1 at least.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = amount())]
    pub count: u64,
    /// How many stories are told at once, 256 at most; where nothing is said, as many as there are processors.
    #[arg(long, value_name = "N", default_value_t = processors(), hide_default_value = true, value_parser = threads())]
    pub threads: u64,
}

// === impl Seeds ===

impl Seeds {
    /// All of them: there is one at least.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        range(self.from, self.count, u64::MAX)
    }
}

/// The numbers from the first on, so many, all of them below an end.
#[must_use]
pub fn range(first: u64, count: u64, end: u64) -> Range<u64> {
    first..first.saturating_add(count).min(end)
}

/// Takes the first number of a range, of which one is left below this end.
#[must_use]
pub fn below(end: u64) -> RangedU64ValueParser {
    value_parser!(u64).range(..end)
}

/// Takes how many or how much: 1 at least, for in nothing nothing is found.
#[must_use]
pub fn amount() -> RangedU64ValueParser {
    value_parser!(u64).range(1..)
}

/// Takes how many threads there shall be: from 1 to 256.
#[must_use]
pub fn threads() -> RangedU64ValueParser {
    value_parser!(u64).range(1..=MOST_THREADS)
}

fn processors() -> u64 {
    available_parallelism().map_or(1, |all| all.get() as u64).min(MOST_THREADS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, Parser};

    /// A program that takes nothing else.
    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        seeds: Seeds,
    }

    fn said(line: &str) -> Result<Seeds, clap::Error> {
        let words = ["program"].into_iter().chain(line.split_whitespace());
        Program::try_parse_from(words).map(|program| program.seeds)
    }

    #[test]
    fn the_shared_command_line_is_consistent() {
        Program::command().debug_assert();
    }

    #[test]
    fn seeds_go_on_from_the_first_and_never_beyond_the_last() {
        let last = u64::MAX - 1;
        for (line, range) in [
            ("", 1..2),
            ("--from 0 --count 2", 0..2),
            ("--from=9 --count=1", 9..10),
            ("--from 18446744073709551614 --count 7", last..u64::MAX),
        ] {
            assert_eq!(said(line).unwrap().range(), range, "{line}");
        }
        assert_eq!(range(900, 31, 930), 900..930);
    }

    #[test]
    fn what_is_not_known_or_leaves_nothing_to_be_told_is_a_wrong_command_line() {
        for line in [
            "--form 17",
            "17",
            "--from",
            "--from -1",
            "--from 1.5",
            "--from 18446744073709551615",
            "--from 1 --from 2",
            "--count 0",
            "--threads 0",
            "--threads 257",
        ] {
            assert_eq!(said(line).map_err(|error| error.exit_code()).err(), Some(2), "{line}");
        }
        assert!(said("--threads 256").is_ok_and(|seeds| seeds.threads == 256));
    }
}
