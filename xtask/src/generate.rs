//! Files in the tree that a program writes.

mod reference;
mod wit;

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::binary::{self, Profile};
use crate::progress::Progress;
use crate::{run, workspace};

/// A file that is written, and what writes it.
type Generated = (&'static str, fn() -> Result<String>);

/// The definitions of the resources, as `kubectl apply` takes them, and the contract with policies, for people.
const FILES: [Generated; 3] = [
    ("deploy/crd.yaml", || definition("replicated-stateful-set")),
    ("deploy/crd-stateful-cluster.yaml", || definition("stateful-cluster")),
    ("docs/policy-reference.md", reference::page),
];

/// Write the files.
///
/// # Errors
/// If the operator does not compile, or a file cannot be written.
pub fn write() -> Result<()> {
    for (name, content) in FILES {
        let file = workspace::root().join(name);
        fs::write(&file, content()?).with_context(|| format!("failed to write {}", file.display()))?;
    }
    Ok(())
}

/// Compare the files with what would be written, and write nothing.
///
/// # Errors
/// If one differs.
pub fn check() -> Result<()> {
    for (name, content) in FILES {
        let found = fs::read_to_string(workspace::root().join(name)).unwrap_or_default();
        let wanted = content()?;
        if found != wanted {
            let same = found.lines().zip(wanted.lines()).take_while(|(found, wanted)| found == wanted);
            bail!("{name} is stale from line {} on: cargo xtask generate", same.count() + 1);
        }
    }
    Ok(())
}

fn definition(resource: &str) -> Result<String> {
    let title = format!("compile the operator, for the definition {resource}");
    let program = Progress::new(1).step(&title, |step| binary::OPERATOR.build(Profile::Dev, step))?;
    run::output(Command::new(program).args(["crd", resource]))
}
