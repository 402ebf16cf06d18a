//! A view of the file system for each node alone.
//!
//! Container runtime, kubelet and network plugins have folders whose places are fixed, and every
//! other cluster on the machine would use the same ones. In a mount namespace of its own each node
//! finds empty ones there; all that it mounts is seen by it only, and goes when its last process does.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::layout;

/// Run time state of the container runtime. A machine that boots finds it empty, as does a node
/// that is started.
pub(crate) const RUNTIME_STATE: &str = "/run/containerd";

/// Sockets of shims, links to the logs of pods, addresses of pods, sockets of device plugins.
const PRIVATE: [&str; 4] = [RUNTIME_STATE, "/var/log/containers", "/var/lib/cni", "/var/lib/kubelet"];

/// Shared within the namespace, for pods that ask to see what is mounted later; from the host nothing comes.
const ENCLOSE: &str = r#"
mount --make-rshared /
while [ "$1" != -- ]; do mount -t tmpfs -o mode=0755 tmpfs "$1"; shift; done; shift
exec "$@""#;

/// Make the folders that are to be hidden, where the machine has none, and remember which.
pub(crate) fn prepare() -> Result<()> {
    let missing: Vec<_> = PRIVATE.into_iter().filter(|folder| !Path::new(folder).exists()).collect();
    fs::write(record(), missing.join("\n")).context("failed to record folders")?;
    for folder in missing {
        fs::create_dir_all(folder).with_context(|| format!("failed to make {folder}"))?;
    }
    Ok(())
}

/// Remove the folders that `prepare` made, unless someone else has put something there.
pub(crate) fn remove() {
    let made = fs::read_to_string(record()).unwrap_or_default();
    for folder in made.lines() {
        fs::remove_dir(folder).ok();
    }
}

/// The words that run a program in a new view.
pub(crate) fn enclosed(program_and_arguments: &[String]) -> Vec<String> {
    let prefix = ["unshare", "--mount", "--propagation", "private", "sh", "-euc", ENCLOSE, "sh"];
    let words = prefix.into_iter().chain(PRIVATE).chain(["--"]).map(str::to_owned);
    words.chain(program_and_arguments.iter().cloned()).collect()
}

/// The words that run a program in the view of the process `of`.
pub(crate) fn joined(of: i32, program_and_arguments: &[String]) -> Vec<String> {
    let words = ["nsenter".to_owned(), format!("--mount=/proc/{of}/ns/mnt"), "--".to_owned()].into_iter();
    words.chain(program_and_arguments.iter().cloned()).collect()
}

fn record() -> PathBuf {
    layout::state().join("folders-made")
}
