//! Licences, bans and sources of crates, by `deny.toml`.

use std::process::Command;

use anyhow::Result;

use crate::{installed, run, workspace};

/// Another version may know other licences, or call the settings by other names.
const VERSION: &str = "0.20.2";

pub(super) fn check() -> Result<()> {
    let mut command = Command::new(installed::program("cargo-deny", VERSION)?);
    command.arg("--manifest-path").arg(workspace::root().join("Cargo.toml"));
    // Advisories change without the tree: they need their database, and are not part of the test.
    command.args(["check", "--hide-inclusion-graph", "bans", "licenses", "sources"]);
    run::shown(&mut command)
}
