//! The outcome of each mutant, from the files that cargo-mutants writes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::justified::Justified;
use super::source;
use super::survived::{Mutant, parse};

/// The name of a mutant in cargo-mutants, and the mutant.
pub(super) type Tested = (String, Mutant);

/// The mutants by their outcome.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcomes {
    /// A test failed.
    pub(super) caught: Vec<Tested>,
    /// All tests passed.
    pub(super) missed: Vec<Tested>,
    /// The tests did not end in time.
    pub(super) late: Vec<Tested>,
}

// === impl Outcomes ===

impl Outcomes {
    /// Reads the folder that cargo-mutants wrote.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let lines = |name: &str| -> Result<Vec<String>> {
            let file = folder.join(name);
            let text =
                fs::read_to_string(&file).with_context(|| format!("failed to read {}", file.display()))?;
            Ok(text.lines().map(str::to_owned).collect())
        };
        let tested = |line: String| parse(&line, &source).map(|mutant| (line, mutant));
        let list = |name: &str| lines(name)?.into_iter().map(tested).collect::<Result<_>>();
        Ok(Self { caught: list("caught.txt")?, missed: list("missed.txt")?, late: list("timeout.txt")? })
    }

    /// The mutants that timed out without a reason in the file.
    pub(super) fn to_repeat<'a>(&'a self, justified: &'a Justified) -> impl Iterator<Item = &'a str> {
        self.late.iter().filter(|(_, mutant)| !justified.has(mutant)).map(|(name, _)| name.as_str())
    }

    /// The outcomes after the second test of those mutants. cargo-mutants always tests deleted fields too
    /// (`delete field`), so other mutants are left out.
    pub(super) fn repeated(mut self, second: Self, justified: &Justified) -> Self {
        let names: BTreeSet<String> = self.to_repeat(justified).map(str::to_owned).collect();
        let repeated = |tested: Vec<Tested>| tested.into_iter().filter(|(name, _)| names.contains(name));
        self.late.retain(|(_, mutant)| justified.has(mutant));
        self.caught.extend(repeated(second.caught));
        self.missed.extend(repeated(second.missed));
        self.late.extend(repeated(second.late));
        self
    }
}
