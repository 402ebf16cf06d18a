//! A Kubernetes of several nodes on this machine, from nothing and back to nothing.

mod bound_folder;
mod certificates;
mod cgroup;
mod control_plane;
mod isolation;
pub(crate) mod kubelite;
pub mod layout;
mod lock;
mod network;
mod node;
mod node_config;
pub(crate) mod packages;
mod pod_network;
mod pod_process;
mod prerequisites;
mod process;
mod status;
mod storage;
mod teardown;
mod up;

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::image::Image;
use crate::progress::Progress;
use crate::run;
use layout::Node;
pub use pod_network::CutOff;
pub use pod_process::PodProcess;
pub(crate) use prerequisites::check;
pub use status::Status;
pub use up::up;

/// How `status` is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a reader.
    Text,
    /// For a program.
    Json,
}

/// A cluster that was brought up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cluster {
    nodes: u8,
    kubelite: PathBuf,
}

/// Remove the cluster; the cache stays.
///
/// # Errors
/// If something of it will not go.
pub fn down() -> Result<()> {
    prerequisites::check_root()?;
    let _lock = lock::take()?;
    Progress::new(1).step("remove the cluster", |_| teardown::remove_all())
}

/// Remove the cluster and the cache.
///
/// # Errors
/// If something of it will not go.
pub fn purge() -> Result<()> {
    prerequisites::check_root()?;
    let _lock = lock::take()?;
    let mut progress = Progress::new(2);
    progress.step("remove the cluster", |_| teardown::remove_all())?;
    progress.step("remove the cache", |_| teardown::remove_folder(&layout::cache()?))
}

/// What runs and what does not.
///
/// # Errors
/// If the records of the processes cannot be read.
pub fn status() -> Result<Status> {
    status::look()
}

// === impl Cluster ===

impl Cluster {
    /// The cluster that `up` finished.
    ///
    /// # Errors
    /// If there is none.
    pub fn attach() -> Result<Self> {
        if !Self::file().is_file() {
            bail!("there is no local cluster, or it is unfinished: cargo xtask cluster up");
        }
        let text = fs::read_to_string(Self::file())?;
        serde_json::from_str(&text).with_context(|| format!("failed to read {}", Self::file().display()))
    }

    pub(crate) fn unchecked(kubelite: &Path, nodes: u8) -> Self {
        Self { nodes, kubelite: kubelite.to_owned() }
    }

    /// From now on `attach` finds it.
    pub(crate) fn save(&self) -> Result<()> {
        fs::write(Self::file(), serde_json::to_vec(self)?).context("failed to record the cluster")
    }

    fn file() -> PathBuf {
        layout::state().join("cluster.json")
    }

    /// A kubeconfig that may do everything.
    #[must_use]
    pub fn kubeconfig(&self) -> PathBuf {
        layout::kubeconfig()
    }

    /// The names of its nodes.
    #[must_use]
    pub fn nodes(&self) -> Vec<String> {
        Node::all(self.nodes).map(Node::name).collect()
    }

    /// Run kubectl and return what it printed.
    ///
    /// # Errors
    /// What kubectl complained of.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<String> {
        run::output(self.kubectl_command().args(arguments))
    }

    /// Run kubectl for a person: it reads and prints by itself. How it ended.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn kubectl_by_hand(&self, arguments: &[OsString]) -> Result<ExitStatus> {
        self.kubectl_command().args(arguments).status().context("failed to start kubectl")
    }

    /// Run kubectl with a manifest, or anything else, on its standard input.
    ///
    /// # Errors
    /// What kubectl complained of.
    pub fn kubectl_with_input(&self, arguments: &[&str], input: &str) -> Result<String> {
        let mut command = self.kubectl_command();
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("failed to start kubectl")?;
        // Dropped at once, so that kubectl sees the end. It prints little before it has read all.
        child.stdin.take().context("kubectl has no standard input")?.write_all(input.as_bytes())?;
        let done = child.wait_with_output()?;
        if !done.status.success() {
            bail!("kubectl {}: {}", arguments.join(" "), String::from_utf8_lossy(&done.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }

    /// A kubectl that speaks to it.
    #[must_use]
    pub fn kubectl_command(&self) -> Command {
        let mut command = Command::new(&self.kubelite);
        command.arg("kubectl").arg("--kubeconfig").arg(self.kubeconfig());
        command
    }

    /// Give an image to every node.
    ///
    /// # Errors
    /// If a node does not take it.
    pub fn load(&self, image: &Image) -> Result<()> {
        each(Node::all(self.nodes), |node| node.import(image))
    }

    /// Take a node away as a power cut does: kubelet, container runtime and containers end at once.
    ///
    /// # Errors
    /// If there is no such node, or a process will not end.
    pub fn stop_node(&self, name: &str) -> Result<()> {
        self.node(name)?.cut_power()
    }

    /// Bring a stopped node back.
    ///
    /// # Errors
    /// If there is no such node, or it does not start.
    pub fn start_node(&self, name: &str) -> Result<()> {
        let node = self.node(name)?;
        node.start_runtime()?;
        node.start_kubelet(&self.kubelite)
    }

    /// Empty the volumes whose claims are gone and offer them again; how many there were.
    ///
    /// # Errors
    /// If a volume cannot be emptied or the API server refuses.
    pub fn recycle_volumes(&self) -> Result<usize> {
        storage::recycle(self)
    }

    fn node(&self, name: &str) -> Result<Node> {
        let known = || format!("no node {name}: there are {}", self.nodes().join(", "));
        Node::all(self.nodes).find(|node| node.name() == name).with_context(known)
    }
}

/// Do it for all nodes at the same time; the first error of any.
pub(crate) fn each(
    nodes: impl Iterator<Item = Node>,
    work: impl Fn(Node) -> Result<()> + Sync,
) -> Result<()> {
    std::thread::scope(|scope| {
        let work = &work;
        let all: Vec<_> = nodes.map(|node| (node, scope.spawn(move || work(node)))).collect();
        let mut result = Ok(());
        for (node, thread) in all {
            let done = thread.join().unwrap_or_else(|_| bail!("a thread panicked"));
            result = result.and(done.with_context(|| node.name()));
        }
        result
    })
}
