//! The commands that run the programs of the crate `simulator`.

use std::process::Command;

use anyhow::Result;

use crate::{run, workspace};

/// A range of seeds. The simulator runs one story for each seed, and a seed always gives the same story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stories {
    /// The first seed.
    pub from: u64,
    /// The number of seeds, 1 or more.
    pub count: u64,
    /// Run the first seed only, and print every event.
    pub trace: bool,
    /// Use a policy that gives arbitrary answers.
    pub adversary: bool,
}

/// A range of beginnings of small worlds, or of random walks through larger worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Worlds {
    /// The index of the first beginning, or the seed of the first walk.
    pub(crate) from: u64,
    /// The number of beginnings or walks.
    pub(crate) count: u64,
    pub(crate) how: How,
}

/// The faults that a world has, and how far it is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// One fault of the operator at any moment. Each world is explored to its end.
    ToTheEnd,
    /// One fault of a member at any moment. A limited number of states is explored from each beginning.
    Struck,
    /// A policy that gives arbitrary answers. A limited number of states is explored from each beginning.
    Misled,
    /// Random walks through worlds of five members.
    Walk,
}

/// The most states that are explored from a beginning with a fault of a member.
const MOST_STATES_STRUCK: &str = "20000";

/// The most states that are explored from a beginning with arbitrary policy answers. Each beginning is explored twice:
/// without and with faults of the operator.
const MOST_STATES_MISLED: &str = "10000";

// === impl Stories ===

impl Stories {
    /// Runs the stories. The simulator prints the result.
    ///
    /// # Errors
    /// A story fails, or the simulator does not compile.
    pub fn run(self) -> Result<()> {
        run::shown(&mut self.command())
    }

    pub(crate) fn command(self) -> Command {
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

    /// The command line for a person.
    pub(crate) fn by_hand(self) -> String {
        run::described(&self.command())
    }
}

// === impl Worlds ===

impl Worlds {
    pub(crate) fn command(self) -> Command {
        let mut command = simulator("exhaust");
        command.args(self.words());
        command
    }

    /// The command line for a person.
    pub(crate) fn by_hand(self) -> String {
        run::described(&self.command())
    }

    fn words(self) -> Vec<String> {
        let Self { from, count, how } = self;
        let (first, more): (&str, &[&str]) = match how {
            How::ToTheEnd => ("--from", &[]),
            How::Struck => ("--from", &["--struck", "--most", MOST_STATES_STRUCK]),
            How::Misled => ("--from", &["--misled", "--most", MOST_STATES_MISLED]),
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
    fn a_command_line_has_a_count_or_trace_and_never_both() {
        let stories = Stories { from: 7, count: 1, trace: false, adversary: true };
        assert!(stories.by_hand().ends_with("simulate -- --from 7 --count 1 --adversary"));
        let traced = Stories { trace: true, adversary: false, ..stories };
        assert!(traced.by_hand().ends_with("simulate -- --from 7 --trace"));
    }
}
