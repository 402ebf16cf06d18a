//! The programs of this workspace that other commands run.

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;

use crate::progress::Step;
use crate::{compile, workspace};

/// A program of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Binary {
    package: &'static str,
    name: &'static str,
}

/// The operator.
pub(crate) const OPERATOR: Binary = Binary { package: "operator", name: "rss-operator" };

/// The command line tool.
pub(crate) const TOOL: Binary = Binary { package: "kubectl-rss", name: "kubectl-rss" };

/// A build of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// The quick build that tests use.
    Dev,
    /// The build that is shipped.
    Release,
}

// === impl Binary ===

impl Binary {
    /// The path of the program after `build`.
    pub(crate) fn path(self, profile: Profile) -> PathBuf {
        let folder = match profile {
            Profile::Dev => "debug",
            Profile::Release => "release",
        };
        workspace::target().join(folder).join(self.name)
    }

    /// Compile the program, and return its path.
    ///
    /// Cargo chooses the features of a library by the packages that a call names. The development build names all of them,
    /// as the test does, so that neither compiles the libraries of the other again. The shipped program has the features of
    /// its own package alone.
    ///
    /// # Errors
    /// If it does not compile.
    pub(crate) fn build(self, profile: Profile, step: &mut Step) -> Result<PathBuf> {
        let selection: &[&str] = match profile {
            Profile::Dev => &["--workspace"],
            Profile::Release => &["--release", "--package", self.package],
        };
        let words = [&["build", "--bin", self.name], selection].concat();
        compile::in_step(&mut workspace::cargo(&words), step)?;
        Ok(self.path(profile))
    }
}
