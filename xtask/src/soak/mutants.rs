//! Faults put into the planner one at a time, by cargo-mutants: a test of the planner finds each of them, or it is one
//! that harms nobody, for a reason that is written down.

mod justified;
mod survived;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::evidence::{Figure, counts};
use crate::{installed, run, workspace};
pub(crate) use justified::Justified;
use survived::{Mutant, parse};

/// Another version may make other mutants, or call them otherwise.
const VERSION: &str = "27.1.0";

/// All mutants in so many rounds, of some minutes each.
pub(super) const SHARDS: u64 = 20;

/// How cargo-mutants ends where it ran: all were found, some not, or some ran on until they were stopped.
const RAN: [i32; 3] = [0, 2, 3];

/// Worlds of chance for each mutant, fewer than a test has: more mutants may be left by that, and none is found that is
/// not. Optimised a little, the tests take half a second with these, where compiling a mutant takes two.
const WORLDS: &str = "40";

/// A mutant by the name that cargo-mutants knows, and by ours.
type Tested = (String, Mutant);

/// What became of mutants.
#[derive(Debug, Default, PartialEq, Eq)]
struct Fates {
    caught: Vec<Tested>,
    missed: Vec<Tested>,
    /// With these the tests did not end in time.
    late: Vec<Tested>,
}

/// Makes one round's mutants, in a copy of the tree, and tests each. On a busy machine the tests are late with a mutant that
/// they would not find: whichever were are tested once more, one at a time.
pub(super) fn round(shard: u64) -> Result<()> {
    // A reason that is about nothing is found before an hour is spent.
    let justified = Justified::read()?;
    justified.check()?;
    let mut fates = tested("mutants", &["--jobs", "2", "--shard", &format!("{shard}/{SHARDS}")])?;
    let again: Vec<String> =
        fates.asked_again(&justified).map(|name| format!("^{}$", escaped(name))).collect();
    if !again.is_empty() {
        let each = again.iter().flat_map(|name| ["--re", name]);
        fates = fates
            .after(tested("mutants-again", &each.chain(["--jobs", "1"]).collect::<Vec<_>>())?, &justified);
    }
    judge(fates, &justified)
}

/// Lets cargo-mutants make those that these words choose.
fn tested(folder: &str, chosen: &[&str]) -> Result<Fates> {
    let folder = workspace::target().join(folder);
    let mut command = Command::new(installed::program("cargo-mutants", VERSION)?);
    command.arg("mutants").arg("--dir").arg(workspace::root()).arg("--output").arg(&folder);
    command.args(["--package", "planner", "--profile", "mutants", "--colors", "never", "--no-times"]);
    // The tests of the planner alone: neither what others use of it, nor examples in its documentation, which has none.
    command.args(chosen).arg("--cargo-arg=--lib").env("AUDIT_WORLDS", WORLDS);
    // Each copy has a folder of its own for what is built.
    let status = command.stdin(Stdio::null()).env_remove("CARGO_TARGET_DIR").status();
    let code = status.with_context(|| format!("failed to start {}", run::described(&command)))?.code();
    if code.is_none_or(|code| !RAN.contains(&code)) {
        bail!("{}: it ended with {code:?}, and not as where it ran", run::described(&command));
    }
    Fates::read(&folder.join("mutants.out"))
}

/// A regular expression for this very text.
fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| r"\.+*?()|[]{}^$".contains(c).then_some('\\').into_iter().chain([c])).collect()
}

fn judge(fates: Fates, justified: &Justified) -> Result<()> {
    ensure!(!fates.caught.is_empty(), "no mutant was found by a test: the tests were not run with them");
    let late = fates.late.iter().filter(|(_, mutant)| !justified.has(mutant)).count() as u64;
    let told = fates.late.len() as u64 - late;
    let (known, left): (Vec<_>, Vec<_>) =
        fates.missed.into_iter().partition(|(_, mutant)| justified.has(mutant));
    for (figure, number) in [
        (Figure::MutantsKilled, fates.caught.len() as u64),
        (Figure::MutantsLate, late),
        (Figure::MutantsJustified, known.len() as u64 + told),
        (Figure::MutantsLeft, left.len() as u64),
    ] {
        counts::add(&counts::file(counts::MAIN), figure, number)?;
    }
    let told: Vec<String> = left.iter().map(|(_, mutant)| mutant.to_string()).collect();
    ensure!(
        told.is_empty(),
        "no test finds these mutants: write the case that does, or why it is right into {}\n{}",
        justified::FILE,
        told.join("\n\n")
    );
    Ok(())
}

// === impl Fates ===

impl Fates {
    /// As cargo-mutants wrote them.
    fn read(out: &Path) -> Result<Self> {
        let lines = |name: &str| -> Result<Vec<String>> {
            let file = out.join(name);
            let text =
                fs::read_to_string(&file).with_context(|| format!("failed to read {}", file.display()))?;
            Ok(text.lines().map(str::to_owned).collect())
        };
        let named = |line: String| parse(&line, &source).map(|mutant| (line, mutant));
        let listed = |name: &str| lines(name)?.into_iter().map(named).collect::<Result<_>>();
        Ok(Self {
            caught: listed("caught.txt")?,
            missed: listed("missed.txt")?,
            late: listed("timeout.txt")?,
        })
    }

    /// Those with which the tests were late, unless it is written down why.
    fn asked_again<'a>(&'a self, justified: &'a Justified) -> impl Iterator<Item = &'a str> {
        self.late.iter().filter(|(_, mutant)| !justified.has(mutant)).map(|(name, _)| name.as_str())
    }

    /// What became of all, after those were tested again. Fields that are left out (`delete field`) cargo-mutants tests
    /// whatever it is asked for: only of those that were counts what became of them.
    fn after(mut self, again: Self, justified: &Justified) -> Self {
        let asked: BTreeSet<String> = self.asked_again(justified).map(str::to_owned).collect();
        let of_those = |tested: Vec<Tested>| tested.into_iter().filter(|(name, _)| asked.contains(name));
        self.late.retain(|(_, mutant)| justified.has(mutant));
        self.caught.extend(of_those(again.caught));
        self.missed.extend(of_those(again.missed));
        self.late.extend(of_those(again.late));
        self
    }
}

/// The lines of a source file.
fn source(file: &str) -> Result<Vec<String>> {
    let path = workspace::root().join(file);
    let text = fs::read_to_string(&path).with_context(|| format!("failed to read {}", path.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests;
