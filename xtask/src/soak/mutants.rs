//! Faults put into the planner one at a time, by cargo-mutants: a test of the planner finds each of them, or it is one
//! that harms nobody, for a reason that is written down.

mod justified;
mod survived;

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

/// Makes one round's mutants, in a copy of the tree, and tests each.
pub(super) fn round(shard: u64) -> Result<()> {
    // A reason that is about nothing is found before an hour is spent.
    Justified::read()?.check()?;
    let folder = workspace::target().join("mutants");
    let mut command = Command::new(installed::program("cargo-mutants", VERSION)?);
    command.arg("mutants").arg("--dir").arg(workspace::root()).arg("--output").arg(&folder);
    command.args(["--package", "planner", "--profile", "mutants", "--jobs", "2", "--colors", "never"]);
    // The tests of the planner alone, and not the examples in its documentation: there are none.
    command.args(["--no-times", "--shard", &format!("{shard}/{SHARDS}"), "--", "--lib"]);
    // Each copy has a folder of its own for what is built.
    let status = command.stdin(Stdio::null()).env_remove("CARGO_TARGET_DIR").status();
    let code = status.with_context(|| format!("failed to start {}", run::described(&command)))?.code();
    if code.is_none_or(|code| !RAN.contains(&code)) {
        bail!("{}: it ended with {code:?}, and not as where it ran", run::described(&command));
    }
    judge(&folder.join("mutants.out"))
}

fn judge(out: &Path) -> Result<()> {
    let listed = |name: &str| -> Result<Vec<Mutant>> {
        let file = out.join(name);
        let text = fs::read_to_string(&file).with_context(|| format!("failed to read {}", file.display()))?;
        text.lines().map(|line| parse(line, &source)).collect()
    };
    let found = listed("caught.txt")?.len() + listed("timeout.txt")?.len();
    let justified = Justified::read()?;
    let (known, left): (Vec<_>, Vec<_>) =
        listed("missed.txt")?.into_iter().partition(|mutant| justified.has(mutant));
    for (figure, number) in [
        (Figure::MutantsKilled, found),
        (Figure::MutantsJustified, known.len()),
        (Figure::MutantsLeft, left.len()),
    ] {
        counts::add(&counts::file(counts::MAIN), figure, u64::try_from(number)?)?;
    }
    let told: Vec<String> = left.iter().map(ToString::to_string).collect();
    ensure!(
        told.is_empty(),
        "no test finds these mutants: write the case that does, or why it is right into {}\n{}",
        justified::FILE,
        told.join("\n\n")
    );
    Ok(())
}

/// The lines of a source file.
fn source(file: &str) -> Result<Vec<String>> {
    let path = workspace::root().join(file);
    let text = fs::read_to_string(&path).with_context(|| format!("failed to read {}", path.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}
