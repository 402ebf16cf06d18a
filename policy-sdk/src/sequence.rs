//! How much history does the data hold, by the output of the command `sequence`?

use crate::{Pairs, Policy, Position, quoted};
use serde::{Deserialize, Serialize};

/// Reads what `sequence` printed.
pub trait Sequence: Policy {
    /// Reads one output. Say [`Answer::unreadable`] where there is doubt: the member is then waited for, and not taken
    /// for an old one.
    fn read(&self, output: &Output) -> Answer;
}

/// What `sequence` printed in one member's container.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Output {
    /// The name of the member.
    pub replica: String,
    /// The exit code. With any but 0 the host takes no position, whatever is answered.
    pub exit_code: i32,
    /// Standard output, at most 64 KiB as it was printed. Bytes that are not UTF-8 are replaced by U+FFFD.
    pub stdout: String,
    /// Standard error, likewise.
    pub stderr: String,
    /// The output was longer than that and is cut. The host takes no position from it, whatever is answered.
    pub truncated: bool,
    /// More about it; ignore names that you do not know.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub extra: Pairs,
}

impl Output {
    /// Standard output without blanks around it.
    ///
    /// # Errors
    /// If the command failed or its output is cut: why there is no position.
    pub fn text(&self) -> Result<&str, String> {
        if self.exit_code != 0 {
            return Err(format!("exit {}: {}", self.exit_code, quoted(&self.stderr)));
        }
        if self.truncated {
            return Err("the output was cut".to_owned());
        }
        Ok(self.stdout.trim_matches(|c: char| c.is_ascii_whitespace()))
    }
}

/// A reading with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answer {
    /// What the output says.
    pub reading: Reading,
    /// For [`Reading::Unreadable`], what is wrong with the output; it is what people see.
    #[serde(default)]
    pub why: String,
}

/// What the output says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reading {
    /// There is data, and it holds this much.
    At(Found),
    /// There is no data. Of a member that had some before, that is lost data and not the smallest position.
    Empty,
    /// No position can be had. The member is not taken for an old one: it is waited for.
    Unreadable,
}

/// Data with a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Found {
    /// How much it holds.
    pub position: Position,
    /// What else is known of the data; given back to the other decisions. At most 16, of at most 256 bytes each.
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    pub facts: Pairs,
}

impl Answer {
    /// There is data, and it holds this much.
    #[must_use]
    pub fn at(position: impl Into<Position>) -> Self {
        let found = Found { position: position.into(), facts: Pairs::new() };
        Self { reading: Reading::At(found), why: String::new() }
    }

    /// There is no data.
    #[must_use]
    pub fn empty() -> Self {
        Self { reading: Reading::Empty, why: String::new() }
    }

    /// No position can be had, and why.
    #[must_use]
    pub fn unreadable(why: impl Into<String>) -> Self {
        Self { reading: Reading::Unreadable, why: why.into() }
    }

    /// With a fact about the data. Without data there is nothing to know, and it changes nothing.
    #[must_use]
    pub fn with_fact(mut self, name: &str, value: &str) -> Self {
        if let Reading::At(found) = &mut self.reading {
            found.facts.insert(name.to_owned(), value.to_owned());
        }
        self
    }

    /// With a reason, in one sentence.
    #[must_use]
    pub fn because(self, why: impl Into<String>) -> Self {
        Self { why: why.into(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_output_of_a_command_that_succeeded_is_text() {
        let output = |exit_code, truncated| Output {
            exit_code,
            truncated,
            stdout: " 42\n".to_owned(),
            stderr: "no such file\n".to_owned(),
            ..Output::default()
        };
        assert_eq!(output(0, false).text(), Ok("42"));
        assert_eq!(output(2, false).text(), Err("exit 2: \"no such file\"".to_owned()));
        assert_eq!(output(0, true).text(), Err("the output was cut".to_owned()));
    }
}
