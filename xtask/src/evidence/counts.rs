//! What programs count while they are tried: each adds lines to the file that a variable names, and says nothing where
//! it is not set.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::SystemTime;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::workspace;

/// Names the file.
pub(crate) const VARIABLE: &str = "RSS_EVIDENCE";

/// What this process does in its foreground.
pub(crate) const MAIN: &str = "main";

/// Something that is counted. Lines have its name and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// States of small worlds that differ within a round.
    States,
    /// Beginnings of small worlds of which all that can come was explored.
    Beginnings,
    /// Answers of a policy that lies, each in a look at a small world.
    Lies,
    /// Stories of the whole operator that were told to a good end.
    Stories,
    /// Stories of the planner alone.
    Seeds,
    /// Deaths of an operator in simulations, between two effects, each of which was recovered from.
    Crashes,
    /// Kills of an operator on the local cluster, likewise.
    Kills,
    /// Identities of a StatefulCluster that took the place of others, in stories of the whole operator.
    Replaced,
    /// Keys that a person gave in stories of the whole operator, where a set waited for one: each of them went on.
    Keys,
    /// Faults that struck in simulations, other than those deaths and mishaps of single commands.
    Faults,
    /// Faults that struck on the local cluster.
    RealFaults,
    /// Mutants that a test finds.
    MutantsKilled,
    /// Mutants with which the tests did not end, twice.
    MutantsLate,
    /// Mutants that no test finds, for a reason that is written down.
    MutantsJustified,
    /// Mutants that no test finds.
    MutantsLeft,
    /// Inputs that were made of kept ones and taken or refused in order.
    Inputs,
    /// Rows that a database acknowledged to a client.
    Acknowledged,
    /// Rows among them that no member has at the end.
    Lost,
}

/// How much of each; of what was not counted there is nothing, which is not zero.
pub type Counts = BTreeMap<Figure, u64>;

/// For tests and programs of this workspace: that so many more were counted, if anybody wants to know.
///
/// # Errors
/// Somebody does, and the file cannot be written.
pub fn count(figure: Figure, number: u64) -> Result<()> {
    std::env::var_os(VARIABLE).map_or(Ok(()), |file| add(Path::new(&file), figure, number))
}

/// The file of a piece of this process's work: no other process has had it, also where numbers of processes come again.
pub(crate) fn file(of: &str) -> PathBuf {
    static BEGUN: LazyLock<u128> = LazyLock::new(|| {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos())
    });
    workspace::target().join("evidence").join(format!("{}-{}-{of}", std::process::id(), *BEGUN))
}

/// Adds a line, in one write: programs that run at the same time do not cut each other's.
pub(crate) fn add(file: &Path, figure: Figure, number: u64) -> Result<()> {
    let failed = || format!("failed to write {}", file.display());
    fs::create_dir_all(file.parent().unwrap_or(file)).with_context(failed)?;
    let mut out = OpenOptions::new().create(true).append(true).open(file).with_context(failed)?;
    let name = serde_json::to_value(figure)?;
    out.write_all(format!("{} {number}\n", name.as_str().unwrap_or_default()).as_bytes()).with_context(failed)
}

/// The sums of what was counted in a file, which is removed.
pub(crate) fn taken(file: &Path) -> Result<Counts> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Counts::new()),
        Err(error) => return Err(error).with_context(|| format!("failed to read {}", file.display())),
    };
    fs::remove_file(file).with_context(|| format!("failed to remove {}", file.display()))?;
    sums(&text)
}

fn sums(text: &str) -> Result<Counts> {
    let mut counts = Counts::new();
    for line in text.lines() {
        let malformed = || format!("\"{line}\" is no count");
        let (name, number) = line.split_once(' ').with_context(malformed)?;
        let figure: Figure = serde_json::from_value(name.into()).with_context(malformed)?;
        *counts.entry(figure).or_default() += number.parse::<u64>().with_context(malformed)?;
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_programs_are_summed_and_the_file_is_gone() {
        let file = std::env::temp_dir().join(format!("rss-counts-{}", std::process::id()));
        for (figure, number) in [(Figure::States, 20), (Figure::Seeds, 1), (Figure::States, 3)] {
            add(&file, figure, number).expect("a folder for temporary files");
        }
        assert_eq!(taken(&file).unwrap(), Counts::from([(Figure::States, 23), (Figure::Seeds, 1)]));
        assert_eq!(taken(&file).unwrap(), Counts::new(), "nothing was counted since");
    }

    #[test]
    fn what_is_counted_under_no_known_name_is_an_error() {
        for text in ["stats 3", "states", "states three", "states -1"] {
            assert!(sums(text).is_err(), "{text}");
        }
    }
}
