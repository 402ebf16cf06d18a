//! Removing a cluster, whole or half: whatever a killed run left is found and taken away.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rustix::mount::{UnmountFlags, unmount};

use super::layout::{self, CGROUP, Node};
use super::process::Component;
use super::{cgroup, network};

/// Is there anything of a cluster on this machine?
pub(crate) fn has_leftovers() -> bool {
    layout::state().exists()
}

/// Remove every trace but the cache. The order matters: what could make new traces goes first.
pub(crate) fn remove_all() -> Result<()> {
    for component in Component::recorded()? {
        component.kill()?;
    }
    cgroup::kill(CGROUP)?;
    for node in nodes_on_disk() {
        remove_shim_sockets(node)?;
    }
    unmount_below(&layout::state())?;
    network::remove()?;
    cgroup::remove(CGROUP)?;
    remove_links_to_logs()?;
    remove_network_results()?;
    remove_folder(&layout::state())
}

/// Unmount all that is mounted below a folder, the youngest first.
pub(crate) fn unmount_below(folder: &Path) -> Result<()> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").context("failed to read the mounts")?;
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(4)).map(unescaped);
    let mut ours: Vec<_> = points.filter(|point| point.starts_with(folder)).collect();
    ours.reverse();
    for point in ours {
        // Detached: a process outside our reach that looks into it must not stop us.
        match unmount(&point, UnmountFlags::DETACH) {
            Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOENT) => {}
            Err(error) => {
                return Err(error).with_context(|| format!("failed to unmount {}", point.display()));
            }
        }
    }
    Ok(())
}

/// The kernel writes a space in a mount point as \040.
fn unescaped(point: &str) -> PathBuf {
    PathBuf::from(point.replace("\\040", " "))
}

/// The shims' sockets lie in a folder shared by all container runtimes; each task's folder names its own.
pub(crate) fn remove_shim_sockets(node: Node) -> Result<()> {
    let tasks = node.folder().join("containerd/state/io.containerd.runtime.v2.task/k8s.io");
    for task in fs::read_dir(tasks).into_iter().flatten().flatten() {
        let address = fs::read_to_string(task.path().join("address")).unwrap_or_default();
        if let Some(socket) = address.trim().strip_prefix("unix://") {
            remove_file(Path::new(socket))?;
        }
    }
    // Only empty folders go, so another runtime's stay.
    fs::remove_dir("/run/containerd/s").and_then(|()| fs::remove_dir("/run/containerd")).ok();
    Ok(())
}

/// Kubelets keep a folder of links to their pods' logs; its place is fixed.
fn remove_links_to_logs() -> Result<()> {
    let folder = Path::new("/var/log/containers");
    for link in fs::read_dir(folder).into_iter().flatten().flatten() {
        if fs::read_link(link.path()).is_ok_and(|target| target.starts_with(layout::state())) {
            remove_file(&link.path())?;
        }
    }
    fs::remove_dir(folder).ok();
    Ok(())
}

/// What the network plugins remember of each pod; its place is fixed, the names start with our networks'.
fn remove_network_results() -> Result<()> {
    let folder = Path::new("/var/lib/cni/results");
    for result in fs::read_dir(folder).into_iter().flatten().flatten() {
        if result.file_name().to_string_lossy().starts_with("rss-node") {
            remove_file(&result.path())?;
        }
    }
    fs::remove_dir(folder).and_then(|()| fs::remove_dir("/var/lib/cni")).ok();
    Ok(())
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

fn remove_file(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("failed to remove {}", file.display()))
        }
        _ => Ok(()),
    }
}

fn nodes_on_disk() -> impl Iterator<Item = Node> {
    Node::all(layout::MOST_NODES).filter(|node| node.folder().is_dir())
}
