//! Control groups: where our processes live, and by which they are found again.
//!
//! A kernel has one hierarchy (version 2) or one per controller (version 1). Containers make
//! groups in all of them; a process of ours that is no container is put in one only.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::layout::{CGROUP, Node};
use super::process;

const ROOT: &str = "/sys/fs/cgroup";
/// How this machine arranges control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    Two,
}

// === impl Version ===

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::One => "1",
            Self::Two => "2",
        })
    }
}

/// Which version containers use on this machine.
pub(crate) fn version() -> Result<Version> {
    if Path::new(ROOT).join("cgroup.controllers").is_file() {
        return Ok(Version::Two);
    }
    let needed = ["cpu", "cpuset", "memory", "pids", "freezer", "devices"];
    let missing: Vec<_> = needed.iter().filter(|c| !Path::new(ROOT).join(c).is_dir()).copied().collect();
    if !missing.is_empty() {
        bail!("{ROOT} has no hierarchy for {}: mount it, or boot with version 2", missing.join(", "));
    }
    Ok(Version::One)
}

/// Make the groups of the control plane and of `nodes`.
pub(crate) fn create(nodes: u8) -> Result<()> {
    let mut groups = vec![CGROUP.to_owned(), control_plane()];
    for node in Node::all(nodes) {
        groups.extend([format!("{CGROUP}/{}", node.name()), node.runtime_cgroup(), node.pods_cgroup()]);
    }
    for hierarchy in hierarchies(version()?)? {
        for group in &groups {
            create_one(&hierarchy, group).with_context(|| {
                format!("failed to make control group {group} in {}", hierarchy.display())
            })?;
        }
    }
    Ok(())
}

/// The group of the processes that belong to no node.
pub(crate) fn control_plane() -> String {
    format!("{CGROUP}/control-plane")
}

fn create_one(hierarchy: &Path, group: &str) -> Result<()> {
    let folder = hierarchy.join(group);
    let parent = folder.parent().context("a group has a parent")?;
    if version()? == Version::Two {
        // A parent hands its controllers down only when told; a kubelet wants all that the root has.
        let controllers = fs::read_to_string(parent.join("cgroup.controllers"))?;
        let all: Vec<_> = controllers.split_whitespace().map(|name| format!("+{name}")).collect();
        fs::write(parent.join("cgroup.subtree_control"), all.join(" "))?;
    }
    fs::create_dir_all(&folder)?;
    for file in ["cpuset.cpus", "cpuset.mems"] {
        // Version 1 starts a group with no processor at all, and no process may enter it.
        if version()? == Version::One && folder.join(file).is_file() {
            fs::write(folder.join(file), fs::read(parent.join(file))?)?;
        }
    }
    Ok(())
}

/// The files to write a process id to, to make it a member of `group`.
pub(crate) fn processes_files(group: &str) -> Result<Vec<PathBuf>> {
    let hierarchy = match version()? {
        Version::One => Path::new(ROOT).join("pids"),
        Version::Two => PathBuf::from(ROOT),
    };
    Ok(vec![hierarchy.join(group).join("cgroup.procs")])
}

/// End every process below `group`, whatever started it.
pub(crate) fn kill(group: &str) -> Result<()> {
    let limit = Instant::now() + Duration::from_secs(20);
    loop {
        let members = members(group)?;
        if members.is_empty() {
            return Ok(());
        }
        if Instant::now() > limit {
            bail!(
                "processes {members:?} of control group {group} outlived SIGKILL for 20 s: a disk may hang"
            );
        }
        for pid in members {
            process::kill_if(pid, || is_member(pid, group))?;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Remove `group` and all below it; there must be no process left in it.
pub(crate) fn remove(group: &str) -> Result<()> {
    for hierarchy in all_hierarchies()? {
        for folder in subtree(&hierarchy.join(group)).into_iter().rev() {
            // The kernel lets go of a group a moment after its last process.
            process::wait_until(Duration::from_secs(5), || {
                fs::remove_dir(&folder).is_ok() || !folder.exists()
            })
            .with_context(|| format!("failed to remove control group {}", folder.display()))?;
        }
    }
    Ok(())
}

fn members(group: &str) -> Result<Vec<i32>> {
    let mut pids = Vec::new();
    for hierarchy in all_hierarchies()? {
        for folder in subtree(&hierarchy.join(group)) {
            // A group may vanish between the listing and the look.
            let list = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
            pids.extend(list.lines().filter_map(|line| line.parse::<i32>().ok()));
        }
    }
    pids.sort_unstable();
    pids.dedup();
    Ok(pids)
}

fn is_member(pid: i32, group: &str) -> bool {
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    groups.lines().filter_map(|line| line.splitn(3, ':').nth(2)).any(|path| {
        path.strip_prefix('/')
            .and_then(|p| p.strip_prefix(group))
            .is_some_and(|p| p.is_empty() || p.starts_with('/'))
    })
}

/// Every hierarchy. With version 1, runc makes groups in that of version 2 as well, if it is mounted.
fn all_hierarchies() -> Result<Vec<PathBuf>> {
    let mut all = hierarchies(Version::Two)?;
    if version()? == Version::One {
        all.extend(hierarchies(Version::One)?);
    }
    Ok(all)
}

/// The mounted hierarchies of one version, each once.
fn hierarchies(version: Version) -> Result<Vec<PathBuf>> {
    let kind = match version {
        Version::One => "cgroup",
        Version::Two => "cgroup2",
    };
    let mounts = fs::read_to_string("/proc/self/mounts").context("failed to read the mounts")?;
    let all = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    Ok(all.filter(|f| f.len() > 2 && f[2] == kind && f[1].starts_with(ROOT)).map(|f| f[1].into()).collect())
}

/// A folder and all folders below it, parents first.
fn subtree(folder: &Path) -> Vec<PathBuf> {
    let mut found = if folder.is_dir() { vec![folder.to_owned()] } else { Vec::new() };
    let mut next = 0;
    while let Some(parent) = found.get(next).cloned() {
        let entries = fs::read_dir(parent).into_iter().flatten().flatten();
        found.extend(entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path()));
        next += 1;
    }
    found
}
