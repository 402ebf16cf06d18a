//! The commands with their deadlines.

use std::time::Duration;

use super::invalid::Problems;
use crate::api;

/// How long a command may take that names no timeout.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);

/// A command that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments; never empty. The running primaries are appended when it is run.
    pub argv: Vec<String>,
    /// How long it may take; above zero.
    pub timeout: Duration,
}

/// Everything that can be asked of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commands {
    /// Prints how new the data is.
    pub sequence: Command,
    /// Starts the first member; `primary` where the resource has none.
    pub seed: Command,
    /// Starts a member as primary.
    pub primary: Command,
    /// Starts a member as secondary. Without it every running member is a primary.
    pub secondary: Option<Command>,
    /// Says how the application is.
    pub status: Command,
    /// Stops the application.
    pub stop: Command,
}

impl Commands {
    /// `None` where a required one is missing or wrong, which is then among the problems.
    pub(super) fn parse(given: &api::Commands, problems: &mut Problems) -> Option<Self> {
        let sequence = required("sequence", given.sequence.as_ref(), problems);
        let seed = optional("seed", given.seed.as_ref(), problems);
        let primary = required("primary", given.primary.as_ref(), problems);
        let secondary = optional("secondary", given.secondary.as_ref(), problems);
        let status = required("status", given.status.as_ref(), problems);
        let stop = required("stop", given.stop.as_ref(), problems);
        let primary = primary?;
        Some(Self {
            sequence: sequence?,
            seed: seed.unwrap_or_else(|| primary.clone()),
            primary,
            secondary,
            status: status?,
            stop: stop?,
        })
    }
}

fn required(name: &str, given: Option<&api::Command>, problems: &mut Problems) -> Option<Command> {
    if given.is_none() {
        problems.add(
            format!("spec.pod.commands.{name}"),
            "it is missing",
            format!("write it as command: [\"/{name}.sh\"]"),
        );
    }
    optional(name, given, problems)
}

fn optional(name: &str, given: Option<&api::Command>, problems: &mut Problems) -> Option<Command> {
    let given = given?;
    let path = format!("spec.pod.commands.{name}");
    if given.command.first().is_none_or(String::is_empty) {
        problems.add(
            format!("{path}.command"),
            "it names no program",
            format!("write it as a list, for example [\"/{name}.sh\"]"),
        );
    }
    let timeout =
        super::parse::span(given.timeout.as_ref(), DEFAULT_TIMEOUT, &format!("{path}.timeout"), problems);
    Some(Command { argv: given.command.clone(), timeout })
}
