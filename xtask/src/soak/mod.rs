//! The soak: long tests in parts. A part is a list of rounds, and a call runs the rounds that did not pass yet.

mod mutants;
mod part;
mod results;
mod round;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::own::Own;
use crate::{counts, workspace};
pub use part::Part;
use results::Results;
use round::Round;

/// A call of the soak.
#[derive(Debug)]
pub struct Soak {
    /// The part to run.
    pub part: Part,
    /// No round begins that would probably end after so many minutes. The first round always begins.
    pub minutes: u64,
    /// Whether to delete the results of earlier calls first.
    pub again: bool,
    /// A cluster of the user in place of the local one.
    pub own: Option<Own>,
}

// === impl Soak ===

impl Soak {
    /// Runs rounds until the time is over, a round fails, or every round of the part passed. Returns the report, and
    /// whether all rounds of this call passed.
    ///
    /// # Errors
    /// The results cannot be read or written.
    pub fn run(&self) -> Result<(String, bool)> {
        fs::create_dir_all(folder()).with_context(|| format!("failed to create {}", folder().display()))?;
        let context = self.own.as_ref().map(|own| own.context.as_str());
        let mut results = Results::open(&folder(), self.part, context, self.again)?;
        let (limit, begun) = (Duration::from_secs(self.minutes * 60), Instant::now());
        let mut longest = Duration::ZERO;
        while longest.is_zero() || begun.elapsed() + longest < limit {
            let Some(round) = Round::next(self.part, &results.passed()) else { break };
            let clock = Instant::now();
            if !self.round(round, &mut results)? {
                return Ok((results.report(), false));
            }
            longest = longest.max(clock.elapsed());
        }
        Ok((results.report(), true))
    }

    fn round(&self, round: Round, results: &mut Results) -> Result<bool> {
        let (part, name, clock) = (self.part.name(), round.name(), Instant::now());
        eprintln!("soak {part}: {name} begins; {}", round.place());
        let file = counts_file(&folder(), self.part)?;
        let commit = commit();
        let outcome = round.run(self.own.as_ref(), &file);
        results.add(round, &commit, outcome.is_ok(), counts::read(&file)?)?;
        match &outcome {
            Ok(()) => eprintln!("soak {part}: {name} passed in {} s", clock.elapsed().as_secs()),
            Err(error) => eprintln!("error: soak {part}: {name} failed: {error:#}"),
        }
        Ok(outcome.is_ok())
    }
}

fn folder() -> PathBuf {
    workspace::target().join("soak")
}

/// An empty file for the counts of the next round.
fn counts_file(folder: &Path, part: Part) -> Result<PathBuf> {
    let file = folder.join(format!("{}.counts", part.name()));
    fs::write(&file, "").with_context(|| format!("failed to write {}", file.display()))?;
    Ok(file)
}

/// The short hash of the commit, with `-dirty` where a file differs from it.
fn commit() -> String {
    // Git refuses a clone of another user without this setting.
    let words = ["-c", "safe.directory=*", "describe", "--always", "--dirty", "--exclude", "*"];
    let mut git = std::process::Command::new("git");
    let described = crate::run::output(git.arg("-C").arg(workspace::root()).args(words));
    described.map_or_else(|_| "unknown commit".to_owned(), |text| text.trim().to_owned())
}
