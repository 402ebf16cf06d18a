//! Where the cluster keeps its things and which addresses it uses.
//!
//! Everything lies outside the clone and under names of our own, so that nothing of another
//! cluster, container runtime or user is ever touched.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use anyhow::{Context, Result};

/// The third byte of a node's addresses is its number, and each node costs about 200 MB idle.
pub const MOST_NODES: u8 = 20;

/// Addresses of nodes and pods. Not the usual ranges, which another cluster may be using.
pub(crate) const POD_NETWORK: &str = "10.217.0.0/16";
/// Addresses of services.
pub(crate) const SERVICE_NETWORK: &str = "10.218.0.0/16";
/// The `kubernetes` service, always the first address of its network.
pub(crate) const KUBERNETES_SERVICE: Ipv4Addr = Ipv4Addr::new(10, 218, 0, 1);
/// API server and name server: an address of their own, so that no port of the host is taken.
pub(crate) const CONTROL_PLANE: Ipv4Addr = Ipv4Addr::new(10, 217, 0, 1);
/// The bridge that carries `CONTROL_PLANE`; also the prefix of every bridge of ours.
pub(crate) const BRIDGE_PREFIX: &str = "rss-br";
/// The table with our packet filter rules.
pub(crate) const NFT_TABLE: &str = "rss-cluster";
/// The control group, in every hierarchy, under which all our processes run.
pub(crate) const CGROUP: &str = "rss-cluster";

/// One machine of the cluster, by its number from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node(pub(crate) u8);

// === impl Node ===

impl Node {
    /// All nodes of a cluster of `count`.
    pub(crate) fn all(count: u8) -> impl Iterator<Item = Self> {
        (1..=count).map(Self)
    }

    pub(crate) fn name(self) -> String {
        format!("node{}", self.0)
    }

    /// The node's own address, which is the gateway of its pods.
    pub(crate) fn address(self) -> Ipv4Addr {
        Ipv4Addr::new(10, 217, self.0, 1)
    }

    pub(crate) fn pod_network(self) -> String {
        format!("10.217.{}.0/24", self.0)
    }

    pub(crate) fn bridge(self) -> String {
        format!("{BRIDGE_PREFIX}{}", self.0)
    }

    /// Container runtime, kubelet and pods of this node.
    pub(crate) fn folder(self) -> PathBuf {
        state().join("nodes").join(self.name())
    }

    pub(crate) fn containerd_socket(self) -> PathBuf {
        self.folder().join("containerd.sock")
    }

    /// Control group of containerd, its shims and the kubelet.
    pub(crate) fn runtime_cgroup(self) -> String {
        format!("{CGROUP}/{}/runtime", self.name())
    }

    /// Control group below which the kubelet makes those of its pods.
    pub(crate) fn pods_cgroup(self) -> String {
        format!("{CGROUP}/{}/pods", self.name())
    }

    /// The logs of its pods' containers.
    pub(crate) fn pod_logs(self) -> PathBuf {
        self.folder().join("pod-logs")
    }

    /// The folders behind the node's claims.
    pub(crate) fn volumes(self) -> PathBuf {
        state().join("volumes").join(self.name())
    }
}

/// All that `down` removes.
pub(crate) fn state() -> PathBuf {
    PathBuf::from("/var/lib/rss-cluster")
}

/// What is slow to make and worth keeping: only `purge` removes it.
pub(crate) fn cache() -> Result<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME").filter(|p| !p.is_empty()).map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let base =
        base.or_else(home).context("neither XDG_CACHE_HOME nor HOME is set: set one, for the cache")?;
    Ok(base.join("rss-cluster"))
}

pub(crate) fn certificates() -> PathBuf {
    state().join("certificates")
}

pub(crate) fn kubeconfig() -> PathBuf {
    state().join("kubeconfig")
}

pub(crate) fn logs() -> PathBuf {
    state().join("logs")
}
