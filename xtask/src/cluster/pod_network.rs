//! Packets that do not pass: rules in the network of one pod of the local cluster.

use std::fs::File;
use std::io::Write;
use std::net::IpAddr;
use std::os::fd::AsRawFd;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::PodProcess;
use super::layout::{CONTROL_PLANE, KUBERNETES_SERVICE};

/// The process that every pod has for as long as it has a network.
const HOLDER: &str = "pause";
const TABLE: &str = "inet rss-cut-off";

/// A pod that some addresses do not reach and that does not reach them, until this is dropped. Packets vanish,
/// as on a broken line: no connection is refused, and those that were open stay so. What the kubelet does in its
/// containers does not go through the pod's network, and goes on.
#[derive(Debug)]
pub struct CutOff {
    network: File,
}

// === impl CutOff ===

impl CutOff {
    /// The pod with this UID, from these addresses.
    ///
    /// # Errors
    /// If the pod is not on this machine, or the rules cannot be made.
    pub fn from(uid: &str, addresses: &[IpAddr]) -> Result<Self> {
        let holder = PodProcess::find(uid, HOLDER)?.id();
        let network = File::open(format!("/proc/{holder}/ns/net")).context("the pod's network is gone")?;
        let cut = Self { network };
        let all: Vec<_> = addresses.iter().map(IpAddr::to_string).collect();
        let all = all.join(", ");
        cut.rules(&format!(
            "add table {TABLE}\n\
             table {TABLE} {{\n\
               chain in {{ type filter hook input priority 0; ip saddr {{ {all} }} drop; }}\n\
               chain out {{ type filter hook output priority 0; ip daddr {{ {all} }} drop; }}\n\
             }}\n"
        ))?;
        Ok(cut)
    }

    /// The pod with this UID, from the API server.
    ///
    /// # Errors
    /// As [`Self::from`].
    pub fn from_api(uid: &str) -> Result<Self> {
        Self::from(uid, &[CONTROL_PLANE.into(), KUBERNETES_SERVICE.into()])
    }

    fn rules(&self, text: &str) -> Result<()> {
        // Named by our own descriptor: the pod may be gone, and its holder's id another's.
        let network = format!("--net=/proc/{}/fd/{}", std::process::id(), self.network.as_raw_fd());
        let mut command = Command::new("nsenter");
        command.args([network.as_str(), "nft", "--file", "-"]);
        let mut nft = command.stdin(Stdio::piped()).spawn().context("failed to start nsenter")?;
        nft.stdin.take().context("nft has no standard input")?.write_all(text.as_bytes())?;
        ensure!(nft.wait()?.success(), "nft refused:\n{text}");
        Ok(())
    }
}

impl Drop for CutOff {
    fn drop(&mut self) {
        // Nobody is left to tell. With the pod its network goes, and what is in it.
        self.rules(&format!("delete table {TABLE}\n")).ok();
    }
}
