//! The state that the stages of one run share.

use std::cell::{OnceCell, RefCell};
use std::process::Command;

use anyhow::{Context, Result};

use super::Wanted;
use super::durations::Durations;
use super::programs::{self, Program};
use crate::own::Own;

/// Tells tests to try as much as `--full` asks for. Without it they try what a change needs.
pub(super) const FULL: &str = "RSS_TEST_FULL";

/// Tests in modules of this name run with `--full` only.
const FULL_ONLY: [&str; 2] = ["--skip", "full::"];

/// A run of the test.
pub(super) struct TestRun {
    wanted: Wanted,
    programs: OnceCell<Vec<Program>>,
    durations: RefCell<Durations>,
}

// === impl TestRun ===

impl TestRun {
    pub(super) fn new(wanted: &Wanted) -> Self {
        let durations = RefCell::new(Durations::new(wanted.times));
        Self { wanted: wanted.clone(), programs: OnceCell::new(), durations }
    }

    /// Everything is tried, and not only what a change needs.
    pub(super) fn is_full(&self) -> bool {
        self.wanted.full
    }

    /// The cluster stays up after the tests.
    pub(super) fn keeps_cluster(&self) -> bool {
        self.wanted.keep
    }

    /// The user's own cluster, if the tests run there.
    pub(super) fn own(&self) -> Option<&Own> {
        self.wanted.own.as_ref()
    }

    /// The test programs, compiled by the first stage that asks.
    pub(super) fn programs(&self) -> Result<&[Program]> {
        if self.programs.get().is_none() {
            self.programs.set(programs::build()?).ok();
        }
        self.programs.get().map(Vec::as_slice).context("the test programs were built")
    }

    /// Run the tests of a program.
    pub(super) fn test(&self, program: &Program, command: &mut Command) -> Result<()> {
        if self.is_full() {
            command.env(FULL, "1");
        } else {
            command.env_remove(FULL).args(FULL_ONLY);
        }
        program.run(command, &mut self.durations.borrow_mut())
    }

    /// The slowest tests, a line each; none if nobody asked.
    pub(super) fn slowest(&self) -> String {
        self.durations.borrow_mut().slowest()
    }
}
