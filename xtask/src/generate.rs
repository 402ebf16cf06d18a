//! Files in the tree that a program writes.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::operator::{self, Profile};
use crate::{run, workspace};

/// The definition of the resource, as `kubectl apply` takes it.
const DEFINITION: &str = "deploy/crd.yaml";

/// Write the files.
///
/// # Errors
/// If the operator does not compile, or a file cannot be written.
pub fn write() -> Result<()> {
    let file = workspace::root().join(DEFINITION);
    fs::write(&file, definition()?).with_context(|| format!("failed to write {}", file.display()))
}

/// Compare the files with what would be written, and write nothing.
///
/// # Errors
/// If one differs.
pub fn check() -> Result<()> {
    let found = fs::read_to_string(workspace::root().join(DEFINITION)).unwrap_or_default();
    let wanted = definition()?;
    if found == wanted {
        return Ok(());
    }
    let line = found.lines().zip(wanted.lines()).take_while(|(found, wanted)| found == wanted).count() + 1;
    bail!("{DEFINITION} is stale from line {line} on: cargo xtask generate")
}

fn definition() -> Result<String> {
    run::output(Command::new(operator::build(Profile::Dev)?).arg("crd"))
}
