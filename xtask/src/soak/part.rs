//! What the parts are, and what a round of each is.

use anyhow::Result;
use clap::ValueEnum;

use super::mutants;
use super::record::Record;
use crate::evidence::{Counts, Figure};
use crate::own::Own;
use crate::simulate::{How, Stories, Worlds};
use crate::test::{Stage, Wanted, faults, sequences};
use crate::{run, workspace};

/// A part of the soak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Stories of ever new seeds.
    Simulate,
    /// Stories of the whole operator, of ever new seeds.
    SimulateShell,
    /// Such stories of sets whose policy answers anything, until an honest one takes its place.
    Adversary,
    /// Small worlds in which anything may befall the operator, from one beginning after the other, each to its end.
    Exhaust,
    /// The same worlds, where something else befalls their members: what is near each beginning.
    Struck,
    /// The same worlds, where a policy may answer anything in each look.
    Misled,
    /// Walks by chance through worlds of five members.
    Walk,
    /// Faults in the planner, one at a time: its tests find each.
    Mutants,
    /// What comes from outside, made wrong in ever new ways.
    Fuzz,
    /// Sequences of requests to the API server of the simulation and to a real one, which answer alike.
    Requests,
    /// The tests on a real cluster, again and again.
    E2eRepeat,
    /// Faults of the local cluster by chance, against a real database; and those that take long.
    Faults,
}

/// Stories that one commit is to be shown by.
const SEEDS: u64 = 100_000;

/// Stories between two looks at the clock, and what an interrupted run has to repeat.
const STORIES: u64 = 1_000;

/// The same of beginnings, each of which may take minutes: those of a round share what comes of several of them.
const BEGINNINGS: u64 = 31;

/// And of beginnings near which alone is looked.
const NEAR: u64 = 10;

/// All beginnings, each to its end, are what one commit is to be shown by.
const ALL_BEGINNINGS: u64 = 930;

/// And of walks.
const WALKS: u64 = 100;

/// And of stories of the whole operator, of each kind.
const SHELL_STORIES: u64 = 500;

/// And of inputs of each kind.
const INPUTS: u64 = 500;

/// Sequences of requests in a round.
const SEQUENCES: u64 = 100;

/// Rounds of faults on one set, each of a seed.
const FAULTS: u64 = 5;

/// As many as one commit is to be shown by.
const ROUNDS_OF_FAULTS: u64 = 20;

/// Explores by hand.
const EXHAUST: &str = "cargo run --package simulator --bin exhaust --";

/// Tells stories of policies that lie by hand.
const ADVERSARY: &str = "cargo run --package simulator --bin simulate -- --adversary";

/// Tells stories of the whole operator by hand.
const SHELL: &str = "cargo run --profile soak --package shell-simulator --bin simulate-shell --";

/// Stories of sets, and then of StatefulClusters, from this seed on.
fn shell(from: u64) -> Result<()> {
    for of in [None, Some("--identities")] {
        let mut stories = workspace::cargo(&["run", "--quiet", "--profile", "soak"]);
        stories.args(["--package", "shell-simulator", "--bin", "simulate-shell", "--"]);
        stories.args(["--from", &from.to_string(), "--count", &SHELL_STORIES.to_string()]);
        run::shown(stories.args(of))?;
    }
    Ok(())
}

/// Inputs from this number on, made by the operator's own tests: one kind after the other, so that memory is one's own.
fn fuzz(from: u64) -> Result<()> {
    let words = ["test", "--package", "operator", "--lib", "fuzzed", "--", "--test-threads=1"];
    let mut tests = workspace::cargo(&words);
    tests.env("RSS_FUZZ_FROM", from.to_string()).env("RSS_FUZZ_COUNT", INPUTS.to_string());
    run::shown(&mut tests)
}

// === impl Part ===

impl Part {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Simulate => "simulate",
            Self::SimulateShell => "simulate-shell",
            Self::Adversary => "adversary",
            Self::Exhaust => "exhaust",
            Self::Struck => "struck",
            Self::Misled => "misled",
            Self::Walk => "walk",
            Self::Mutants => "mutants",
            Self::Fuzz => "fuzz",
            Self::Requests => "requests",
            Self::E2eRepeat => "e2e-repeat",
            Self::Faults => "faults",
        }
    }

    /// As evidence names it.
    pub(crate) fn part(self) -> String {
        format!("soak {}", self.name())
    }

    /// Why so many rounds that counted this much are not enough to show what it is for, if so.
    pub(crate) fn lacks(self, rounds: usize, counts: &Counts) -> Option<String> {
        let (is, wanted, what) = match self {
            Self::Simulate => (counts.get(&Figure::Seeds).copied().unwrap_or(0), SEEDS, "seeds"),
            Self::Exhaust => {
                let ended = counts.get(&Figure::Beginnings).copied().unwrap_or(0);
                (ended, ALL_BEGINNINGS, "beginnings to their end")
            }
            Self::Mutants => (rounds as u64, mutants::SHARDS, "rounds"),
            Self::Faults => (rounds as u64 * FAULTS, ROUNDS_OF_FAULTS, "rounds of faults"),
            _ => return None,
        };
        (is < wanted).then(|| format!("{is} {what} of {wanted}"))
    }

    /// A round as evidence names it: what is tried again takes the place of what it showed before.
    pub(super) fn numbered(self, record: &Record) -> String {
        let number = match self {
            Self::Mutants => record.next % mutants::SHARDS,
            Self::Exhaust | Self::Struck | Self::Misled => record.next % ALL_BEGINNINGS,
            _ => record.next,
        };
        number.to_string()
    }

    /// How far one round goes.
    pub(super) fn size(self) -> u64 {
        match self {
            Self::Simulate | Self::Adversary => STORIES,
            Self::Exhaust => BEGINNINGS,
            Self::Struck | Self::Misled => NEAR,
            Self::Walk => WALKS,
            Self::SimulateShell => SHELL_STORIES,
            Self::Fuzz => INPUTS,
            Self::Requests => SEQUENCES,
            Self::Mutants | Self::E2eRepeat => 1,
            Self::Faults => FAULTS,
        }
    }

    pub(super) fn round(self, record: &Record, own: Option<Own>) -> Result<()> {
        match self {
            Self::Simulate | Self::Adversary => {
                let adversary = self == Self::Adversary;
                Stories { from: record.next, count: STORIES, trace: false, adversary }.run()
            }
            Self::Exhaust => self.worlds(record, How::ToTheEnd).run(),
            Self::Struck => self.worlds(record, How::Struck).run(),
            Self::Misled => self.worlds(record, How::Misled).run(),
            Self::Walk => self.worlds(record, How::Walk).run(),
            Self::SimulateShell => shell(record.next),
            Self::Mutants => mutants::round(record.next % mutants::SHARDS),
            Self::Fuzz => fuzz(record.next),
            Self::Requests => sequences(record.next, SEQUENCES),
            Self::E2eRepeat => Wanted { only: vec![Stage::E2e], skip: Vec::new(), keep: true, own }.run(),
            Self::Faults => faults(record.next, FAULTS),
        }
    }

    /// The worlds of a round; those who begin somewhere begin again after the last.
    fn worlds(self, record: &Record, how: How) -> Worlds {
        let from = if how == How::Walk { record.next } else { record.next % ALL_BEGINNINGS };
        Worlds { from, count: self.size(), how }
    }

    fn by_hand(self, record: &Record, how: How) -> String {
        format!("{EXHAUST} {}", self.worlds(record, how).words().join(" "))
    }

    pub(super) fn summary(self, record: &Record) -> String {
        let done = match self {
            Self::Simulate | Self::Adversary => format!("{} stories so far", record.next),
            Self::SimulateShell => {
                format!("{} stories of the whole operator of each kind so far", record.next)
            }
            Self::Exhaust | Self::Struck | Self::Misled => {
                format!("{} beginnings of {ALL_BEGINNINGS} so far", record.next)
            }
            Self::Walk => format!("{} walks so far", record.next),
            Self::Mutants => format!("{} rounds so far, of which {} test all", record.next, mutants::SHARDS),
            Self::Fuzz => format!("{} inputs of each kind so far", record.next),
            Self::Requests => format!("{} sequences so far", record.next),
            Self::E2eRepeat => format!("{} runs so far", record.next),
            Self::Faults => format!("{} rounds of faults so far", record.next),
        };
        format!("{done}, in {} s", record.seconds)
    }

    pub(super) fn failure(self, record: &Record) -> String {
        let alone = match self {
            Self::Simulate => format!("cargo xtask simulate --from {} --count {STORIES}", record.next),
            Self::SimulateShell => {
                let from = record.next;
                format!("{SHELL} --from {from} --count {SHELL_STORIES}, and the same with --identities")
            }
            Self::Adversary => format!("{ADVERSARY} --from {} --count {STORIES}", record.next),
            Self::Exhaust => self.by_hand(record, How::ToTheEnd),
            Self::Struck => self.by_hand(record, How::Struck),
            Self::Misled => self.by_hand(record, How::Misled),
            Self::Walk => self.by_hand(record, How::Walk),
            Self::Mutants => "cargo xtask soak --part mutants --minutes 1".to_owned(),
            Self::Fuzz => format!(
                "RSS_FUZZ_FROM={} RSS_FUZZ_COUNT={INPUTS} cargo test --package operator --lib fuzzed",
                record.next
            ),
            Self::Requests => format!(
                "RSS_SEQUENCES_FROM={} RSS_SEQUENCES_COUNT={SEQUENCES} cargo test --package api-server --test real",
                record.next
            ),
            Self::E2eRepeat => "cargo xtask test --only e2e --keep".to_owned(),
            Self::Faults => format!(
                "RSS_FAULTS_FROM={} RSS_FAULTS_COUNT={FAULTS} cargo test --package e2e --test faults rounds",
                record.next
            ),
        };
        format!("soak {} failed after {}; this round alone: {alone}", self.name(), self.summary(record))
    }
}
