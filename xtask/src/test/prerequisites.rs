//! What the stages need of the machine: what they can install themselves is installed.

use anyhow::{Context, Result, bail};

use super::Stage;
use crate::own::Own;
use crate::{cluster, policies, run, workspace};

/// Fail with everything that is missing before anything is compiled.
pub(crate) fn check(stages: &[Stage], own: Option<&Own>) -> Result<()> {
    let mut missing = Vec::new();
    for (program, cure) in [("git", "apt-get install git"), ("cc", "apt-get install gcc libc6-dev")] {
        if run::find(program).is_none() {
            missing.push(format!("{program}: {cure}"));
        }
    }
    if !missing.is_empty() {
        bail!("the test needs:\n  - {}", missing.join("\n  - "));
    }
    for (stage, command, component) in [(Stage::Format, "fmt", "rustfmt"), (Stage::Lint, "clippy", "clippy")]
    {
        if stages.contains(&stage) {
            install(command, component)?;
        }
    }
    if stages.contains(&Stage::Unit) {
        policies::install_target()?;
    }
    if stages.contains(&Stage::Policies) || stages.contains(&Stage::E2e) {
        policies::install()?;
    }
    if stages.contains(&Stage::E2e) {
        let checked = own.map_or_else(cluster::check, Own::check);
        checked.context("stage e2e cannot run here; without it: cargo xtask test --skip e2e")?;
    }
    Ok(())
}

/// A part of the toolchain that its minimal form lacks.
fn install(command: &str, component: &str) -> Result<()> {
    if run::output(&mut workspace::cargo(&[command, "--version"])).is_ok() {
        return Ok(());
    }
    let mut rustup = std::process::Command::new("rustup");
    rustup.args(["component", "add", component]).current_dir(workspace::root());
    run::shown(&mut rustup).with_context(|| format!("the toolchain has no {component}, and rustup adds none"))
}
