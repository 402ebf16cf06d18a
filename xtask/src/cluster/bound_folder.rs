//! Folders of a node with little room, for volumes that are to be full.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::Cluster;
use crate::run;

// === impl Cluster ===

impl Cluster {
    /// A folder in which there is room for so many mebibytes. Only the node sees it so, and until it is removed or the
    /// node loses its power.
    ///
    /// # Errors
    /// If there is no such node, it does not run, or the folder cannot be made.
    pub fn bound_folder(&self, node: &str, name: &str, mebibytes: u32) -> Result<PathBuf> {
        let folder = self.node(node)?.volumes().join(name);
        fs::create_dir_all(&folder)?;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777))?;
        let options = format!("size={mebibytes}m,mode=0777");
        let path = folder.display().to_string();
        self.on_node(node, &["mount", "-t", "tmpfs", "-o", &options, "tmpfs", &path])?;
        Ok(folder)
    }

    /// Remove such a folder; a pod that still has it keeps what it sees.
    ///
    /// # Errors
    /// If it is not there.
    pub fn remove_bound_folder(&self, node: &str, folder: &Path) -> Result<()> {
        self.on_node(node, &["umount", "--lazy", &folder.display().to_string()])?;
        fs::remove_dir(folder).with_context(|| format!("failed to remove {}", folder.display()))
    }

    /// Runs a program in a node's view of the file system.
    fn on_node(&self, node: &str, words: &[&str]) -> Result<String> {
        let runtime = self.node(node)?.runtime_pid().context("the container runtime does not run")?;
        let mut command = Command::new("nsenter");
        command.arg(format!("--mount=/proc/{runtime}/ns/mnt")).arg("--").args(words);
        run::output(&mut command)
    }
}
