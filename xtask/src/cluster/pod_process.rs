//! Processes in the pods of the local cluster, which are processes of this machine.

use std::fs;

use anyhow::{Context, Result};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// A process in a pod, held so that its id cannot become another's.
#[derive(Debug)]
pub struct PodProcess {
    id: i32,
    held: OwnedFd,
}

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
            (says("comm")?.trim() == program && says("cgroup")?.contains(&group))
                .then_some(Self { id: pid, held })
        });
        found.with_context(|| format!("no process {program} is in the pod {uid} on this machine"))
    }

    /// What this machine calls it; another's once it has ended.
    pub(crate) fn id(&self) -> i32 {
        self.id
    }

    /// SIGKILL.
    ///
    /// # Errors
    /// If it has ended by itself.
    pub fn kill(&self) -> Result<()> {
        self.send(Signal::KILL)
    }

    /// SIGSTOP: it stands still, and is not dead.
    ///
    /// # Errors
    /// If it has ended by itself.
    pub fn stop(&self) -> Result<()> {
        self.send(Signal::STOP)
    }

    /// SIGCONT: it goes on.
    ///
    /// # Errors
    /// If it has ended by itself.
    pub fn go_on(&self) -> Result<()> {
        self.send(Signal::CONT)
    }

    fn send(&self, signal: Signal) -> Result<()> {
        pidfd_send_signal(&self.held, signal).with_context(|| format!("failed to send {signal:?}"))
    }
}
