//! What `policy new` writes, taken as it is: it passes its tests, and becomes a component.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ring::digest::{SHA256, digest};
use serde_json::Value;

const TOOL: &str = env!("CARGO_BIN_EXE_kubectl-rss");

/// What the tool answers.
fn answer(words: &[&str], folder: &Path) -> Value {
    let done = Command::new(TOOL).args(words).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).unwrap()
}

/// A new crate in a folder that is always the same, so that what it depends on is compiled once.
fn new_crate(parent: &Path) -> PathBuf {
    let folder = parent.join("my-db");
    let kept = parent.join("kept-target");
    let _ = fs::rename(folder.join("target"), &kept);
    let _ = fs::remove_dir_all(&folder);
    let created = answer(&["policy", "new", "my-db", "--output", "json"], parent);
    assert_eq!((created["name"].as_str(), created["folder"].as_str()), (Some("my-db"), Some("my-db")));
    let _ = fs::rename(&kept, folder.join("target"));
    // The versions that all else here is tested with.
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    folder
}

#[test]
fn a_new_crate_passes_and_becomes_a_component_as_it_is() {
    let folder = new_crate(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let mut cargo = Command::new("cargo");
    let tested =
        cargo.args(["test", "--quiet"]).current_dir(&folder).env_remove("CARGO_TARGET_DIR").output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&tested.stdout), String::from_utf8_lossy(&tested.stderr));
    assert!(tested.status.success() && out.contains("1 passed"), "{out}{err}");
    assert!(!err.contains("warning"), "{err}");

    let built = answer(&["policy", "build", "--output", "json"], &folder);
    let component = fs::read(built["path"].as_str().unwrap()).unwrap();
    let hex: String = digest(&SHA256, &component).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(built["digest"], format!("sha256:{hex}"));
    assert_eq!(built["size"], component.len());
    assert!(component.len() < 150 << 10, "{} bytes", component.len());
    let exports = ["clusterlabs:policy/metadata@0.1.0", "clusterlabs:policy/sequence@0.1.0"];
    assert_eq!(built["exports"], Value::from(exports.to_vec()));
    let here = env!("CARGO_TARGET_TMPDIR").as_bytes();
    assert!(!component.windows(here.len()).any(|bytes| bytes == here), "it names a folder of this machine");
}

#[test]
fn what_cannot_be_built_ends_with_1_and_a_wrong_command_line_with_2() {
    let code = |words: &[&str]| Command::new(TOOL).args(words).output().unwrap().status.code();
    assert_eq!(code(&["policy", "build", "no/such/folder"]), Some(1));
    assert_eq!(code(&["policy", "new", "../x"]), Some(2));
    assert_eq!(code(&["policy", "new", "test"]), Some(2));
    assert_eq!(code(&["completion", "bash"]), Some(0));
}
