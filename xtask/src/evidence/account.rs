//! What is known of one commit, and what is missing: never told as zero.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use clap::ValueEnum;

use super::commit::Commit;
use super::counts::{Counts, Figure};
use super::store::Entry;
use crate::soak::Part;
use crate::test::Stage;

/// Every figure, as people call it.
const FIGURES: [(Figure, &str); 18] = [
    (Figure::States, "states explored"),
    (Figure::Beginnings, "beginnings ended"),
    (Figure::Lies, "lies of a policy"),
    (Figure::Stories, "stories, operator"),
    (Figure::Seeds, "stories, planner"),
    (Figure::Crashes, "crash points, simulated"),
    (Figure::Kills, "crash points, real"),
    (Figure::Replaced, "identities replaced"),
    (Figure::Keys, "keys given"),
    (Figure::Faults, "faults, simulated"),
    (Figure::RealFaults, "faults, real"),
    (Figure::Inputs, "inputs tried"),
    (Figure::MutantsKilled, "mutants killed"),
    (Figure::MutantsLate, "mutants without end"),
    (Figure::MutantsJustified, "mutants justified"),
    (Figure::MutantsLeft, "mutants left"),
    (Figure::Acknowledged, "rows acknowledged"),
    (Figure::Lost, "rows lost"),
];

/// What was found of a commit.
#[derive(Debug)]
pub(super) struct Account {
    commit: Commit,
    /// Results of other sources, which are not counted.
    foreign: usize,
    parts: Vec<Known>,
}

/// A stage or a part of the soak.
#[derive(Debug)]
struct Known {
    name: String,
    /// Rounds that found nothing wrong, whenever it was.
    done: BTreeSet<String>,
    /// Rounds that ever did, and how each is run alone again: what was wrong once, and not another time, is wrong.
    failed: BTreeMap<String, Option<String>>,
    /// What these rounds come to.
    amount: Option<String>,
    counts: Counts,
    /// Why there should be more, and how to have it.
    missing: Option<String>,
}

// === impl Account ===

impl Account {
    /// Of a commit, by all results that were kept.
    pub(super) fn of(commit: &Commit, entries: &[Entry]) -> Self {
        let (own, foreign): (Vec<&Entry>, Vec<_>) =
            entries.iter().partition(|entry| entry.source == commit.source);
        let stages = Stage::ALL.map(|stage| {
            let command = format!("cargo xtask test --only {}", stage.name());
            let known = Known::of(stage.part(), &own, |_| Some(command.clone()));
            let none = known.done.is_empty().then(String::new);
            known.lacking(none, &command)
        });
        let parts = Part::value_variants().iter().map(|part| {
            let mut known = Known::of(part.part(), &own, |round| part.alone(round));
            known.amount = part.amount(known.done.len());
            let lack = part.lacks(&known.done, &known.counts);
            known.lacking(lack, &format!("cargo xtask soak --part {}", part.name()))
        });
        let parts = stages.into_iter().chain(parts).collect();
        Self { commit: commit.clone(), foreign: foreign.len(), parts }
    }

    /// Whether everything was run, found nothing wrong, and counted all that is asked for.
    pub(super) fn is_whole(&self) -> bool {
        let well = |known: &Known| known.missing.is_none() && known.failed.is_empty();
        self.parts.iter().all(well) && FIGURES.iter().all(|(figure, _)| self.sum(*figure).is_some())
    }

    /// None: nobody counted it.
    fn sum(&self, figure: Figure) -> Option<u64> {
        let counted: Vec<u64> =
            self.parts.iter().filter_map(|known| known.counts.get(&figure).copied()).collect();
        (!counted.is_empty()).then(|| counted.iter().sum())
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "commit {}", self.commit.name)?;
        writeln!(f, "source {}: all of it but results", self.commit.source)?;
        for (figure, name) in FIGURES {
            match self.sum(figure) {
                Some(sum) => writeln!(f, "{name:<24}{sum:>14}")?,
                None => writeln!(f, "{name:<24}{:>14}", "missing")?,
            }
        }
        for known in &self.parts {
            writeln!(f, "{known}")?;
        }
        write!(f, "results of other sources, not counted: {}", self.foreign)
    }
}

// === impl Known ===

impl Known {
    /// Of each round what it counted last, and whether it ever failed; with how a round is run alone.
    fn of(name: String, entries: &[&Entry], alone: impl Fn(&str) -> Option<String>) -> Self {
        let own: Vec<&Entry> = entries.iter().filter(|entry| entry.part == name).copied().collect();
        let last: BTreeMap<&str, &Entry> = own.iter().map(|entry| (entry.round.as_str(), *entry)).collect();
        let mut counts = Counts::new();
        for (figure, number) in last.values().flat_map(|entry| &entry.counts) {
            *counts.entry(*figure).or_default() += number;
        }
        let that = |ok| own.iter().filter(move |entry| entry.ok == ok).map(|entry| entry.round.clone());
        let failed: BTreeSet<String> = that(false).collect();
        let failed = failed.into_iter().map(|round| (round.clone(), alone(&round))).collect();
        Self { name, done: that(true).collect(), failed, amount: None, counts, missing: None }
    }

    fn lacking(self, lack: Option<String>, command: &str) -> Self {
        let cure =
            |lack: String| if lack.is_empty() { command.to_owned() } else { format!("{lack}: {command}") };
        Self { missing: lack.map(cure), ..self }
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<24}", self.name)?;
        let failed: Vec<&str> = self.failed.keys().map(String::as_str).collect();
        match (self.done.len(), failed.is_empty()) {
            (_, false) => f.write_str(format!("FAILED {}", failed.join(", ")).trim_end())?,
            (0, true) => {}
            (1, true) => write!(f, "ok")?,
            (rounds, true) => write!(f, "ok, {rounds} rounds")?,
        }
        let is_well = failed.is_empty() && !self.done.is_empty();
        if let Some(amount) = self.amount.as_ref().filter(|_| is_well) {
            write!(f, ", {amount}")?;
        }
        let said = !self.done.is_empty() || !self.failed.is_empty();
        let before = if said { ", missing: " } else { "missing: " };
        self.missing.iter().try_for_each(|missing| write!(f, "{before}{missing}"))?;
        self.failed.iter().try_for_each(|(round, command)| {
            let Some(command) = command else { return Ok(()) };
            // A stage has no rounds, and no name for its only one.
            let round = if round.is_empty() { "" } else { &format!("{round}, ") };
            write!(f, "\n  {round}alone: {command}")
        })
    }
}

#[cfg(test)]
mod tests;
