//! A container runtime that does not react: the local cluster's, for one pod.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use xtask::cluster::Cluster;

use crate::Member;

/// What Linux shows of the name of the process that keeps the containers of a pod.
const SHIM: &str = "containerd-shim";

/// The runtime carries out nothing that the kubelet asks of it for one pod, until this is dropped: what
/// runs in that pod goes on, whatever the API server says of it. Pods that are made meanwhile are not touched.
#[derive(Debug)]
pub struct HungRuntime {
    shim: Pid,
}

// === impl HungRuntime ===

impl HungRuntime {
    /// Of a member's present pod.
    ///
    /// # Errors
    /// If the pod does not run on this machine.
    pub async fn of(member: &Member<'_>) -> Result<Self> {
        Cluster::attach()?;
        let uid = member.uid().await?;
        let shim = shim(&uid).with_context(|| format!("{} has no runtime on this machine", member.name))?;
        kill_process(shim, Signal::STOP).context("failed to stop the runtime")?;
        Ok(Self { shim })
    }
}

impl Drop for HungRuntime {
    fn drop(&mut self) {
        // One that cannot go on has ended, and its containers with it.
        kill_process(self.shim, Signal::CONT).ok();
    }
}

/// The parent of the processes in the control group that is named by the pod.
fn shim(uid: &str) -> Option<Pid> {
    let processes = fs::read_dir("/proc").ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    processes
        .filter(|process| fs::read_to_string(process.join("cgroup")).is_ok_and(|groups| groups.contains(uid)))
        .filter_map(|process| parent(&process))
        .find(|parent| {
            let name = fs::read_to_string(PathBuf::from(format!("/proc/{}/comm", parent.as_raw_nonzero())));
            name.is_ok_and(|name| name.trim_end() == SHIM)
        })
}

fn parent(process: &std::path::Path) -> Option<Pid> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    Pid::from_raw(line.trim().parse().ok()?)
}
