//! The mutants that no test has to find, each with the reason.

use std::fs;

use anyhow::{Context, Result, bail};

use super::source;
use super::survived::Mutant;
use crate::workspace;

/// The file with these mutants, in blocks with an empty line between them. A block has the mutant, the line that it
/// changes, and the reason. A line that begins with `#` is a comment.
pub(super) const FILE: &str = "planner/mutants.txt";

/// The mutants of the file.
#[derive(Debug)]
pub(super) struct Justified {
    mutants: Vec<Mutant>,
}

// === impl Justified ===

impl Justified {
    /// Reads the file.
    ///
    /// # Errors
    /// The file cannot be read, or has a block without a reason.
    pub(super) fn read() -> Result<Self> {
        let path = workspace::root().join(FILE);
        let text = fs::read_to_string(&path).with_context(|| format!("failed to read {FILE}"))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let blocks = lines.split(|line| line.trim().is_empty()).filter(|block| !block.is_empty());
        let mutant = |block: &[&str]| match block {
            [name, line, _why, ..] => Ok(Mutant { name: (*name).to_owned(), line: (*line).to_owned() }),
            _ => bail!("{FILE}: \"{}\": a block needs a mutant, its line and a reason", block.join(" | ")),
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

    /// Checks that the line of each mutant still exists. A reason may be wrong for another line.
    ///
    /// # Errors
    /// A line does not exist, or a mutant is there twice.
    pub(super) fn check(&self) -> Result<()> {
        for (at, mutant) in self.mutants.iter().enumerate() {
            let (file, _) = mutant.name.split_once(": ").with_context(|| format!("{FILE}: {mutant}"))?;
            let is_there = source(file)?.iter().any(|line| line.trim() == mutant.line);
            if !is_there {
                bail!("{FILE}: {file} no longer has the line of this mutant: delete its block\n{mutant}");
            }
            if self.mutants[..at].contains(mutant) {
                bail!("{FILE} has this mutant twice: delete one of the blocks\n{mutant}");
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
    fn a_block_needs_a_mutant_its_line_and_a_reason() {
        let both = format!("# For readers.\n\n{ONE}\n{}", ONE.replace("in b", "in c"));
        let justified = Justified::parse(&both).unwrap();
        assert_eq!(justified.mutants.len(), 2);
        assert!(justified.has(&justified.mutants[1].clone()) && justified.check().is_ok());
        let other = Mutant { line: "a != b".to_owned(), ..justified.mutants[0].clone() };
        assert!(!justified.has(&other));
        assert!(Justified::parse("planner/src/lib.rs: replace == with != in b\nmod draft;\n").is_err());
    }

    #[test]
    fn a_mutant_of_a_missing_line_and_a_mutant_with_two_blocks_are_errors() {
        let gone = Justified::parse(&ONE.replace("mod draft;", "mod draught;")).unwrap();
        assert!(gone.check().unwrap_err().to_string().contains("no longer has the line"), "{gone:?}");
        let twice = Justified::parse(&format!("{ONE}\n{ONE}")).unwrap();
        assert!(twice.check().unwrap_err().to_string().contains("twice"), "{twice:?}");
    }

    #[test]
    fn every_mutant_of_the_file_has_a_line_in_the_source() {
        Justified::read().and_then(|justified| justified.check()).unwrap();
    }
}
