//! Programs of others that cargo compiles once, into the cache.

use std::path::PathBuf;

use anyhow::Result;

use crate::cluster::layout;
use crate::{run, workspace};

/// Their own profiles optimise whole programs, which takes longer than all that they are used for here.
const QUICK: [(&str, &str); 3] = [
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
];

/// Our own copy of a program in this version, compiled the first time: some minutes.
pub(crate) fn program(name: &str, version: &str) -> Result<PathBuf> {
    let folder = layout::cache()?.join(format!("{name}-{version}"));
    let program = folder.join("bin").join(name);
    if !program.is_file() {
        let mut command = workspace::cargo(&["install", "--locked", "--root"]);
        command.arg(&folder).arg(format!("{name}@{version}"));
        // What it compiles is of no use to the workspace, whose folder it would double.
        run::shown(command.envs(QUICK).env_remove("CARGO_TARGET_DIR"))?;
    }
    Ok(program)
}
