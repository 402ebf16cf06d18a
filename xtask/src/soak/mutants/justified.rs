//! Mutants that no test can or shall find, each with the reason.

use std::fs;

use anyhow::{Context, Result, bail};

use super::source;
use super::survived::Mutant;
use crate::workspace;

/// Where they are: blocks with an empty line between them, each with the mutant, the line that it changes, and why it is
/// right that no test finds it. Lines that begin with `#` are for its readers.
pub(super) const FILE: &str = "planner/mutants.txt";

/// All of them.
#[derive(Debug)]
pub(crate) struct Justified {
    mutants: Vec<Mutant>,
}

// === impl Justified ===

impl Justified {
    /// As the file has them.
    ///
    /// # Errors
    /// It cannot be read, or has a block without a reason.
    pub(crate) fn read() -> Result<Self> {
        let path = workspace::root().join(FILE);
        let text = fs::read_to_string(&path).with_context(|| format!("failed to read {FILE}"))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let blocks = lines.split(|line| line.trim().is_empty()).filter(|block| !block.is_empty());
        let mutant = |block: &[&str]| match block {
            [name, line, _why, ..] => Ok(Mutant { name: (*name).to_owned(), line: (*line).to_owned() }),
            _ => bail!("{FILE}: \"{}\": a mutant, its line and the reason are wanted", block.join(" | ")),
        };
        Ok(Self { mutants: blocks.map(mutant).collect::<Result<_>>()? })
    }

    #[cfg(test)]
    pub(super) fn of(mutants: Vec<Mutant>) -> Self {
        Self { mutants }
    }

    pub(super) fn has(&self, mutant: &Mutant) -> bool {
        self.mutants.contains(mutant)
    }

    /// That each is about a line that is there: the reason for another one may be wrong.
    ///
    /// # Errors
    /// One is not, or is there twice.
    pub(crate) fn check(&self) -> Result<()> {
        for (at, mutant) in self.mutants.iter().enumerate() {
            let (file, _) = mutant.name.split_once(": ").with_context(|| format!("{FILE}: {mutant}"))?;
            let is_there = source(file)?.iter().any(|line| line.trim() == mutant.line);
            if !is_there {
                bail!("{FILE}: {file} has no such line any more; take the block out:\n{mutant}");
            }
            if self.mutants[..at].contains(mutant) {
                bail!("{FILE}: twice:\n{mutant}");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str =
        "planner/src/lib.rs: replace == with != in b\nmod draft;\nIt is the same.\nFor two lines.\n";

    #[test]
    fn a_mutant_needs_its_line_and_a_reason() {
        let both = format!("# For readers.\n\n{ONE}\n{}", ONE.replace("in b", "in c"));
        let justified = Justified::parse(&both).unwrap();
        assert_eq!(justified.mutants.len(), 2);
        assert!(justified.has(&justified.mutants[1].clone()) && justified.check().is_ok());
        let other = Mutant { line: "a != b".to_owned(), ..justified.mutants[0].clone() };
        assert!(!justified.has(&other));
        assert!(Justified::parse("planner/src/lib.rs: replace == with != in b\nmod draft;\n").is_err());
    }

    #[test]
    fn what_is_about_a_line_that_is_gone_or_stands_there_twice_is_found() {
        let gone = Justified::parse(&ONE.replace("mod draft;", "mod draught;")).unwrap();
        assert!(gone.check().unwrap_err().to_string().contains("no such line"), "{gone:?}");
        let twice = Justified::parse(&format!("{ONE}\n{ONE}")).unwrap();
        assert!(twice.check().unwrap_err().to_string().contains("twice"), "{twice:?}");
    }

    #[test]
    fn every_reason_is_about_a_line_that_is_there() {
        Justified::read().and_then(|justified| justified.check()).unwrap();
    }
}
