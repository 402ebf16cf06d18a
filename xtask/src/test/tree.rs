//! What no compiler checks.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::{examples, features, orphans, tables, traces};
use crate::{run, workspace};

/// A file of the tree: its path in it, and its text.
pub(super) struct Tracked {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// Fail with every finding at once.
pub(super) fn check() -> Result<()> {
    let files = tracked()?;
    let mut findings = hearts_need_only_serde()?;
    findings.extend(features::find()?);
    findings.extend(audit_knows_no_rule(&files));
    findings.extend(orphans::find(&files));
    findings.extend(tables::find(&files));
    findings.extend(tables::places::find(&files));
    findings.extend(traces::find(&files, &workspace::root()));
    findings.extend(examples::find(&files));
    if !findings.is_empty() {
        bail!("the tree has faults:\n  - {}", findings.join("\n  - "));
    }
    eprintln!("    {} files are as they should be", files.len());
    Ok(())
}

/// Every text file that git keeps and that is still there.
fn tracked() -> Result<Vec<Tracked>> {
    let root = workspace::root();
    // A clone that belongs to another user than root is as good, and nothing of it is run by git.
    let mut git = Command::new("git");
    git.args(["-c", "safe.directory=*", "ls-files", "-z"]).current_dir(&root);
    let names = run::output(&mut git)?;
    let read = |name: &str| {
        let text = std::fs::read_to_string(root.join(name)).ok()?;
        Some(Tracked { path: PathBuf::from(name), text })
    };
    Ok(names.split_terminator('\0').filter_map(read).collect())
}

/// The hearts: `planner` of a ReplicatedStatefulSet, the other of a StatefulCluster.
const HEARTS: [&str; 2] = ["planner", "stateful-cluster"];

/// A heart knows nothing but its own words: no clock, no client, no log.
fn hearts_need_only_serde() -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for heart in HEARTS {
        let words = ["tree", "--locked", "--package", heart, "--edges", "normal,build", "--depth", "1"];
        let tree = run::output(workspace::cargo(&words).args(["--prefix", "none", "--format", "{p}"]))?;
        let names = tree.lines().filter_map(|line| line.split(' ').next());
        let others = names.filter(|name| ![heart, "serde"].contains(name));
        findings.extend(others.map(|name| format!("{heart} needs {name}: it may need serde only")));
    }
    Ok(findings)
}

/// What checks the rules must not share their mistakes.
fn audit_knows_no_rule(files: &[Tracked]) -> Vec<String> {
    let of_audit = |path: &Path| {
        HEARTS.iter().any(|heart| path.starts_with(Path::new(heart).join("src/audit")))
            || path.ends_with("src/audit.rs")
    };
    let names_rules = |file: &&Tracked| {
        of_audit(&file.path) && ["crate::rules", "super::rules"].iter().any(|name| file.text.contains(name))
    };
    let told = |file: &Tracked| format!("{} imports a rule: the audit stands apart", file.path.display());
    files.iter().filter(names_rules).map(told).collect()
}
