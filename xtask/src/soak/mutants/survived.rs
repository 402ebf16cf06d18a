//! A mutant: its name in cargo-mutants, and the line that it changes.

use std::fmt;

use anyhow::{Context, Result};

/// A mutant without its line number, so that changes above the line do not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mutant {
    /// The file and the change, such as `planner/src/a.rs: replace == with != in b`.
    pub(super) name: String,
    /// The text of the first line that changes, without leading and trailing blanks.
    pub(super) line: String,
}

/// Parses a line of cargo-mutants such as `planner/src/a.rs:12:30: replace == with != in b`.
pub(super) fn parse(text: &str, source: &dyn Fn(&str) -> Result<Vec<String>>) -> Result<Mutant> {
    let malformed = || format!("\"{text}\" is not a mutant: cargo-mutants may have another version");
    let mut parts = text.splitn(4, ':');
    let mut next = || parts.next().with_context(malformed);
    let (file, number, _column, change) = (next()?, next()?, next()?, next()?);
    let number: usize = number.parse().with_context(malformed)?;
    let lines = source(file)?;
    let line = number.checked_sub(1).and_then(|at| lines.get(at)).with_context(malformed)?;
    Ok(Mutant { name: format!("{file}:{change}"), line: line.trim().to_owned() })
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.name, self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_has_the_text_of_its_line_and_no_line_number() {
        let lines = |_: &str| Ok(vec!["fn b() {".to_owned(), "    a == c".to_owned()]);
        let mutant = parse("planner/src/a.rs:2:7: replace == with != in <impl A for B>::b", &lines).unwrap();
        let text = "planner/src/a.rs: replace == with != in <impl A for B>::b\na == c";
        assert_eq!(mutant.to_string(), text);
        for text in ["planner/src/a.rs", "planner/src/a.rs:x:1: replace", "planner/src/a.rs:3:1: replace"] {
            assert!(parse(text, &lines).is_err(), "{text}");
        }
    }
}
