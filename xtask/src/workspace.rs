//! The clone these commands work in, and cargo as they call it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::evidence::counts;

/// Variables that `cargo run` sets for xtask itself. Some build scripts look at them, and would
/// build anew whenever a person's own cargo and xtask's take turns.
const OWN: [&str; 5] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];

/// How much tests try where a person runs them by hand: what is shown of a commit is always the same.
const AMOUNTS: [&str; 7] = [
    "AUDIT_WORLDS",
    "RSS_FAULTS_COUNT",
    "RSS_FAULTS_FROM",
    "RSS_FUZZ_COUNT",
    "RSS_FUZZ_FROM",
    "RSS_SEQUENCES_COUNT",
    "RSS_SEQUENCES_FROM",
];

/// The folder with the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |target| root().join(target))
}

/// Cargo with these words, as if typed in the workspace where no variable says how much is tried.
pub(crate) fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(words).current_dir(root()).env(counts::VARIABLE, counts::file(counts::MAIN));
    for name in AMOUNTS {
        command.env_remove(name);
    }
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| OWN.iter().any(|own| name.starts_with(own))) {
            command.env_remove(name);
        }
    }
    if std::env::var_os("CI").is_some_and(|ci| ci == "true") {
        command.env("CARGO_TERM_COLOR", "never").env("CARGO_TERM_PROGRESS_WHEN", "never");
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_variable_of_a_person_says_how_much_is_tried() {
        let command = cargo(&["test"]);
        let removed: Vec<_> = command.get_envs().filter(|(_, value)| value.is_none()).collect();
        for name in AMOUNTS {
            assert!(removed.iter().any(|(removed, _)| *removed == name), "{name}");
        }
    }
}
