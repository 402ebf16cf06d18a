//! What a command answers, for people or for programs.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

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

/// What was looked at, and whether it is well.
pub(crate) trait Verdict {
    fn is_well(&self) -> bool;
}

/// Prints what a command did.
pub(crate) fn answer(done: &(impl Display + Serialize), format: Format) -> Result<ExitCode> {
    let text = match format {
        Format::Text => printable(&done.to_string()),
        Format::Json => serde_json::to_string_pretty(done)?,
    };
    write(format!("{}\n", text.trim_end()).as_bytes()).map(|()| ExitCode::SUCCESS)
}

/// Prints what a command found; the exit code is 1 if that is not well.
pub(crate) fn verdict(found: &(impl Display + Serialize + Verdict), format: Format) -> Result<ExitCode> {
    let printed = answer(found, format)?;
    Ok(if found.is_well() { printed } else { ExitCode::FAILURE })
}

/// Names and reasons are others' words: none of them steers the terminal.
fn printable(text: &str) -> String {
    let shown =
        |c: char| if c.is_control() && c != '\n' { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// Unlike `println!`, no panic when the reader has gone.
pub(crate) fn write(bytes: &[u8]) -> Result<()> {
    std::io::stdout().write_all(bytes).context("failed to answer on standard output")
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_policy_says_cannot_steer_a_terminal() {
        assert_eq!(super::printable("a\x1b[2J\u{9b}31m\r\n\u{e9}"), "a\\u{1b}[2J\\u{9b}31m\\r\n\u{e9}");
    }
}
