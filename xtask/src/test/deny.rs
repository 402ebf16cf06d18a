//! Licences, bans and sources of crates, by `deny.toml`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::cluster::layout;
use crate::{run, workspace};

/// Another version may know other licences, or call the settings by other names.
const VERSION: &str = "0.20.2";

pub(super) fn check() -> Result<()> {
    let mut command = Command::new(installed()?);
    command.arg("--manifest-path").arg(workspace::root().join("Cargo.toml"));
    // Advisories change without the tree: they need their database, and are not part of the test.
    command.args(["check", "--hide-inclusion-graph", "bans", "licenses", "sources"]);
    run::shown(&mut command)
}

/// Its own profile optimises whole programs, which takes longer than all that it is used for here.
const QUICK: [(&str, &str); 3] = [
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
];

/// Our own copy, compiled the first time: some minutes.
fn installed() -> Result<PathBuf> {
    let folder = layout::cache()?.join(format!("cargo-deny-{VERSION}"));
    let program = folder.join("bin/cargo-deny");
    if !program.is_file() {
        let mut command = workspace::cargo(&["install", "--locked", "--root"]);
        command.arg(&folder).arg(format!("cargo-deny@{VERSION}"));
        // What it compiles is of no use to the workspace, whose folder it would double.
        run::shown(command.envs(QUICK).env_remove("CARGO_TARGET_DIR"))?;
    }
    Ok(program)
}
