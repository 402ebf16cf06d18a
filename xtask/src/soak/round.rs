//! What a round of each part is: the same on every commit, by its number.

use std::collections::BTreeSet;

use anyhow::Result;

use super::{Part, mutants};
use crate::own::Own;
use crate::simulate::{How, Stories, Worlds};
use crate::test::{BY_CHANCE, Stage, fault, prerequisites, sequences};
use crate::{run, workspace};

/// What takes long, each by its test in `e2e/tests/faults`.
pub(super) const LONG: [&str; 3] = [
    "operator_kills::an_operator_killed_at_any_promise_or_effect_of_a_birth_seeds_once",
    "operator_kills::an_operator_killed_at_any_promise_or_effect_of_a_recovery_seeds_once_and_loses_no_write",
    "operator_kills::an_operator_killed_at_any_promise_or_effect_of_a_rollout_seeds_nobody_and_loses_no_write",
];

/// Tells stories of the whole operator by hand.
const SHELL: &str = "cargo run --profile soak --package shell-simulator --bin simulate-shell --";

/// Without it no cluster is asked: definitions are applied there with force.
const LOCAL: &str = "RSS_KUBECONFIG=$(cargo xtask cluster kubeconfig)";

/// A round of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Round {
    part: Part,
    number: u64,
}

/// One of so many seeds is told of a StatefulCluster, too.
const IDENTITIES: u64 = 2;
/// And one of so many of a set on a StatefulCluster: such a story takes some times as long as the others.
const ON_IDENTITIES: u64 = 20;

/// Stories of sets, and of fewer seeds of StatefulClusters and of sets on one: how many of which.
fn kinds(count: u64) -> [(u64, Option<&'static str>); 3] {
    let identities = (count / IDENTITIES, Some("--identities"));
    [(count, None), identities, (count / ON_IDENTITIES, Some("--on-identities"))]
}

/// Stories of these seeds.
fn shell(from: u64, count: u64) -> Result<()> {
    for (count, of) in kinds(count) {
        let mut stories = workspace::cargo(&["run", "--quiet", "--profile", "soak"]);
        stories.args(["--package", "shell-simulator", "--bin", "simulate-shell", "--"]);
        stories.args(["--from", &from.to_string(), "--count", &count.to_string()]);
        run::shown(stories.args(of))?;
    }
    Ok(())
}

/// How many stories that are for so many seeds.
pub(super) fn stories_of(seeds: u64) -> u64 {
    kinds(seeds).iter().map(|(count, _)| count).sum()
}

/// Inputs from this number on, made by the operator's own tests: one kind after the other, so that memory is one's own.
fn fuzz(from: u64, count: u64) -> Result<()> {
    let words = ["test", "--package", "operator", "--lib", "fuzzed", "--", "--test-threads=1"];
    let mut tests = workspace::cargo(&words);
    run::shown(tests.env("RSS_FUZZ_FROM", from.to_string()).env("RSS_FUZZ_COUNT", count.to_string()))
}

/// The tests on a cluster, as a result of their own beside that of the stage.
fn once_more(own: Option<&Own>) -> Result<()> {
    prerequisites::check(&[Stage::E2e], own)?;
    Stage::E2e.run(true, own)
}

// === impl Round ===

impl Round {
    /// So many of a part.
    pub(super) fn first(part: Part, count: u64) -> impl Iterator<Item = Self> {
        (0..count).map(move |number| Self { part, number })
    }

    /// The first that did not end well yet.
    pub(super) fn next(part: Part, done: &BTreeSet<String>) -> Option<Self> {
        let all = if part.is_finite() { part.asked() } else { u64::MAX };
        Self::first(part, all).find(|round| !done.contains(&round.name()))
    }

    /// As evidence names it: what it is of.
    pub(super) fn name(self) -> String {
        let from = self.from();
        match self.part {
            Part::Mutants => format!("shard {from}"),
            Part::E2eRepeat => format!("run {from}"),
            Part::Faults => self.long().map_or_else(|| format!("seed {}", self.seed()), str::to_owned),
            part => format!("{from} to {}", from + part.size() - 1),
        }
    }

    /// Which of those that are asked for it is, or that it comes after them.
    pub(super) fn place(self) -> String {
        let (number, asked) = (self.number + 1, self.part.asked());
        let among = if number > asked { "beyond" } else { "of" };
        format!("round {number} {among} the {asked} that are asked for")
    }

    fn from(self) -> u64 {
        self.number * self.part.size()
    }

    /// The test that it is, if it is one of those.
    fn long(self) -> Option<&'static str> {
        usize::try_from(self.number).ok().and_then(|number| LONG.get(number)).copied()
    }

    /// The seed of its faults, after the tests.
    fn seed(self) -> u64 {
        self.number.saturating_sub(LONG.len() as u64) + 1
    }

    pub(super) fn run(self, own: Option<Own>) -> Result<()> {
        let (from, count) = (self.from(), self.part.size());
        match self.part {
            Part::Simulate | Part::Adversary => self.stories().run(),
            Part::Exhaust | Part::Struck | Part::Misled | Part::Walk => self.worlds().run(),
            Part::SimulateShell => shell(from, count),
            Part::Mutants => mutants::round(from),
            Part::Fuzz => fuzz(from, count),
            Part::Requests => sequences(from, count),
            Part::E2eRepeat => once_more(own.as_ref()),
            Part::Faults => match self.long() {
                Some(test) => fault(&["--exact", test], 0),
                None => fault(&BY_CHANCE, self.seed()),
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

    /// The command that runs it alone, by hand.
    pub(super) fn alone(self) -> String {
        let (from, count) = (self.from(), self.part.size());
        let variables = |name: &str| format!("RSS_{name}_FROM={from} RSS_{name}_COUNT={count} cargo test");
        match self.part {
            Part::Simulate | Part::Adversary => self.stories().by_hand(),
            Part::Exhaust | Part::Struck | Part::Misled | Part::Walk => self.worlds().by_hand(),
            Part::SimulateShell => {
                let told = kinds(count).map(|(count, of)| {
                    format!("{SHELL} --from {from} --count {count} {}", of.unwrap_or_default())
                        .trim_end()
                        .to_owned()
                });
                told.join("; ")
            }
            Part::Mutants => "cargo xtask soak --part mutants --minutes 1".to_owned(),
            Part::Fuzz => format!("{} --package operator --lib fuzzed", variables("FUZZ")),
            Part::Requests => {
                format!("{LOCAL} {} --package api-server --test real", variables("SEQUENCES"))
            }
            Part::E2eRepeat => "cargo xtask test --only e2e --keep".to_owned(),
            Part::Faults => {
                let test =
                    self.long().map_or_else(|| "rounds::".to_owned(), |test| format!("--exact {test}"));
                let tests = "cargo test --package e2e --test faults -- --nocapture";
                format!("RSS_FAULTS_FROM={} RSS_FAULTS_COUNT=1 {tests} {test}", self.seed())
            }
        }
    }
}

#[cfg(test)]
mod tests;
