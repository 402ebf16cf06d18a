//! The stages, in the order in which they are run: what fails soonest comes first.

use std::process::Command;

use anyhow::Result;
use clap::ValueEnum;

use super::{deny, e2e, tree};
use crate::own::Own;
use crate::{generate, policies, run, workspace};

/// A part of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The source is formatted.
    Format,
    /// What no compiler checks: arrows between crates, orphans, tests that documents name, traces of a machine, scripts.
    Tree,
    /// Clippy has nothing to say.
    Lint,
    /// Licences, banned crates and where crates come from.
    Deny,
    /// Generated files are what would be generated, and what an author of policies reads is without a gap.
    Generated,
    /// Policies have the same bytes wherever they are built, conform, and are small.
    Policies,
    /// Tests of every crate, and of the examples in their documentation.
    Unit,
    /// All small worlds, and stories of large ones and of the whole operator.
    Simulation,
    /// The operator in a real cluster of five nodes.
    E2e,
}

const SIMULATION: [&str; 5] = ["test", "--package", "simulator", "--package", "shell-simulator"];

// === impl Stage ===

impl Stage {
    /// Every stage.
    pub const ALL: [Self; 9] = [
        Self::Format,
        Self::Tree,
        Self::Lint,
        Self::Deny,
        Self::Generated,
        Self::Policies,
        Self::Unit,
        Self::Simulation,
        Self::E2e,
    ];

    /// As `--only` and `--skip` take it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Lint => "lint",
            Self::Tree => "tree",
            Self::Deny => "deny",
            Self::Generated => "generated",
            Self::Policies => "policies",
            Self::Unit => "unit",
            Self::Simulation => "simulation",
            Self::E2e => "e2e",
        }
    }

    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Format => "is the source formatted?",
            Self::Lint => "has clippy anything to say?",
            Self::Tree => {
                "arrows between crates, orphans, tests that documents name, traces of a machine, scripts"
            }
            Self::Deny => "licences, bans and sources of crates",
            Self::Generated => "are generated files up to date, and has the SDK a documentation?",
            Self::Policies => "do policies conform, and depend on the source alone?",
            Self::Unit => "tests of every crate",
            Self::Simulation => "all small worlds, and stories of large ones and of the whole operator",
            Self::E2e => "the operator in a real cluster",
        }
    }

    /// What to do after it failed.
    pub(super) fn cure(self) -> String {
        let mends = match self {
            Self::Format => "cargo fmt mends it; ",
            Self::Generated => "cargo xtask generate mends a stale file; ",
            _ => "",
        };
        format!("{mends}this stage alone: cargo xtask test --only {}", self.name())
    }

    /// For a stage that only computes: its command, and the stage that mostly waits and has room for it.
    pub(super) fn beside(self) -> Option<(Self, Command)> {
        (self == Self::Simulation).then(|| (Self::E2e, workspace::cargo(&SIMULATION)))
    }

    pub(crate) fn run(self, keep: bool, own: Option<&Own>) -> Result<()> {
        match self {
            Self::Format => cargo(&["fmt", "--all", "--check"]),
            Self::Lint => cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
            Self::Tree => tree::check(),
            Self::Deny => deny::check(),
            Self::Generated => {
                // By itself it is silent, and the first time it compiles for minutes.
                cargo(&["build", "--package", "operator", "--bin", "rss-operator"])?;
                generate::check()?;
                // It alone has to be enough to write a policy: a link that leads nowhere fails.
                let mut doc = workspace::cargo(&["doc", "--no-deps", "--package", "policy-sdk"]);
                run::shown(doc.env("RUSTDOCFLAGS", "-Dwarnings"))
            }
            Self::Policies => policies::check(),
            Self::Unit => {
                let without = ["simulator", "shell-simulator", "e2e"].map(|name| ["--exclude", name]);
                cargo(&[&["test", "--workspace"], without.as_flattened()].concat())
            }
            Self::Simulation => cargo(&SIMULATION),
            Self::E2e => own.map_or_else(|| e2e::run(keep), e2e::run_on),
        }
    }
}

fn cargo(words: &[&str]) -> Result<()> {
    run::shown(&mut workspace::cargo(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_is_called_on_the_command_line_what_it_calls_itself() {
        assert_eq!(Stage::ALL.as_slice(), Stage::value_variants());
        for stage in Stage::ALL {
            assert_eq!(Stage::from_str(stage.name(), false), Ok(stage));
        }
    }
}
