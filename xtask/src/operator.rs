//! The operator's program, as cargo builds it.

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;

use crate::{run, workspace};

/// Which build of the operator is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// The quick build that tests use.
    Dev,
    /// The one that is shipped.
    Release,
}

/// Compile it, and say where it is.
pub(crate) fn build(profile: Profile) -> Result<PathBuf> {
    let (folder, flags) = match profile {
        Profile::Dev => ("debug", [].as_slice()),
        Profile::Release => ("release", ["--release"].as_slice()),
    };
    let words = ["build", "--quiet", "--package", "operator", "--bin", "rss-operator"];
    run::shown(workspace::cargo(&words).args(flags))?;
    Ok(workspace::target().join(folder).join("rss-operator"))
}
