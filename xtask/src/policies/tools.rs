//! What compiles policies: added where it is missing.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::cluster::packages;
use crate::{run, workspace};

/// What policies are compiled for.
const TARGET: &str = "wasm32-unknown-unknown";

/// Programs that compile policies in C, and the Debian packages that have them.
const PROGRAMS: [(&str, &str); 2] = [("clang", "clang"), ("wasm-ld", "lld")];

/// Adds to the toolchain what compiles policies in Rust.
///
/// # Errors
/// If rustup does not add it.
pub(crate) fn install_target() -> Result<()> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", TARGET]).current_dir(workspace::root());
    if run::output(&mut rustc).is_ok_and(|folder| Path::new(folder.trim()).is_dir()) {
        return Ok(());
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", TARGET]).current_dir(workspace::root());
    run::shown(&mut rustup).with_context(|| format!("the toolchain has no {TARGET}, and rustup adds none"))
}

/// Adds all that compiles a policy of this repository.
///
/// # Errors
/// If something is missing and cannot be added.
pub(crate) fn install() -> Result<()> {
    install_target()?;
    let missing: Vec<_> = PROGRAMS.iter().filter(|(program, _)| run::find(program).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = missing.iter().map(|(_, package)| *package).collect();
    eprintln!("installing {}, for policies in C", names.join(" "));
    packages::add(&names).with_context(|| format!("policies in C need: apt-get install {}", names.join(" ")))
}
