//! Tells stories of the planner by their seeds; `--help` says how.

use clap::Parser;
use simulator::arguments::{ENDS, Seeds};
use simulator::{Outcome, simulate_by};
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

/// Tell stories of simulated sets by their seeds: how much there was in all of them, or in full the first that goes wrong.
///
/// A seed is always the same story, on every machine. It begins with a set that the seed draws, which faults befall, and
/// the set has to come to rest by the laws of the world, each plan by those of the audit.
#[derive(Parser)]
#[command(after_help = ENDS, mut_arg("count", |count| count.default_value("1000")))]
struct Arguments {
    #[command(flatten)]
    seeds: Seeds,
    /// Tell the first seed alone, in full, whether it goes wrong or not.
    #[arg(long, group = "way", conflicts_with_all = ["count", "threads"])]
    trace: bool,
    /// Name every seed that goes wrong and what is wrong there, one after the other, in place of the first alone.
    #[arg(long, group = "way", conflicts_with = "threads")]
    survey: bool,
    /// With --trace or --survey: leave the audit out, to hear the laws of the world alone.
    #[arg(long, requires = "way")]
    unaudited: bool,
    /// Of sets whose policy is changed now and then, in the middle of whatever goes on.
    #[arg(long)]
    policies: bool,
    /// Of sets whose policy answers anything, until an honest one takes its place.
    #[arg(long, conflicts_with = "policies")]
    adversary: bool,
}

/// Tells the story of a seed: audited or not, and traced or not.
type Tell = fn(u64, bool, bool) -> Outcome;

/// Most of the time goes into copies of the world.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let is_well = arguments.told(arguments.tell(), &mut std::io::stdout());
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

// === impl Arguments ===

impl Arguments {
    fn tell(&self) -> Tell {
        match (self.policies, self.adversary) {
            (true, _) => simulator::tell_with_policies,
            (_, true) => simulator::tell_with_adversary,
            _ => simulator::tell,
        }
    }

    /// Tells what is asked for; whether all of it is well.
    fn told(&self, tell: Tell, out: &mut impl Write) -> bool {
        let audited = !self.unaudited;
        if self.trace {
            let outcome = tell(self.seeds.from, audited, true);
            let _ = writeln!(out, "{outcome}");
            return outcome.breaches.is_empty();
        }
        if self.survey {
            return survey(self.seeds.range().map(|seed| tell(seed, audited, false)), out);
        }
        stories(self.seeds, tell, out)
    }
}

/// Sums all of them up, or tells the first that goes wrong.
fn stories(Seeds { from, count, threads }: Seeds, tell: Tell, out: &mut impl Write) -> bool {
    let began = Instant::now();
    let report = simulate_by(tell, from, count, threads);
    report.count();
    if let Some(failure) = &report.failure {
        let _ = writeln!(out, "{failure}");
        return false;
    }
    let (took, stories, effects) = (began.elapsed().as_secs_f64(), report.stories, report.effects);
    let rate = stories as f64 / took.max(f64::EPSILON);
    let _ = writeln!(out, "{stories} stories, {effects} effects, {took:.1} s, {rate:.0} stories a second");
    true
}

/// Names those that went wrong.
fn survey(outcomes: impl Iterator<Item = Outcome>, out: &mut impl Write) -> bool {
    let (began, mut is_well) = (Instant::now(), true);
    for outcome in outcomes.filter(|outcome| !outcome.breaches.is_empty()) {
        is_well = false;
        let _ = writeln!(out, "{outcome}");
    }
    let _ = writeln!(out, "{:.1} s", began.elapsed().as_secs_f64());
    is_well
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn said(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(["simulate"].into_iter().chain(line.split_whitespace()))
    }

    #[test]
    fn the_command_line_is_consistent_and_a_thousand_seeds_are_told_where_nothing_is_said() {
        Arguments::command().debug_assert();
        assert_eq!(said("").unwrap().seeds.range(), 1..1001);
        assert_eq!(said("--from=3 --count 2 --threads 4 --adversary").unwrap().seeds.range(), 3..5);
    }

    #[test]
    fn what_does_nothing_beside_another_word_is_refused() {
        for line in [
            "--trace --count 2",
            "--trace --threads 2",
            "--trace --survey",
            "--survey --threads 2",
            "--policies --adversary",
            "--unaudited",
        ] {
            assert_eq!(said(line).map_err(|error| error.exit_code()).err(), Some(2), "{line}");
        }
        for line in ["--from 3 --trace --unaudited", "--survey --count 2 --unaudited", "--trace --policies"] {
            assert!(said(line).is_ok(), "{line}");
        }
    }

    /// Seed 7 goes wrong.
    fn tell(seed: u64, _: bool, traced: bool) -> Outcome {
        let breaches = (seed == 7).then(|| "two lineages".to_owned()).into_iter().collect();
        let trace = traced.then(|| "it began".to_owned()).into_iter().collect();
        Outcome { seed, breaches, trace, effects: 1, crashes: 0, faults: 0, millis: 0 }
    }

    fn told(line: &str) -> (bool, String) {
        let mut out = Vec::new();
        let is_well = said(line).unwrap().told(tell, &mut out);
        (is_well, String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_story_that_goes_wrong_is_no_success_however_it_is_told() {
        let wrong = "it began\nseed 7: two lineages\n";
        assert_eq!(told("--from 7 --trace"), (false, wrong.to_owned()));
        assert_eq!(told("--from 5 --count 5"), (false, wrong.to_owned()), "nothing is summed up beside it");
        let (is_well, text) = told("--from 5 --count 5 --survey");
        assert!(!is_well && text.starts_with("seed 7: two lineages\n"), "{text}");
    }

    #[test]
    fn stories_that_end_well_are_a_success() {
        assert_eq!(told("--from 6 --trace"), (true, "it began\nseed 6: all is well\n".to_owned()));
        let (is_well, text) = told("--from 8 --count 5");
        assert!(is_well && text.starts_with("5 stories, 5 effects, "), "{text}");
        assert!(told("--from 8 --count 5 --survey").0);
    }
}
