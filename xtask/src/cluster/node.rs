//! One node: a container runtime, a kubelet and a pod network of its own.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::Cluster;
use super::certificates::kubeconfig;
use super::cgroup;
use super::isolation;
use super::layout::{CGROUP, CONTROL_PLANE, Node};
use super::process::Component;
use crate::image::Image;
use crate::run;

// === impl Cluster ===

impl Cluster {
    /// Where a node keeps the logs of its pods' containers.
    ///
    /// # Errors
    /// If there is no such node.
    pub fn pod_logs(&self, name: &str) -> Result<PathBuf> {
        Ok(self.node(name)?.pod_logs())
    }
}

// === impl Node ===

impl Node {
    /// Start the container runtime; it answers once this returns.
    pub(crate) fn start_runtime(self) -> Result<()> {
        let folder = self.folder();
        for part in ["network", "opt", "pod-logs", "kubelet", "plugins"] {
            fs::create_dir_all(folder.join(part))?;
        }
        fs::write(
            folder.join("network/10-bridge.conflist"),
            serde_json::to_vec_pretty(&self.network_config())?,
        )?;
        let config = folder.join("containerd.toml");
        fs::write(&config, self.runtime_config())?;
        let words = ["containerd", "--config", &config.to_string_lossy()].map(str::to_owned);
        self.containerd().start(&self.runtime_cgroup(), &isolation::enclosed(&words))?;
        self.containerd().wait("it answered", || self.ctr(&["version"]).is_ok())
    }

    /// Start the kubelet; the node becomes ready a few seconds later.
    pub(crate) fn start_kubelet(self, kubelite: &Path) -> Result<()> {
        let folder = self.folder();
        fs::write(folder.join("resolv.conf"), format!("nameserver {CONTROL_PLANE}\n"))?;
        let config = folder.join("kubelet.json");
        fs::write(&config, serde_json::to_vec_pretty(&self.kubelet_config())?)?;
        let words = [
            kubelite.display().to_string(),
            "kubelet".to_owned(),
            format!("--config={}", config.display()),
            format!("--kubeconfig={}", kubeconfig(&self.name()).display()),
            format!("--hostname-override={}", self.name()),
            format!("--node-ip={}", self.address()),
            format!("--root-dir={}", folder.join("kubelet").display()),
        ];
        let runtime = self.runtime_pid().context("the container runtime does not run")?;
        self.kubelet().start(&self.runtime_cgroup(), &isolation::joined(runtime, &words))
    }

    /// The container runtime, if it runs.
    pub(crate) fn runtime_pid(self) -> Option<i32> {
        self.containerd().pid()
    }

    fn containerd(self) -> Component {
        Component::new(format!("{}-containerd", self.name()))
    }

    pub(crate) fn kubelet(self) -> Component {
        Component::new(format!("{}-kubelet", self.name()))
    }

    /// What a power cut does to a node: every process ends at once, what is on disk stays.
    pub(crate) fn cut_power(self) -> Result<()> {
        cgroup::kill(&format!("{CGROUP}/{}", self.name()))
    }

    fn ctr(self, arguments: &[&str]) -> Result<String> {
        run::output(self.ctr_command().args(arguments))
    }

    fn ctr_command(self) -> Command {
        let mut command = Command::new("ctr");
        command.arg("--address").arg(self.containerd_socket()).args(["--namespace", "k8s.io"]);
        command
    }

    /// Import an image. Blobs that the node has are not sent again, and nothing is unpacked
    /// before a pod asks for it.
    pub(crate) fn import(self, image: &Image) -> Result<()> {
        let present = self.ctr(&["content", "list", "--quiet"])?;
        let mut command = self.ctr_command();
        command.args(["images", "import", "--no-unpack", "--all-platforms", "-"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let written = {
            let pipe = child.stdin.take().context("ctr has no standard input")?;
            image.write_archive(pipe, |digest| present.contains(digest))
        };
        let mut complaint = String::new();
        child.stderr.take().context("ctr has no standard error")?.read_to_string(&mut complaint)?;
        if !child.wait()?.success() {
            bail!("{} refused image {}: {}", self.name(), image.name, complaint.trim());
        }
        written.with_context(|| format!("failed to send image {} to {}", image.name, self.name()))
    }
}
