//! The results of a part: `target/soak/PART.jsonl` has a JSON object on a line for each round that ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::{Part, Round};
use crate::counts::Counts;

/// How a round ended. The version and the commit are for people: no code compares them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// The name of the round.
    round: String,
    passed: bool,
    version: String,
    commit: String,
    /// The context of the user's own cluster, where the round ran in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    counts: Counts,
    /// The command that runs this round alone.
    command: String,
}

/// The results of a part in one cluster.
#[derive(Debug)]
pub(super) struct Results {
    part: Part,
    file: PathBuf,
    context: Option<String>,
    entries: Vec<Entry>,
}

// === impl Results ===

impl Results {
    /// Reads the results of earlier calls, or deletes them.
    ///
    /// # Errors
    /// The file cannot be read or deleted, or one of its lines is malformed.
    pub(super) fn open(folder: &Path, part: Part, context: Option<&str>, delete: bool) -> Result<Self> {
        let file = folder.join(format!("{}.jsonl", part.name()));
        let failed = || format!("failed to open {}", file.display());
        if delete && file.try_exists().with_context(failed)? {
            fs::remove_file(&file).with_context(failed)?;
        }
        let text = match fs::read_to_string(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.with_context(failed)?,
        };
        let parse = |(number, line)| {
            let malformed = || {
                format!(
                    "{}, line {number} is malformed: --again deletes all results of the part",
                    file.display()
                )
            };
            serde_json::from_str::<Entry>(line).with_context(malformed)
        };
        let mut entries: Vec<Entry> = (1..).zip(text.lines()).map(parse).collect::<Result<_>>()?;
        let context = context.map(str::to_owned);
        entries.retain(|entry| entry.context == context);
        Ok(Self { part, file, context, entries })
    }

    /// Adds the result of a round.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn add(&mut self, round: Round, commit: &str, passed: bool, counts: Counts) -> Result<()> {
        let entry = Entry {
            round: round.name(),
            passed,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: commit.to_owned(),
            context: self.context.clone(),
            counts,
            command: round.alone(),
        };
        let failed = || format!("failed to write {}", self.file.display());
        let mut out = OpenOptions::new().create(true).append(true).open(&self.file).with_context(failed)?;
        out.write_all(format!("{}\n", serde_json::to_string(&entry)?).as_bytes()).with_context(failed)?;
        self.entries.push(entry);
        Ok(())
    }

    /// The names of the rounds that passed.
    pub(super) fn passed(&self) -> BTreeSet<String> {
        self.entries_passed().map(|entry| entry.round.clone()).collect()
    }

    fn entries_passed(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.passed)
    }

    /// The number of rounds that passed, the sums of their counts, and each failure.
    pub(super) fn report(&self) -> String {
        let passed = self.passed();
        let asked = self.part.rounds_of_a_release();
        let among = Round::first(self.part, asked).filter(|round| passed.contains(&round.name())).count();
        let mut report =
            format!("soak {}: {among} of the {asked} rounds of a release passed", self.part.name());
        if passed.len() > among {
            let _ = write!(report, ", and {} beyond them", passed.len() - among);
        }
        for (commit, rounds) in self.rounds_by_commit() {
            let _ = write!(report, "\n  rounds passed on {commit}: {rounds}");
        }
        for (name, sum) in self.sums() {
            let _ = write!(report, "\n{sum:>14} {name}");
        }
        for entry in self.entries.iter().filter(|entry| !entry.passed) {
            let later = if passed.contains(&entry.round) { ", and passed in a later call" } else { "" };
            let Entry { round, version, commit, command, .. } = entry;
            let _ = write!(
                report,
                "\n  {round} failed on {version} {commit}{later}; this round alone: {command}"
            );
        }
        report
    }

    fn rounds_by_commit(&self) -> BTreeMap<String, usize> {
        let mut rounds = BTreeMap::new();
        for entry in self.entries_passed() {
            *rounds.entry(format!("{} {}", entry.version, entry.commit)).or_default() += 1;
        }
        rounds
    }

    /// The sums of the rounds that passed. A round passes once, because no call repeats it.
    fn sums(&self) -> Counts {
        let mut sums = Counts::new();
        for (name, number) in self.entries_passed().flat_map(|entry| &entry.counts) {
            *sums.entry(name.clone()).or_default() += number;
        }
        sums
    }
}

#[cfg(test)]
mod tests;
