//! Runs one command in one container, bounded in time and memory. It concludes nothing: that no
//! exit code came back never means that the command did not run.

mod drain;
mod lost;
#[cfg(test)]
mod tests;
mod websocket;

pub use drain::Caps;
pub use lost::{LONGEST_MESSAGE, LostReason, Refused};
pub use websocket::PodExec;

use futures::future::BoxFuture;
use planner::names::ReplicaName;
use planner::observation::{Command, Output};
use std::time::Duration;

/// A command to be run once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Where.
    pub container: ContainerRef,
    /// Program and arguments.
    pub argv: Vec<String>,
    /// When it is given up, connecting included. The command itself may go on.
    pub deadline: Duration,
    /// What it is for.
    pub purpose: Purpose,
}

/// A container as the API addresses it: by names, which a replacement may have taken over.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContainerRef {
    /// Of the pod.
    pub namespace: String,
    /// The pod.
    pub pod: ReplicaName,
    /// The container in it.
    pub name: String,
}

/// What a command is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// A command under the guard.
    Guarded(Command),
    /// `status`.
    Status,
    /// Whether a shell answers.
    Shell,
    /// What became of an attempt.
    Fate,
}

/// How a call went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The command ended and its exit code came back.
    Ended(Output),
    /// No exit code came back: whether it ran is not known.
    Lost(LostReason),
}

/// What runs commands in containers.
pub trait Exec: Send + Sync + 'static {
    /// Runs a command once. It always answers, and not later than the deadline.
    fn run(&self, call: Call) -> BoxFuture<'_, Outcome>;
}

impl Purpose {
    /// The word for logs and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Guarded(Command::Read) => "Read",
            Self::Guarded(Command::Rehearse) => "Rehearse",
            Self::Guarded(Command::Seed) => "Seed",
            Self::Guarded(Command::Join) => "Join",
            Self::Guarded(Command::Follow) => "Follow",
            Self::Guarded(Command::Promote) => "Promote",
            Self::Guarded(Command::Demote) => "Demote",
            Self::Guarded(Command::Stop) => "Stop",
            Self::Guarded(Command::Probe) => "Probe",
            Self::Status => "Status",
            Self::Shell => "Shell",
            Self::Fate => "Fate",
        }
    }
}
