//! The stages, in the order in which they run: the ones that fail soonest come first.

use anyhow::Result;
use clap::ValueEnum;

use super::programs::Program;
use super::test_run::TestRun;
use super::{deny, e2e, tree};
use crate::{generate, policies, run, workspace};

/// A part of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The source is formatted.
    Format,
    /// Checks that no compiler makes: arrows between crates, orphans, names of tests in documents, paths of a machine, scripts.
    Tree,
    /// Clippy has no warning.
    Lint,
    /// Licences, banned crates and sources of crates.
    Deny,
    /// All tests, and the programs that they run, compile.
    Build,
    /// Generated files are up to date, and the documentation of the policy SDK has no broken link.
    Generated,
    /// Policies conform and are small; with --full they have the same bytes in another folder.
    Policies,
    /// Tests of every crate, and of the examples in their documentation.
    Unit,
    /// Small worlds, and stories of large ones and of the whole operator.
    Simulation,
    /// The operator in a real cluster of five nodes.
    E2e,
}

/// Packages and targets of tests that mostly wait for timers: more of them run at a time than there are processors.
const WAITING: [(&str, &str); 2] = [("operator", "api_server"), ("cli", "policy")];

/// The crates of the stage `simulation`.
const SIMULATORS: [&str; 2] = ["simulator", "shell-simulator"];

// === impl Stage ===

impl Stage {
    /// Every stage.
    pub const ALL: [Self; 10] = [
        Self::Format,
        Self::Tree,
        Self::Lint,
        Self::Deny,
        Self::Build,
        Self::Generated,
        Self::Policies,
        Self::Unit,
        Self::Simulation,
        Self::E2e,
    ];

    /// Its name for `--only` and `--skip`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Tree => "tree",
            Self::Lint => "lint",
            Self::Deny => "deny",
            Self::Build => "build",
            Self::Generated => "generated",
            Self::Policies => "policies",
            Self::Unit => "unit",
            Self::Simulation => "simulation",
            Self::E2e => "e2e",
        }
    }

    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Format => "the source is formatted",
            Self::Tree => {
                "arrows between crates, orphans, names of tests in documents, paths of a machine, scripts"
            }
            Self::Lint => "clippy has no warning",
            Self::Deny => "licences, bans and sources of crates",
            Self::Build => "all tests, and the programs that they run, compile",
            Self::Generated => "generated files are up to date, and the documentation of the SDK is complete",
            Self::Policies => "policies conform, are small, and answer their fixtures",
            Self::Unit => "tests of every crate",
            Self::Simulation => "small worlds, and stories of large ones and of the whole operator",
            Self::E2e => "the operator in a real cluster",
        }
    }

    /// The command that runs it alone, and the one that corrects what it finds.
    pub(super) fn cure(self, is_full: bool) -> String {
        let correction = match self {
            Self::Format => "cargo fmt corrects it; ",
            Self::Generated => "cargo xtask generate corrects a stale file; ",
            _ => "",
        };
        let full = if is_full { "--full " } else { "" };
        format!("{correction}this stage alone: cargo xtask test {full}--only {}", self.name())
    }

    /// The stage beside which this one runs: it computes while the other one mostly waits.
    pub(super) fn runs_beside(self) -> Option<Self> {
        (self == Self::Simulation).then_some(Self::E2e)
    }

    pub(super) fn run(self, test: &TestRun) -> Result<()> {
        match self {
            Self::Format => cargo(&["fmt", "--all", "--check"]),
            Self::Tree => tree::check(),
            Self::Lint => cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
            Self::Deny => deny::check(),
            Self::Build => test.programs().map(drop),
            Self::Generated => {
                generate::check()?;
                // An author of policies has this documentation alone: a broken link fails.
                let mut doc = workspace::cargo(&["doc", "--no-deps", "--package", "policy-sdk"]);
                run::shown(doc.env("RUSTDOCFLAGS", "-Dwarnings"))
            }
            // A build in another folder compiles everything that policies need a second time.
            Self::Policies if test.is_full() => policies::check(),
            Self::Policies => policies::write(),
            Self::Unit => unit(test),
            Self::Simulation => simulation(test),
            Self::E2e => test.own().map_or_else(|| e2e::run(test), |own| e2e::run_on(test, own)),
        }
    }
}

fn waits(program: &Program) -> bool {
    WAITING.iter().any(|(package, target)| program.is(package, target))
}

fn unit(test: &TestRun) -> Result<()> {
    let is_of_other_stage = |program: &&Program| {
        SIMULATORS.iter().any(|package| program.is_of(package)) || program.is(e2e::PACKAGE, e2e::TARGET)
    };
    let mut programs = test.programs()?.iter().filter(|program| !is_of_other_stage(program));
    programs.try_for_each(|program| {
        let arguments: &[&str] = if waits(program) { &["--test-threads=6"] } else { &[] };
        test.test(program, &mut program.command(arguments))
    })?;
    cargo(&["test", "--workspace", "--doc"])
}

fn simulation(test: &TestRun) -> Result<()> {
    let is_wanted = |program: &&Program| SIMULATORS.iter().any(|package| program.is_of(package));
    let mut programs = test.programs()?.iter().filter(is_wanted);
    programs.try_for_each(|program| test.test(program, &mut program.command(&[])))
}

fn cargo(words: &[&str]) -> Result<()> {
    run::shown(&mut workspace::cargo(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_has_the_same_name_on_the_command_line_and_in_the_table() {
        assert_eq!(Stage::ALL.as_slice(), Stage::value_variants());
        for stage in Stage::ALL {
            assert_eq!(Stage::from_str(stage.name(), false), Ok(stage));
        }
    }
}
