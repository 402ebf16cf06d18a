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
    /// Tell the first one alone, in full.
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
    /// How they are explored.
    pub how: How,
}

/// What may happen in small worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Anything may befall the operator, and each world is explored to the end.
    ToTheEnd,
    /// Anything else may befall its members, near each beginning.
    Struck,
    /// A policy may answer anything in each look, near each beginning.
    Misled,
    /// By chance through worlds of five members.
    Walk,
}

/// As many states count as near.
const NEAR: &str = "20000";

/// As many where each beginning is explored twice: with an operator that nothing befalls, and with one that something may.
const NEAR_TWICE: &str = "10000";

// === impl Stories ===

impl Stories {
    /// Run them in the simulator, which prints what it found.
    ///
    /// # Errors
    /// If a story goes wrong, or the simulator does not compile.
    pub fn run(self) -> Result<()> {
        run::shown(&mut self.command())
    }

    fn command(self) -> Command {
        let Self { from, count, trace, adversary } = self;
        let mut command = simulator("simulate");
        command.args(["--from", &from.to_string()]);
        if trace {
            command.arg("--trace");
        } else {
            command.args(["--count", &count.to_string()]);
        }
        command.args(adversary.then_some("--adversary"));
        command
    }

    /// As a person types it.
    pub(crate) fn by_hand(self) -> String {
        run::described(&self.command())
    }
}

// === impl Worlds ===

impl Worlds {
    /// Explore them in the simulator, which prints how much there was, or the way to what must not be.
    ///
    /// # Errors
    /// If something must not be, or the simulator does not compile.
    pub fn run(self) -> Result<()> {
        run::shown(&mut self.command())
    }

    fn command(self) -> Command {
        let mut command = simulator("exhaust");
        command.args(self.words());
        command
    }

    /// As a person types it.
    pub(crate) fn by_hand(self) -> String {
        run::described(&self.command())
    }

    /// What the simulator is told.
    fn words(self) -> Vec<String> {
        let Self { from, count, how } = self;
        let (first, more): (&str, &[&str]) = match how {
            How::ToTheEnd => ("--from", &[]),
            How::Struck => ("--from", &["--struck", "--most", NEAR]),
            How::Misled => ("--from", &["--misled", "--most", NEAR_TWICE]),
            How::Walk => ("--walk", &[]),
        };
        let range = [first, &from.to_string(), "--count", &count.to_string()].map(str::to_owned);
        range.into_iter().chain(more.iter().map(|word| (*word).to_owned())).collect()
    }
}

fn simulator(binary: &str) -> Command {
    workspace::cargo(&["run", "--quiet", "--package", "simulator", "--bin", binary, "--"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simulator_is_told_how_many_or_to_tell_the_first_in_full_and_never_both() {
        let stories = Stories { from: 7, count: 1, trace: false, adversary: true };
        assert!(stories.by_hand().ends_with("simulate -- --from 7 --count 1 --adversary"));
        let told = Stories { trace: true, adversary: false, ..stories };
        assert!(told.by_hand().ends_with("simulate -- --from 7 --trace"));
    }
}
