//! Stories of a simulated cluster by their seeds, and small worlds by where exploration begins.

use std::process::Command;

use anyhow::Result;

use crate::{run, workspace};

/// A range of stories, each told by its seed alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stories {
    /// The first seed.
    pub from: u64,
    /// How many.
    pub count: u64,
    /// Tell the first one in full.
    pub trace: bool,
    /// Of sets whose policy answers anything.
    pub adversary: bool,
}

/// A range of beginnings of small worlds, or of walks through larger ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worlds {
    /// The first beginning, or the seed of the first walk.
    pub from: u64,
    /// How many.
    pub count: u64,
    /// Walk by chance through worlds of five members.
    pub walk: bool,
    /// A policy may answer anything in each look.
    pub misled: bool,
}

// === impl Stories ===

impl Stories {
    /// Run them in the simulator, which prints what it found.
    ///
    /// # Errors
    /// If a story goes wrong, or the simulator does not compile.
    pub fn run(self) -> Result<()> {
        let Self { from, count, trace, adversary } = self;
        let mut command = simulator("simulate");
        command.args(["--from", &from.to_string(), "--count", &count.to_string()]);
        if trace {
            command.arg("--trace");
        }
        if adversary {
            command.arg("--adversary");
        }
        run::shown(&mut command)
    }
}

// === impl Worlds ===

impl Worlds {
    /// Explore them in the simulator, which prints how much there was, or the way to what must not be.
    ///
    /// # Errors
    /// If something must not be, or the simulator does not compile.
    pub fn run(self) -> Result<()> {
        let Self { from, count, walk, misled } = self;
        let from_flag = if walk { "--walk" } else { "--from" };
        let mut command = simulator("exhaust");
        command.args([from_flag, &from.to_string(), "--count", &count.to_string()]);
        if misled {
            command.arg("--misled");
        }
        run::shown(&mut command)
    }
}

fn simulator(binary: &str) -> Command {
    workspace::cargo(&["run", "--quiet", "--package", "simulator", "--bin", binary, "--"])
}
