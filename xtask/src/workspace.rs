//! The folder of the workspace, and calls of cargo in it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// `cargo run` sets variables with these prefixes for xtask. Some build scripts read them. They would run again each time
/// that cargo is called by a person and by xtask in turn.
const OWN: [&str; 5] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];

/// A person sets these variables to choose how much a test tries. A stage and a round of the soak always try the same.
const AMOUNTS: [&str; 7] = [
    "AUDIT_WORLDS",
    "RSS_FAULTS_COUNT",
    "RSS_FAULTS_FROM",
    "RSS_FUZZ_COUNT",
    "RSS_FUZZ_FROM",
    "RSS_SEQUENCES_COUNT",
    "RSS_SEQUENCES_FROM",
];

/// The folder with the `Cargo.toml` of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// The folder for build output, `target` by default.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |target| root().join(target))
}

/// A call of cargo in the folder of the workspace, without the variables above.
pub(crate) fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(words).current_dir(root());
    without_amounts(&mut command);
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

/// Takes the variables away that choose how much a test tries.
pub(crate) fn without_amounts(command: &mut Command) {
    for name in AMOUNTS {
        command.env_remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_gets_no_variable_that_changes_how_much_a_test_tries() {
        let command = cargo(&["test"]);
        let removed: Vec<_> = command.get_envs().filter(|(_, value)| value.is_none()).collect();
        for name in AMOUNTS {
            assert!(removed.iter().any(|(removed, _)| *removed == name), "{name}");
        }
    }
}
