//! Cargo, called so that it leaves no trace of this machine in what it builds.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

const TARGET: &str = "wasm32-unknown-unknown";
/// What is said where that is missing.
const CURE: &str = "; the target is missing: rustup target add wasm32-unknown-unknown, in the crate's folder";
/// A profile of our own, so that nothing in the author's manifest is needed, or changes what comes out.
const PROFILE: &str = "rss-policy";

/// How a policy is compiled. Overflow traps: no answer is better than a position that wrapped. Small before quick: what
/// a host waits for is to compile it, and that takes time in proportion to its size.
const SETTINGS: [&str; 9] = [
    "inherits=\"release\"",
    "opt-level=\"z\"",
    "lto=\"fat\"",
    "codegen-units=1",
    "panic=\"abort\"",
    "strip=true",
    "debug=false",
    "overflow-checks=true",
    "incremental=false",
];

/// The crate of a policy.
pub(crate) struct Policy {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Where cargo puts what it builds.
    pub(crate) target: PathBuf,
    manifest: PathBuf,
    root: PathBuf,
    library: String,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    target_directory: PathBuf,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// Finds the crate in a folder.
///
/// # Errors
/// If there is none, or it has no library.
pub(crate) fn find(folder: &Path) -> Result<Policy> {
    let manifest = folder.join("Cargo.toml");
    let manifest = manifest.canonicalize().with_context(|| {
        format!("no crate: {}; `kubectl rss policy new NAME` makes one", manifest.display())
    })?;
    let mut command = cargo("metadata", &manifest);
    command.args(["--no-deps", "--format-version=1", "--manifest-path"]).arg(&manifest);
    let done =
        command.stderr(Stdio::inherit()).output().context("failed to start cargo: is it installed?")?;
    if !done.status.success() {
        bail!("cargo metadata: {}", done.status);
    }
    let all: Metadata = serde_json::from_slice(&done.stdout).context("failed to read cargo's metadata")?;
    let package = all.packages.into_iter().find(|package| package.manifest_path == manifest);
    let package =
        package.with_context(|| format!("{} is of a workspace, not of a crate", manifest.display()))?;
    let is_library = |target: &&Target| target.kind.iter().any(|kind| kind.contains("lib"));
    let library = package.targets.iter().find(is_library);
    let library = library.with_context(|| format!("{} has no library", package.name))?.name.replace('-', "_");
    Ok(Policy {
        name: package.name,
        version: package.version,
        target: all.target_directory,
        manifest,
        root: all.workspace_root,
        library,
    })
}

/// Compiles it, and says where the module is.
///
/// # Errors
/// If that fails; cargo has then said why.
pub(crate) fn compile(policy: &Policy) -> Result<PathBuf> {
    let mut command = cargo("rustc", &policy.manifest);
    command.args(["--lib", "--crate-type=cdylib", "--target", TARGET, "--profile", PROFILE]);
    command.arg("--manifest-path").arg(&policy.manifest);
    for setting in SETTINGS {
        command.arg("--config").arg(format!("profile.{PROFILE}.{setting}"));
    }
    // Takes the place of every other way to give flags to the compiler.
    command.env("CARGO_ENCODED_RUSTFLAGS", remapped(&policy.root)?.join("\u{1f}"));
    let status = command.status().context("failed to start cargo: is it installed?")?;
    if !status.success() {
        let cure = if is_target_missing(&policy.manifest) { CURE } else { "; it says above why" };
        bail!("cargo rustc: {status}{cure}");
    }
    Ok(policy.target.join(TARGET).join(PROFILE).join(format!("{}.wasm", policy.library)))
}

/// Whether the compiler has no library for the target, as it has none in a distribution's own package. Where the compiler
/// does not say, that is not known to be the cause.
fn is_target_missing(manifest: &Path) -> bool {
    let mut compiler = started("rustc", manifest);
    let said = compiler.args(["--print", "target-libdir", "--target", TARGET]).stderr(Stdio::null()).output();
    let said = said.ok().filter(|said| said.status.success());
    let folder = said.and_then(|said| String::from_utf8(said.stdout).ok());
    folder.is_some_and(|folder| !Path::new(folder.trim()).is_dir())
}

/// Runs its tests. What cargo prints goes to standard error, whichever way it goes there.
///
/// # Errors
/// If cargo does not start.
pub(crate) fn test(policy: &Policy) -> Result<bool> {
    let mut command = cargo("test", &policy.manifest);
    command.arg("--manifest-path").arg(&policy.manifest).stdout(std::io::stderr());
    Ok(command.status().context("failed to start cargo: is it installed?")?.success())
}

/// Flags that take the folders of this machine out of messages in the code.
fn remapped(root: &Path) -> Result<Vec<String>> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).context("there is no home folder")?;
    // The last that matches is taken: a workspace may lie below cargo's home.
    Ok([(&*cargo, "/cargo"), (root, "/policy")]
        .map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()))
        .to_vec())
}

/// Cargo with a command.
fn cargo(word: &str, manifest: &Path) -> Command {
    let mut command = started("cargo", manifest);
    command.arg(word);
    command
}

/// A program in the crate's folder, whose `rust-toolchain.toml` counts: without what another cargo, which may have started
/// this program, told of its compiler and of a package of its own.
fn started(program: &str, manifest: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(manifest.parent().unwrap_or(manifest)).env_remove("RUSTUP_TOOLCHAIN");
    let own = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|name| own.iter().any(|prefix| name.starts_with(prefix))) {
            command.env_remove(name);
        }
    }
    command
}
