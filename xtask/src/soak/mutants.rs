//! Mutants of the planner, made by cargo-mutants: small faults in its source, one at a time. A test of the planner finds
//! each mutant, or `planner/mutants.txt` gives the reason why no test does.

mod justified;
mod outcomes;
mod survived;

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::{counts, installed, run, workspace};
use justified::Justified;
use outcomes::Outcomes;

/// Other versions of cargo-mutants may make other mutants, or name them in another way.
const VERSION: &str = "27.1.0";

/// The number of rounds. Each takes some minutes.
pub(super) const SHARDS: u64 = 20;

/// Exit codes of cargo-mutants after a complete run: all found, some not found, some timed out.
const COMPLETE: [i32; 3] = [0, 2, 3];

/// Random worlds for each mutant. A test has more by default. Fewer worlds can only leave more mutants unfound. With this
/// number the tests take half a second, and the build of a mutant takes two.
const WORLDS: &str = "40";

/// Makes and tests the mutants of one round. Tests of a mutant can time out because the machine is busy. These mutants are
/// tested a second time, one by one.
pub(super) fn round(shard: u64, counts: &Path) -> Result<()> {
    // The check comes first, because the mutants take an hour.
    let justified = Justified::read()?;
    justified.check()?;
    let mut outcomes = test("mutants", &["--jobs", "2", "--shard", &format!("{shard}/{SHARDS}")])?;
    let again: Vec<String> =
        outcomes.to_repeat(&justified).map(|name| format!("^{}$", escaped(name))).collect();
    if !again.is_empty() {
        let names = again.iter().flat_map(|name| ["--re", name]);
        let second = test("mutants-again", &names.chain(["--jobs", "1"]).collect::<Vec<_>>())?;
        outcomes = outcomes.repeated(second, &justified);
    }
    judge(outcomes, &justified, counts)
}

/// Runs cargo-mutants with arguments that choose mutants.
fn test(folder: &str, chosen: &[&str]) -> Result<Outcomes> {
    let folder = workspace::target().join(folder);
    let mut command = Command::new(installed::program("cargo-mutants", VERSION)?);
    command.arg("mutants").arg("--dir").arg(workspace::root()).arg("--output").arg(&folder);
    command.args(["--package", "planner", "--profile", "mutants", "--colors", "never", "--no-times"]);
    // Only the planner's own tests: its documentation has no examples.
    command.args(chosen).arg("--cargo-arg=--lib").env("AUDIT_WORLDS", WORLDS);
    // Each copy of the source needs its own folder for build output.
    let status = command.stdin(Stdio::null()).env_remove("CARGO_TARGET_DIR").status();
    let code = status.with_context(|| format!("failed to start {}", run::described(&command)))?.code();
    if code.is_none_or(|code| !COMPLETE.contains(&code)) {
        bail!("{}: it stopped with exit code {code:?} before its end", run::described(&command));
    }
    Outcomes::read(&folder.join("mutants.out"))
}

/// A regular expression that matches exactly this text.
fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| r"\.+*?()|[]{}^$".contains(c).then_some('\\').into_iter().chain([c])).collect()
}

fn judge(outcomes: Outcomes, justified: &Justified, counts: &Path) -> Result<()> {
    ensure!(!outcomes.caught.is_empty(), "no test found a mutant: cargo-mutants did not run the tests");
    let timed_out = outcomes.to_repeat(justified).count();
    let (with_reason, without): (Vec<_>, Vec<_>) =
        outcomes.missed.into_iter().partition(|(_, mutant)| justified.has(mutant));
    for (name, number) in [
        ("mutants found by a test", outcomes.caught.len()),
        ("mutants with tests that do not end", timed_out),
        ("mutants with a reason in planner/mutants.txt", with_reason.len() + outcomes.late.len() - timed_out),
        ("mutants not found", without.len()),
    ] {
        counts::add(counts, name, number as u64)?;
    }
    let names: Vec<String> = without.iter().map(|(_, mutant)| mutant.to_string()).collect();
    ensure!(
        names.is_empty(),
        "no test finds these mutants: add a test case that does, or add the reason to {}\n{}",
        justified::FILE,
        names.join("\n\n")
    );
    Ok(())
}

/// The lines of a source file.
fn source(file: &str) -> Result<Vec<String>> {
    let path = workspace::root().join(file);
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("failed to read {}", path.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests;
