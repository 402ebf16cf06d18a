//! The clone these commands work in, and cargo as they call it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::evidence::counts;

/// Variables that `cargo run` sets for xtask itself. Some build scripts look at them, and would
/// build anew whenever a person's own cargo and xtask's take turns.
const OWN: [&str; 5] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];

/// The folder with the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |target| root().join(target))
}

/// Cargo with these words, as if typed in the workspace.
pub(crate) fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(words).current_dir(root()).env(counts::VARIABLE, counts::file(counts::MAIN));
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
