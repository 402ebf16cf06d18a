//! The commands that work on a crate, as an author runs them.

mod fixtures;
mod guide;
mod new;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

const TOOL: &str = env!("CARGO_BIN_EXE_kubectl-rss");

/// What is common to the crates of these tests: what they depend on is compiled once, so they are built one by one.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// An empty folder for a test, and the right to build in it.
fn workshop(name: &str) -> (PathBuf, MutexGuard<'static, ()>) {
    let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    (folder, turn)
}

/// The compiled dependencies of all crates of these tests.
fn kept_target() -> PathBuf {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kept-target");
    fs::create_dir_all(&kept).unwrap();
    kept
}

/// The versions that all else here is tested with.
fn lock_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock")
}

fn run(words: &[&str], folder: &Path) -> Output {
    let mut tool = Command::new(TOOL);
    tool.args(words).current_dir(folder).env_remove("CARGO_TARGET_DIR").output().unwrap()
}

/// What the tool answers.
fn answer(words: &[&str], folder: &Path) -> Value {
    let done = run(words, folder);
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).unwrap()
}

/// A new crate.
fn new_crate(parent: &Path) -> PathBuf {
    let created = answer(&["policy", "new", "my-db", "--output", "json"], parent);
    assert_eq!((created["name"].as_str(), created["folder"].as_str()), (Some("my-db"), Some("my-db")));
    let folder = parent.join("my-db");
    symlink(kept_target(), folder.join("target")).unwrap();
    fs::copy(lock_file(), folder.join("Cargo.lock")).unwrap();
    folder
}
