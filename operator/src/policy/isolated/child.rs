//! What the process does: it limits itself, loads what it reads, and prints what came of it.

use std::io::{Read as _, Write as _};

use anyhow::Context as _;

use serde_json::Value;

use super::Bounds;
use super::said::{Said, Subject};
use crate::policy::call::contained;
use crate::policy::{Component, Failure, Host, Schema};

/// The name of the command of the operator by which the process begins.
const COMMAND: &str = "load-policy";

/// What the process is to do, and within which limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Args)]
pub struct ChildArguments {
    /// What standard input is.
    #[arg(value_enum)]
    job: Job,
    /// Memory that the process may write to, in MiB.
    #[arg(long)]
    memory: u64,
    /// Processor time of the process, in seconds.
    #[arg(long)]
    processor: u64,
}

/// What standard input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Job {
    /// A component.
    Component,
    /// A schema with settings, as JSON.
    Settings,
}

impl ChildArguments {
    pub(super) fn new(job: Job, Bounds { memory, processor, .. }: Bounds) -> Self {
        Self { job, memory, processor }
    }

    /// As a command line.
    pub(super) fn line(self) -> [String; 4] {
        let job = match self.job {
            Job::Component => "component",
            Job::Settings => "settings",
        };
        let Self { memory, processor, .. } = self;
        [COMMAND.into(), job.into(), format!("--memory={memory}"), format!("--processor={processor}")]
    }

    /// Does it. It is for the main thread of a process that did nothing before.
    ///
    /// # Errors
    /// If the process cannot be limited, or cannot read or print. That says nothing of the policy.
    pub fn run(self) -> anyhow::Result<()> {
        let Self { job, memory, processor } = self;
        Bounds { memory, processor, ..Bounds::default() }.apply().context("failed to limit the process")?;
        let mut input = Vec::new();
        std::io::stdin().read_to_end(&mut input).context("failed to read")?;
        let said = match job {
            Job::Component => {
                let host = Host::new().context("failed to make ready for policies")?;
                component(&host, &input)
            }
            Job::Settings => settings(&serde_json::from_slice(&input).context("failed to understand")?),
        };
        let said = serde_json::to_vec(&said).context("failed to tell")?;
        std::io::stdout().write_all(&said).context("failed to print")
    }
}

fn component(host: &Host, bytes: &[u8]) -> Said {
    match Component::load(host, bytes) {
        Ok(_component) => Said::Good,
        Err(refusal) => told(refusal.failure(), &refusal),
    }
}

fn settings(Subject { schema, settings }: &Subject) -> Said {
    let schema = match contained(|| Schema::read(schema)) {
        Ok(Ok(schema)) => schema,
        Ok(Err(refusal)) => return Said::refused(&refusal),
        Err(failure) => return Said::failed(&failure),
    };
    match schema.check(&Value::Object(settings.clone())) {
        Ok(()) => Said::Good,
        Err(unfit) => told(unfit.failure(), &unfit),
    }
}

fn told(failure: Option<&Failure>, why: &impl ToString) -> Said {
    match failure {
        Some(Failure::NoMemory) => Said::NoMemory,
        Some(failure) if failure.is_of_the_machine() => Said::failed(why),
        _ => Said::refused(why),
    }
}
