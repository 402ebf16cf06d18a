//! Removing a cluster, whole or half: whatever a killed run left is found and taken away.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};

use super::layout::{self, CGROUP};
use super::process::Component;
use super::{cgroup, isolation, network};

/// Is there anything of a cluster on this machine?
pub(crate) fn has_leftovers() -> bool {
    layout::state().exists()
}

/// Remove every trace but the cache. The order matters: what could make new traces goes first.
pub(crate) fn remove_all() -> Result<()> {
    for component in Component::recorded()? {
        component.kill()?;
    }
    // Shims, containers, and what they started. Mounts and pods' networks go with the last of them.
    cgroup::kill(CGROUP)?;
    network::remove()?;
    cgroup::remove(CGROUP)?;
    isolation::remove();
    remove_folder(&layout::state())
}

/// Remove a folder that may not be there.
pub(crate) fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("failed to remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}
