//! The components of the policies of this repository, and the proof that their bytes depend on the source alone.

mod source;
mod tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::binary::{self, Profile};
use crate::progress::{Progress, Step};
use crate::{run, workspace};
use source::Source;
pub(crate) use tools::{install, install_target};

/// The most bytes that a policy of this repository may have. The host takes more; what grows beyond this has got
/// something that it does not need.
pub(crate) const SIZE: u32 = 150 << 10;

/// Build them all into `target/policies`, say what came out, try each as the operator does before it decides, and ask it
/// its fixtures.
///
/// # Errors
/// If one does not compile, makes no component, does not conform, has no fixtures or answers one wrongly, or is too large.
pub fn write() -> Result<()> {
    install()?;
    let (tool, root) = (tool()?, workspace::root());
    for policy in Source::all(&root)? {
        let component = component(&policy.name);
        run::shown(policy.build(&tool, &root, &component).env("CARGO_TARGET_DIR", folder()))?;
        run::shown(Command::new(&tool).args(["policy", "conform"]).arg(&component))?;
        run::shown(policy.test(&tool, &root, &component).env("CARGO_TARGET_DIR", folder()))?;
        let size = fs::metadata(&component)
            .with_context(|| format!("failed to look at {}", component.display()))?
            .len();
        if size > u64::from(SIZE) {
            bail!("{} has {size} bytes; of a policy of this repository {SIZE} are enough", policy.name);
        }
    }
    Ok(())
}

/// A policy whose component was built.
pub(crate) struct Built {
    pub(crate) name: String,
    /// The folder of questions with the answers that are right.
    pub(crate) fixtures: PathBuf,
}

/// Build them all, as `write` does, without a word on standard output.
///
/// # Errors
/// If one does not compile, or makes no component.
pub(crate) fn write_silently(step: &mut Step) -> Result<Vec<Built>> {
    install()?;
    let (tool, root) = (binary::TOOL.build(Profile::Dev, step)?, workspace::root());
    let built = Source::all(&root)?.into_iter().map(|policy| {
        run::output(policy.build(&tool, &root, &component(&policy.name)).env("CARGO_TARGET_DIR", folder()))?;
        let fixtures = policy.fixtures(&root);
        Ok(Built { name: policy.name, fixtures })
    });
    built.collect()
}

/// Build one of those in Rust, and the author's tool.
///
/// # Errors
/// If there is none of that name, or it does not compile.
pub(crate) fn write_one(name: &str, step: &mut Step) -> Result<()> {
    install_target()?;
    let (tool, root) = (binary::TOOL.build(Profile::Dev, step)?, workspace::root());
    let policy = Source::all(&root)?.into_iter().find(|policy| policy.name == name);
    let policy = policy.with_context(|| format!("there is no policy {name}"))?;
    step.note(|| format!("compiling policy {name}"));
    run::output(policy.build(&tool, &root, &component(name)).env("CARGO_TARGET_DIR", folder())).map(drop)
}

/// Where `write` puts the component of a policy.
#[must_use]
pub fn component(name: &str) -> PathBuf {
    folder().join("policies").join(format!("{name}.wasm"))
}

/// The target folder of cargo for policies. In that of the workspace a policy that the operator links would be compiled in
/// two ways by turns, because cargo names a library of type `cdylib` by its name alone. The operator would follow each time.
fn folder() -> PathBuf {
    workspace::target().join("policies")
}

/// Build them as `write` does, then again from a copy of the source in another folder, and compare.
///
/// # Errors
/// If one differs from its twin by a byte.
pub fn check() -> Result<()> {
    write()?;
    let copy = std::env::temp_dir().join(format!("rss-policies-{}", std::process::id()));
    let differing = differing(&copy);
    let removed = fs::remove_dir_all(&copy).with_context(|| format!("failed to remove {}", copy.display()));
    // A copy that could not be made cannot be removed either, and that is not why.
    let differing = differing?;
    removed?;
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
    for policy in Source::all(copy)? {
        let twin = copy.join("target/policies").join(format!("{}.wasm", policy.name));
        run::shown(policy.build(&tool, copy, &twin).env_remove("CARGO_TARGET_DIR"))?;
        let read = |file: &Path| fs::read(file).with_context(|| format!("failed to read {}", file.display()));
        if read(&twin)? != read(&component(&policy.name))? {
            differing.push(policy.name);
        }
    }
    Ok(differing)
}

/// Where the author's own tool is, `kubectl-rss`, once one of them was built.
#[must_use]
pub fn tool_path() -> PathBuf {
    binary::TOOL.path(Profile::Dev)
}

/// The author's own tool: these policies have no other way to their components than anybody's.
fn tool() -> Result<PathBuf> {
    Progress::new(1).step("compile kubectl-rss", |step| binary::TOOL.build(Profile::Dev, step))
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
