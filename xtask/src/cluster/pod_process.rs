//! Processes in the pods of the local cluster, which are processes of this machine.

use std::fs;

use anyhow::{Context, Result};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// A process in a pod, held so that its id cannot become another's.
#[derive(Debug)]
pub struct PodProcess(OwnedFd);

// === impl PodProcess ===

impl PodProcess {
    /// The one that runs this program, by the name that Linux shows of it, in the pod with this UID.
    ///
    /// # Errors
    /// If there is none on this machine.
    pub fn find(uid: &str, program: &str) -> Result<Self> {
        let group = format!("pod{uid}");
        let found = fs::read_dir("/proc")?.flatten().find_map(|process| {
            let pid: i32 = process.file_name().to_str()?.parse().ok()?;
            let held = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
            let says = |file: &str| fs::read_to_string(process.path().join(file)).ok();
            (says("comm")?.trim() == program && says("cgroup")?.contains(&group)).then_some(held)
        });
        found.map(Self).with_context(|| format!("no process {program} is in the pod {uid} on this machine"))
    }

    /// SIGKILL.
    ///
    /// # Errors
    /// If it has ended by itself.
    pub fn kill(&self) -> Result<()> {
        pidfd_send_signal(&self.0, Signal::KILL).context("failed to kill a process")
    }
}
