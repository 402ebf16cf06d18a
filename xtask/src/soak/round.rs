//! The rounds of each part. The number of a round decides what it tries, on every commit.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Part, mutants};
use crate::own::Own;
use crate::simulate::{How, Stories, Worlds};
use crate::test::{BY_CHANCE, fault, sequences};
use crate::{counts, run, workspace};

/// The long tests in `e2e/tests/faults`. Each of them is a round of part `faults`.
pub(super) const LONG_TESTS: [&str; 3] = [
    "faults::operator_kills::an_operator_killed_at_any_promise_or_effect_of_a_birth_seeds_once",
    "faults::operator_kills::an_operator_killed_at_any_promise_or_effect_of_a_recovery_seeds_once_and_loses_no_write",
    "faults::operator_kills::an_operator_killed_at_any_promise_or_effect_of_a_rollout_seeds_nobody_and_loses_no_write",
];

/// The command for a person that runs stories of the whole operator.
const SHELL: &str = "cargo run --profile soak --package shell-simulator --bin simulate-shell --";

/// The tests of requests ask no cluster without this variable, because they apply definitions with force.
const LOCAL: &str = "RSS_KUBECONFIG=$(cargo xtask cluster kubeconfig)";

/// A round of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Round {
    part: Part,
    number: u64,
}

/// The stories for a number of seeds: their number and the flag of each kind. Stories of a StatefulCluster and of a set
/// on one have fewer seeds, because they take longer.
fn kinds_of_stories(seeds: u64) -> [(u64, Option<&'static str>); 3] {
    [(seeds, None), (seeds / 2, Some("--identities")), (seeds / 20, Some("--on-identities"))]
}

/// Runs a command, which adds its counts to the file.
fn counted(command: &mut Command, counts: &Path) -> Result<()> {
    run::shown(command.env(counts::VARIABLE, counts))
}

fn shell(from: u64, count: u64, counts: &Path) -> Result<()> {
    for (count, kind) in kinds_of_stories(count) {
        let mut stories = workspace::cargo(&["run", "--quiet", "--profile", "soak"]);
        stories.args(["--package", "shell-simulator", "--bin", "simulate-shell", "--"]);
        stories.args(["--from", &from.to_string(), "--count", &count.to_string()]).args(kind);
        counted(&mut stories, counts)?;
    }
    Ok(())
}

/// One thread, because each test checks the memory of the whole process.
fn fuzz(from: u64, count: u64, counts: &Path) -> Result<()> {
    let words = ["test", "--package", "operator", "--lib", "fuzzed", "--", "--test-threads=1"];
    let mut tests = workspace::cargo(&words);
    tests.env("RSS_FUZZ_FROM", from.to_string()).env("RSS_FUZZ_COUNT", count.to_string());
    counted(&mut tests, counts)
}

/// Runs the stage in a process of its own, whose programs find the file of the counts.
fn e2e(own: Option<&Own>, counts: &Path) -> Result<()> {
    let program = std::env::current_exe().context("failed to find the program of this command")?;
    let mut test = Command::new(program);
    test.args(["test", "--full", "--only", "e2e", "--keep"]);
    if let Some(own) = own {
        test.args(["--context", &own.context]);
        test.args(own.image_prefix.iter().flat_map(|prefix| ["--image-prefix", prefix]));
    }
    counted(&mut test, counts)
}

// === impl Round ===

impl Round {
    /// The first rounds of a part.
    pub(super) fn first(part: Part, count: u64) -> impl Iterator<Item = Self> {
        (0..count).map(move |number| Self { part, number })
    }

    /// The first round that is not among these.
    pub(super) fn next(part: Part, passed: &BTreeSet<String>) -> Option<Self> {
        let all = if part.is_finite() { part.rounds_of_a_release() } else { u64::MAX };
        Self::first(part, all).find(|round| !passed.contains(&round.name()))
    }

    /// The name in the results: the seeds, beginnings or test of the round.
    pub(super) fn name(self) -> String {
        let from = self.from();
        match self.part {
            Part::Mutants => format!("shard {from}"),
            Part::E2eRepeat => format!("run {from}"),
            Part::Faults => self.long_test().map_or_else(|| format!("seed {}", self.seed()), str::to_owned),
            part => format!("{from} to {}", from + part.size() - 1),
        }
    }

    /// The place of the round among those of a release, for the progress.
    pub(super) fn place(self) -> String {
        let (number, asked) = (self.number + 1, self.part.rounds_of_a_release());
        let relation = if number > asked { "beyond" } else { "of" };
        format!("round {number} {relation} the {asked} of a release")
    }

    fn from(self) -> u64 {
        self.number * self.part.size()
    }

    fn long_test(self) -> Option<&'static str> {
        usize::try_from(self.number).ok().and_then(|number| LONG_TESTS.get(number)).copied()
    }

    /// The seed of a round of part `faults`. These rounds follow the long tests.
    fn seed(self) -> u64 {
        self.number.saturating_sub(LONG_TESTS.len() as u64) + 1
    }

    /// Runs the round. Its programs add their counts to the file.
    pub(super) fn run(self, own: Option<&Own>, counts: &Path) -> Result<()> {
        let (from, count) = (self.from(), self.part.size());
        match self.part {
            Part::Simulate | Part::Adversary => counted(&mut self.stories().command(), counts),
            Part::Exhaust | Part::Struck | Part::Misled | Part::Walk => {
                counted(&mut self.worlds().command(), counts)
            }
            Part::SimulateShell => shell(from, count, counts),
            Part::Mutants => mutants::round(from, counts),
            Part::Fuzz => fuzz(from, count, counts),
            Part::Requests => sequences(from, count),
            Part::E2eRepeat => e2e(own, counts),
            Part::Faults => match self.long_test() {
                Some(test) => fault(&["--exact", test], 0, counts),
                None => fault(&BY_CHANCE, self.seed(), counts),
            },
        }
    }

    fn stories(self) -> Stories {
        let adversary = self.part == Part::Adversary;
        Stories { from: self.from(), count: self.part.size(), trace: false, adversary }
    }

    fn worlds(self) -> Worlds {
        let how = match self.part {
            Part::Struck => How::Struck,
            Part::Misled => How::Misled,
            Part::Walk => How::Walk,
            _ => How::ToTheEnd,
        };
        Worlds { from: self.from(), count: self.part.size(), how }
    }

    /// The command for a person that runs this round alone.
    pub(super) fn alone(self) -> String {
        let (from, count) = (self.from(), self.part.size());
        let variables = |name: &str| format!("RSS_{name}_FROM={from} RSS_{name}_COUNT={count} cargo test");
        match self.part {
            Part::Simulate | Part::Adversary => self.stories().by_hand(),
            Part::Exhaust | Part::Struck | Part::Misled | Part::Walk => self.worlds().by_hand(),
            Part::SimulateShell => {
                let line = |(count, kind): (u64, Option<&str>)| {
                    let kind = kind.map(|kind| format!(" {kind}")).unwrap_or_default();
                    format!("{SHELL} --from {from} --count {count}{kind}")
                };
                kinds_of_stories(count).map(line).join("; ")
            }
            // A call begins with the round that failed, and a minute leaves no time for a second round.
            Part::Mutants => "cargo xtask soak --part mutants --minutes 1".to_owned(),
            Part::Fuzz => format!("{} --package operator --lib fuzzed", variables("FUZZ")),
            Part::Requests => {
                format!("{LOCAL} {} --package e2e requests::", variables("SEQUENCES"))
            }
            Part::E2eRepeat => "cargo xtask test --full --only e2e --keep".to_owned(),
            Part::Faults => {
                let test = self
                    .long_test()
                    .map_or_else(|| "faults::rounds::".to_owned(), |test| format!("--exact {test}"));
                let tests = "cargo test --package e2e --test cluster -- --nocapture";
                format!("RSS_FAULTS_FROM={} RSS_FAULTS_COUNT=1 {tests} {test}", self.seed())
            }
        }
    }
}

#[cfg(test)]
mod tests;
