//! Stories of a simulated cluster, by their seeds.

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
}

// === impl Stories ===

impl Stories {
    /// Run them in the simulator, which prints what it found.
    ///
    /// # Errors
    /// If a story goes wrong, or the simulator does not compile.
    pub fn run(self) -> Result<()> {
        let Self { from, count, trace } = self;
        let mut command =
            workspace::cargo(&["run", "--quiet", "--package", "simulator", "--bin", "simulate", "--"]);
        command.args(["--from", &from.to_string(), "--count", &count.to_string()]);
        if trace {
            command.arg("--trace");
        }
        run::shown(&mut command)
    }
}
