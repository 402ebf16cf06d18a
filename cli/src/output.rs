//! What a command answers, for people or for programs.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};

use crate::terminal;

/// How to answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

impl Format {
    /// A resource that others wrote, as it can be shown: programs get every text as it is.
    ///
    /// # Errors
    /// If it cannot be told as JSON.
    pub(crate) fn shown<T: Serialize + DeserializeOwned>(self, resource: T) -> Result<T> {
        match self {
            Self::Text => terminal::tamed(&resource),
            Self::Json => Ok(resource),
        }
    }
}

/// What was looked at, and whether it is well.
pub(crate) trait Verdict {
    fn is_well(&self) -> bool;
}

/// Prints what a command did.
pub(crate) fn answer(done: &(impl Display + Serialize), format: Format) -> Result<ExitCode> {
    let text = match format {
        Format::Text => terminal::lines(&done.to_string()),
        Format::Json => serde_json::to_string_pretty(done)?,
    };
    write(format!("{}\n", text.trim_end()).as_bytes()).map(|()| ExitCode::SUCCESS)
}

/// Prints what a command found; the exit code is 1 if that is not well.
pub(crate) fn verdict(found: &(impl Display + Serialize + Verdict), format: Format) -> Result<ExitCode> {
    let printed = answer(found, format)?;
    Ok(if found.is_well() { printed } else { ExitCode::FAILURE })
}

/// Tells a file as JSON. One whose name is no Unicode is told as near to it as can be: what was done is not undone by it.
pub(crate) fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// Unlike `println!`, no panic. A reader that has gone has read what it wanted: what is answered is not changed by that.
pub(crate) fn write(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("failed to answer on standard output"),
    }
}

/// Says a line to whoever watches. Unlike `eprintln!`, no panic.
pub(crate) fn say(line: &str) {
    // That nobody can be told can be told to nobody; the exit code still says how it ended.
    let _ = writeln!(io::stderr(), "{line}");
}
