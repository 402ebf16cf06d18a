//! What is known of one commit, and what is missing: never told as zero.

use std::collections::BTreeMap;
use std::fmt;

use clap::ValueEnum;

use super::counts::{Counts, Figure};
use super::store::Entry;
use crate::soak::Part;
use crate::test::Stage;

/// Every figure, as people call it.
const FIGURES: [(Figure, &str); 11] = [
    (Figure::States, "states explored"),
    (Figure::Beginnings, "beginnings ended"),
    (Figure::Seeds, "seeds told"),
    (Figure::Crashes, "crash points"),
    (Figure::Faults, "faults injected"),
    (Figure::Inputs, "inputs tried"),
    (Figure::MutantsKilled, "mutants killed"),
    (Figure::MutantsJustified, "mutants justified"),
    (Figure::MutantsLeft, "mutants left"),
    (Figure::Acknowledged, "rows acknowledged"),
    (Figure::Lost, "rows lost"),
];

/// What was found of a commit.
#[derive(Debug)]
pub(super) struct Account {
    commit: String,
    /// Results of other commits, which are not counted.
    foreign: usize,
    parts: Vec<Known>,
}

/// A stage or a part of the soak.
#[derive(Debug)]
struct Known {
    name: String,
    /// Rounds of it, whether each found nothing wrong.
    rounds: BTreeMap<String, bool>,
    counts: Counts,
    /// Why there should be more, and how to have it.
    missing: Option<String>,
}

// === impl Account ===

impl Account {
    /// Of a commit, by all results that were kept.
    pub(super) fn of(commit: &str, entries: &[Entry]) -> Self {
        let (own, foreign): (Vec<&Entry>, Vec<_>) = entries.iter().partition(|entry| entry.commit == commit);
        let stages = Stage::ALL.map(|stage| {
            let known = Known::of(stage.part(), &own);
            let none = known.rounds.is_empty().then(String::new);
            known.lacking(none, &format!("cargo xtask test --only {}", stage.name()))
        });
        let parts = Part::value_variants().iter().map(|part| {
            let known = Known::of(part.part(), &own);
            let lack = if known.rounds.is_empty() {
                Some(String::new())
            } else {
                part.lacks(known.rounds.len(), &known.counts)
            };
            known.lacking(lack, &format!("cargo xtask soak --part {}", part.name()))
        });
        let parts = stages.into_iter().chain(parts).collect();
        Self { commit: commit.to_owned(), foreign: foreign.len(), parts }
    }

    /// Whether everything was run, found nothing wrong, and counted all that is asked for.
    pub(super) fn is_whole(&self) -> bool {
        let well = |known: &Known| known.missing.is_none() && known.rounds.values().all(|ok| *ok);
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
        writeln!(f, "commit {}", self.commit)?;
        for (figure, name) in FIGURES {
            match self.sum(figure) {
                Some(sum) => writeln!(f, "{name:<20}{sum:>14}")?,
                None => writeln!(f, "{name:<20}{:>14}", "missing")?,
            }
        }
        for known in &self.parts {
            writeln!(f, "{known}")?;
        }
        write!(f, "results of other commits, not counted: {}", self.foreign)
    }
}

// === impl Known ===

impl Known {
    /// Of each round what it said last.
    fn of(name: String, entries: &[&Entry]) -> Self {
        let rounds: BTreeMap<&str, &Entry> = entries
            .iter()
            .filter(|entry| entry.part == name)
            .map(|entry| (entry.round.as_str(), *entry))
            .collect();
        let mut counts = Counts::new();
        for (figure, number) in rounds.values().flat_map(|entry| &entry.counts) {
            *counts.entry(*figure).or_default() += number;
        }
        let rounds = rounds.into_iter().map(|(round, entry)| (round.to_owned(), entry.ok)).collect();
        Self { name, rounds, counts, missing: None }
    }

    fn lacking(self, lack: Option<String>, command: &str) -> Self {
        let cure =
            |lack: String| if lack.is_empty() { command.to_owned() } else { format!("{lack}: {command}") };
        Self { missing: lack.map(cure), ..self }
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failed: Vec<&str> =
            self.rounds.iter().filter(|(_, ok)| !**ok).map(|(round, _)| round.as_str()).collect();
        write!(f, "{:<20}", self.name)?;
        match (self.rounds.len(), failed.is_empty()) {
            (0, _) => {}
            (1, true) => write!(f, "ok")?,
            (rounds, true) => write!(f, "ok, {rounds} rounds")?,
            (_, false) => write!(f, "FAILED {}", failed.join(", "))?,
        }
        let before = if self.rounds.is_empty() { "missing: " } else { ", missing: " };
        self.missing.iter().try_for_each(|missing| write!(f, "{before}{missing}"))
    }
}

#[cfg(test)]
mod tests;
