//! The parts that serve all nodes: store, API server, controllers, scheduler, service proxy, names.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;

use super::certificates::{kubeconfig, path};
use super::layout::{self, CONTROL_PLANE, Node, POD_NETWORK, SERVICE_NETWORK};
use super::process::Component;
use super::{Cluster, cgroup};

/// A loopback port of our own for the store: 2379 may be another's.
const STORE: &str = "http://127.0.0.1:23790";
const STORE_PEER: &str = "http://127.0.0.1:23800";

const API: &str = "kube-apiserver";

// === impl Cluster ===

impl Cluster {
    /// End the API server at once. What it stored stays, and nobody can be told or asked anything.
    ///
    /// # Errors
    /// If it will not end.
    pub fn stop_api(&self) -> Result<()> {
        Component::new(API).kill()
    }

    /// Bring a stopped API server back; it answers once this returns.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_api(&self) -> Result<()> {
        start_api(&self.kubelite)
    }
}

/// Start the store, and the API server on it.
pub(crate) fn start_store_and_api(kubelite: &Path) -> Result<()> {
    start(kubelite, "etcd", &store_flags())?;
    start_api(kubelite)
}

/// The API server answers once this returns.
fn start_api(kubelite: &Path) -> Result<()> {
    let api = start(kubelite, API, &api_flags())?;
    let address = SocketAddr::from((CONTROL_PLANE, 6443));
    api.wait("it listened", || TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_ok())?;
    let cluster = Cluster::unchecked(kubelite, 0);
    api.wait("it was ready", || cluster.kubectl(&["get", "--raw=/readyz"]).is_ok())
}

/// Start those that only need the API server.
pub(crate) fn start_controllers(kubelite: &Path) -> Result<()> {
    start(kubelite, "kube-controller-manager", &controller_flags())?;
    start(kubelite, "kube-scheduler", &scheduler_flags())?;
    let proxy = layout::state().join("kube-proxy.json");
    fs::write(&proxy, serde_json::to_vec_pretty(&proxy_config())?)?;
    start(kubelite, "kube-proxy", &[format!("--config={}", proxy.display())])?;
    start_names(kubelite)
}

fn start(kubelite: &Path, name: &str, flags: &[String]) -> Result<Component> {
    let component = Component::new(name);
    let program = kubelite.to_str().context("the cache's path is not UTF-8")?.to_owned();
    let words = [program, name.to_owned()].into_iter().chain(flags.iter().cloned());
    component.start(&cgroup::control_plane(), &words.collect::<Vec<_>>())?;
    Ok(component)
}

/// `--NAME=VALUE` for each line of `NAME=VALUE`.
fn flags(lines: &str) -> Vec<String> {
    lines.split_whitespace().map(|line| format!("--{line}")).collect()
}

fn store_flags() -> Vec<String> {
    // The data lives no longer than the cluster: it need not survive a power cut.
    flags(&format!(
        "data-dir={} listen-client-urls={STORE} advertise-client-urls={STORE} listen-peer-urls={STORE_PEER} \
         initial-advertise-peer-urls={STORE_PEER} initial-cluster=default={STORE_PEER} unsafe-no-fsync \
         log-level=warn",
        layout::state().join("etcd").display(),
    ))
}

fn api_flags() -> Vec<String> {
    let file = |name: &str| path(name).display().to_string();
    flags(&format!(
        "etcd-servers={STORE} bind-address={CONTROL_PLANE} advertise-address={CONTROL_PLANE} secure-port=6443 \
         tls-cert-file={} tls-private-key-file={} client-ca-file={ca} \
         authorization-mode=Node,RBAC enable-admission-plugins=NodeRestriction allow-privileged=true \
         service-account-key-file={} service-account-signing-key-file={} \
         service-account-issuer=https://kubernetes.default.svc.cluster.local \
         service-cluster-ip-range={SERVICE_NETWORK} kubelet-preferred-address-types=InternalIP \
         kubelet-certificate-authority={ca} kubelet-client-certificate={} kubelet-client-key={} \
         profiling=false",
        file("apiserver.crt"),
        file("apiserver.key"),
        file("service-accounts.pub"),
        file("service-accounts.key"),
        file("admin.crt"),
        file("admin.key"),
        ca = file("ca.crt"),
    ))
}

fn controller_flags() -> Vec<String> {
    // A node that says nothing for 8 s is lost, and all of a lost zone is evicted at once:
    // the usual 50 s and one node in ten seconds are made for machines, and tests would wait.
    flags(&format!(
        "kubeconfig={config} authentication-kubeconfig={config} authorization-kubeconfig={config} \
         bind-address={CONTROL_PLANE} leader-elect=false use-service-account-credentials=true \
         service-account-private-key-file={} root-ca-file={} \
         node-monitor-period=1s node-monitor-grace-period=8s node-eviction-rate=10 \
         secondary-node-eviction-rate=10 pvclaimbinder-sync-period=2s flex-volume-plugin-dir={} \
         kube-api-qps=300 kube-api-burst=600 profiling=false",
        path("service-accounts.key").display(),
        path("ca.crt").display(),
        layout::state().join("flex-volumes").display(),
        config = kubeconfig("admin").display(),
    ))
}

fn scheduler_flags() -> Vec<String> {
    flags(&format!(
        "kubeconfig={config} authentication-kubeconfig={config} authorization-kubeconfig={config} \
         bind-address={CONTROL_PLANE} leader-elect=false kube-api-qps=300 kube-api-burst=600 profiling=false",
        config = kubeconfig("admin").display(),
    ))
}

/// One proxy serves all nodes, for they share one kernel; it speaks for the first.
fn proxy_config() -> serde_json::Value {
    json!({
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "mode": "nftables",
        "hostnameOverride": Node(1).name(),
        "bindAddress": CONTROL_PLANE,
        "healthzBindAddress": format!("{CONTROL_PLANE}:10256"),
        "metricsBindAddress": format!("{CONTROL_PLANE}:10249"),
        "clusterCIDR": POD_NETWORK,
        "clientConnection": {"kubeconfig": kubeconfig("admin"), "qps": 100, "burst": 200},
        // The default of a second would delay every change of a service's endpoints by as much.
        "nftables": {"masqueradeAll": true, "minSyncPeriod": "100ms", "syncPeriod": "1m"},
        // Zero leaves the host's connection tracking as it is.
        "conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
    })
}

fn start_names(kubelite: &Path) -> Result<()> {
    let file = layout::state().join("Corefile");
    // Reverse names are answered too: rsync waits ten seconds for each that is not.
    let zones = "cluster.local in-addr.arpa ip6.arpa";
    let config = kubeconfig("admin");
    let text = format!(
        ".:53 {{\n  bind {CONTROL_PLANE}\n  errors\n  cache 1\n  kubernetes {zones} {{\n    \
         kubeconfig {}\n    pods insecure\n    ttl 1\n  }}\n}}\n",
        config.display()
    );
    fs::write(&file, text)?;
    let names = start(kubelite, "coredns", &["-conf".to_owned(), file.display().to_string()])?;
    let address = SocketAddr::from((CONTROL_PLANE, 53));
    names.wait("it listened", || TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_ok())
}
