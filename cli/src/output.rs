//! What a command answers, for people or for programs.

use std::fmt::Display;
use std::io::Write;

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::Serialize;

/// How to answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

/// Prints what a command found.
pub(crate) fn answer(found: &(impl Display + Serialize), format: Format) -> Result<()> {
    let text = match format {
        Format::Text => found.to_string(),
        Format::Json => serde_json::to_string_pretty(found)?,
    };
    write(format!("{}\n", text.trim_end()).as_bytes())
}

/// Unlike `println!`, no panic when the reader has gone.
pub(crate) fn write(bytes: &[u8]) -> Result<()> {
    std::io::stdout().write_all(bytes).context("failed to answer on standard output")
}
