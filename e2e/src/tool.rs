//! `kubectl-rss`, as people run it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xtask::policies;

use crate::{Set, cluster};

/// Runs it, however that ends.
///
/// # Errors
/// If it cannot be started.
pub async fn run(mut command: Command) -> Result<Output> {
    let output = tokio::task::spawn_blocking(move || command.output()).await?;
    output.context("failed to start kubectl-rss: cargo xtask policies builds it")
}

/// What it printed, if it succeeded.
///
/// # Errors
/// If it did not; with what it said.
pub async fn said(command: Command) -> Result<String> {
    let output = run(command).await?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "kubectl-rss: {}: {told}", output.status);
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}

/// What it said, if it ended with 1.
///
/// # Errors
/// If it ended otherwise.
pub async fn refused(command: Command) -> Result<String> {
    let output = run(command).await?;
    ensure!(output.status.code() == Some(1), "kubectl-rss: {}", output.status);
    Ok(String::from_utf8(output.stderr)?)
}

/// `kubectl rss` with this word, about a set.
fn about(set: &Set<'_>, word: &str) -> Result<Command> {
    let mut command = Command::new(policies::tool_path());
    command.args([word, &set.name, "--namespace", set.namespace(), "-o", "json"]).args(cluster::flags()?);
    Ok(command)
}

/// `kubectl rss decisions`: the records of a set, oldest first.
///
/// # Errors
/// If it fails.
pub async fn decisions(set: &Set<'_>) -> Result<Vec<Value>> {
    let mut told: Value = serde_json::from_str(&said(about(set, "decisions")?).await?)?;
    serde_json::from_value(told["decisions"].take()).context("it has no decisions")
}

/// `kubectl rss explain`: its exit code, and what it tells.
///
/// # Errors
/// If it cannot explain.
pub async fn explained(set: &Set<'_>) -> Result<(Option<i32>, Value)> {
    let output = run(about(set, "explain")?).await?;
    let told = || String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((output.status.code(), serde_json::from_slice(&output.stdout).with_context(told)?))
}

/// `kubectl rss approve`, or `seed` of a replica, with these words: its exit code, and what it tells.
///
/// # Errors
/// If it neither gives a key nor shows one; with what it said.
pub async fn allow(set: &Set<'_>, word: &str, words: &[&str]) -> Result<(Option<i32>, Value)> {
    let mut command = about(set, word)?;
    command.args(words);
    let output = run(command).await?;
    let told = || String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((output.status.code(), serde_json::from_slice(&output.stdout).with_context(told)?))
}

/// Runs a line that was printed for people, as one who pastes it into a shell.
///
/// # Errors
/// If that fails.
pub async fn pasted(line: &str) -> Result<()> {
    let kubectl = cluster::kubectl()?;
    let mut shell = Command::new("sh");
    let script = r#"line=$1; shift; way=$*; kubectl() { $way "$@"; }; eval "$line""#;
    shell.args(["-ec", script, "sh", line]).arg(kubectl.get_program()).args(kubectl.get_args());
    let output = tokio::task::spawn_blocking(move || shell.output()).await??;
    ensure!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// `kubectl rss policy replay` of records, in a folder of this name with the component that decided: what came of each.
///
/// # Errors
/// If it fails, or a decision is another one now.
pub async fn replayed(name: &str, records: &Value, component: &[u8]) -> Result<Vec<Value>> {
    let folder = std::env::temp_dir().join(format!("replay-{name}"));
    fs::create_dir_all(&folder)?;
    let file = folder.join("records.json");
    let written =
        fs::write(folder.join("policy.wasm"), component).and_then(|()| fs::write(&file, records.to_string()));
    let replayed = match written {
        Ok(()) => replay(&file).await,
        Err(error) => Err(error.into()),
    };
    fs::remove_dir_all(&folder)?;
    replayed
}

async fn replay(records: &Path) -> Result<Vec<Value>> {
    let mut command = Command::new(policies::tool_path());
    command.args(["policy", "replay", "-o", "json"]).arg(records);
    let mut report: Value = serde_json::from_str(&said(command).await?)?;
    serde_json::from_value(report["records"].take()).context("the report has no records")
}
