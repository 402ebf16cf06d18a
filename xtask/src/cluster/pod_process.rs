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
    /// The one that runs this program, by the name that Linux shows of it, in the pod with this UID. What it forked for a
    /// moment has the same name, and after a while not always a higher id.
    ///
    /// # Errors
    /// If there is none on this machine.
    pub fn find(uid: &str, program: &str) -> Result<Self> {
        let group = format!("pod{uid}");
        let found = fs::read_dir("/proc")?.flatten().filter_map(|process| {
            let id: i32 = process.file_name().to_str()?.parse().ok()?;
            let held = pidfd_open(Pid::from_raw(id)?, PidfdFlags::empty()).ok()?;
            let says = |file: &str| fs::read_to_string(process.path().join(file)).ok();
            let is_it = says("comm")?.trim() == program && says("cgroup")?.contains(&group);
            is_it.then_some((parent(&says("status")?)?, Self { id, held }))
        });
        let found: Vec<(i32, Self)> = found.collect();
        let ids: Vec<i32> = found.iter().map(|(_, process)| process.id).collect();
        let eldest = found.into_iter().find(|(parent, _)| !ids.contains(parent));
        let eldest = eldest.map(|(_, process)| process);
        eldest.with_context(|| format!("no process {program} is in the pod {uid} on this machine"))
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

/// Who forked the process that says this in `/proc`.
fn parent(status: &str) -> Option<i32> {
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::parent;

    #[test]
    fn a_process_tells_who_forked_it() {
        assert_eq!(parent("Name:\tapp.sh\nPid:\t12\nPPid:\t7\nTracerPid:\t0\n"), Some(7));
        assert_eq!(parent("Name:\tPPid:\n"), None);
    }
}
