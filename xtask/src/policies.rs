//! The components of the policies in `policies/`, and the proof that their bytes depend on the source alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{run, workspace};

/// What policies are compiled for.
const TARGET: &str = "wasm32-unknown-unknown";

/// Adds to the toolchain what compiles policies, where it is missing.
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

/// Build them all into `target/policies`, say what came out, and try each as the operator does before it decides.
///
/// # Errors
/// If one does not compile, makes no component, or does not conform.
pub fn write() -> Result<()> {
    install_target()?;
    let tool = tool()?;
    for name in names(&workspace::root())? {
        run::shown(&mut build(&tool, &workspace::root(), &name))?;
        run::shown(Command::new(&tool).args(["policy", "conform"]).arg(component(&name)))?;
    }
    Ok(())
}

/// Build one of them, and the author's tool.
pub(crate) fn write_one(name: &str) -> Result<()> {
    install_target()?;
    run::output(&mut build(&tool()?, &workspace::root(), name)).map(drop)
}

/// Where `write` puts the component of a policy.
#[must_use]
pub fn component(name: &str) -> PathBuf {
    workspace::target().join("policies").join(format!("{name}.wasm"))
}

/// Build them as `write` does, then again from a copy of the source in another folder, and compare.
///
/// # Errors
/// If one differs from its twin by a byte.
pub fn check() -> Result<()> {
    write()?;
    let copy = std::env::temp_dir().join(format!("rss-policies-{}", std::process::id()));
    let differing = differing(&copy);
    fs::remove_dir_all(&copy).with_context(|| format!("failed to remove {}", copy.display()))?;
    let differing = differing?;
    if !differing.is_empty() {
        bail!("built in another folder these have other bytes: {}", differing.join(", "));
    }
    eprintln!("built in another folder, they have the same bytes");
    Ok(())
}

fn differing(copy: &Path) -> Result<Vec<String>> {
    copy_source(copy)?;
    let tool = tool()?;
    let mut differing = Vec::new();
    for name in names(copy)? {
        run::shown(build(&tool, copy, &name).env_remove("CARGO_TARGET_DIR"))?;
        let component = |target: PathBuf| {
            let file = target.join("policies").join(format!("{name}.wasm"));
            fs::read(&file).with_context(|| format!("failed to read {}", file.display()))
        };
        if component(copy.join("target"))? != component(workspace::target())? {
            differing.push(name);
        }
    }
    Ok(differing)
}

/// The folders of `policies` that make a component.
fn names(root: &Path) -> Result<Vec<String>> {
    let folder = root.join("policies");
    let entries =
        fs::read_dir(&folder).with_context(|| format!("failed to look into {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).unwrap_or_default();
        if manifest.contains("\"cdylib\"") {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Where the author's own tool is, `kubectl-rss`, once one of them was built.
#[must_use]
pub fn tool_path() -> PathBuf {
    workspace::target().join("debug/kubectl-rss")
}

/// The author's own tool: these policies have no other way to their components than anybody's.
fn tool() -> Result<PathBuf> {
    run::shown(&mut workspace::cargo(&["build", "--quiet", "--package", "kubectl-rss"]))?;
    Ok(tool_path())
}

fn build(tool: &Path, root: &Path, name: &str) -> Command {
    let mut command = Command::new(tool);
    command.args(["policy", "build"]).arg(root.join("policies").join(name)).current_dir(root);
    command
}

/// The files that git keeps or would keep, as they are.
fn copy_source(copy: &Path) -> Result<()> {
    let root = workspace::root();
    let mut git = Command::new("git");
    git.args(["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let names = run::output(git.current_dir(&root))?;
    for name in names.split_terminator('\0').filter(|name| root.join(name).is_file()) {
        let to = copy.join(name);
        fs::create_dir_all(to.parent().context("a file lies in a folder")?)?;
        fs::copy(root.join(name), &to).with_context(|| format!("failed to copy {name}"))?;
    }
    Ok(())
}
