//! One node: a container runtime, a kubelet and a pod network of its own.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::certificates::{kubeconfig, path};
use super::cgroup;
use super::isolation::{self, RUNTIME_STATE};
use super::layout::{CGROUP, CONTROL_PLANE, Node};
use super::process::Component;
use crate::image::Image;
use crate::image::pause;
use crate::run;

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
        let runtime = self.containerd().pid().context("the container runtime does not run")?;
        self.kubelet().start(&self.runtime_cgroup(), &isolation::joined(runtime, &words))
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

    fn network_config(self) -> serde_json::Value {
        json!({
            "cniVersion": "0.4.0",
            "name": format!("rss-{}", self.name()),
            "plugins": [{
                "type": "bridge",
                "bridge": self.bridge(),
                "isGateway": true,
                "hairpinMode": true,
                "ipam": {
                    "type": "host-local",
                    "ranges": [[{"subnet": self.pod_network()}]],
                    "routes": [{"dst": "0.0.0.0/0"}],
                },
            }, {"type": "loopback"}],
        })
    }

    /// No folder of the usual places is used, so another container runtime is never disturbed.
    fn runtime_config(self) -> String {
        let folder = self.folder();
        let folder = folder.display();
        let sandbox_image = pause::NAME;
        // restrict_oom_score_adj: where the capability to lower the score is missing, runc dies.
        format!(
            r#"version = 2
root = "{folder}/containerd/root"
state = "{RUNTIME_STATE}/state"
oom_score = 0
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs",
  "io.containerd.snapshotter.v1.native", "io.containerd.tracing.processor.v1.otlp",
  "io.containerd.internal.v1.tracing"]
[grpc]
  address = "{folder}/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "{folder}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{sandbox_image}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{folder}/network"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        Root = "{RUNTIME_STATE}/runc"
        SystemdCgroup = false
"#
        )
    }

    fn kubelet_config(self) -> serde_json::Value {
        let folder = self.folder();
        let name = self.name();
        json!({
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "address": self.address(),
            "healthzPort": 0,
            "authentication": {"anonymous": {"enabled": false}, "x509": {"clientCAFile": path("ca.crt")}},
            "authorization": {"mode": "Webhook"},
            "tlsCertFile": path(&format!("{name}.crt")),
            "tlsPrivateKeyFile": path(&format!("{name}.key")),
            "clusterDomain": "cluster.local",
            "clusterDNS": [CONTROL_PLANE],
            "resolvConf": folder.join("resolv.conf"),
            "containerRuntimeEndpoint": format!("unix://{}", self.containerd_socket().display()),
            "podLogsDir": folder.join("pod-logs"),
            "volumePluginDir": folder.join("plugins"),
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": format!("/{}", self.pods_cgroup()),
            "failCgroupV1": false,
            "failSwapOn": false,
            "enforceNodeAllocatable": [],
            // The chains it would make are the host's, and kube-proxy has its own.
            "makeIPTablesUtilChains": false,
            // Every node sees the whole disk and memory: none may clean up because of the others.
            "imageGCHighThresholdPercent": 100,
            "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
            // A lease every 2 s, for a node is lost after 8 s without.
            "nodeLeaseDurationSeconds": 8,
            "nodeStatusUpdateFrequency": "2s",
            "syncFrequency": "10s",
            "volumeStatsAggPeriod": "-1s",
            "serializeImagePulls": false,
            "registryPullQPS": 0,
            "eventRecordQPS": 0,
            "kubeAPIQPS": 200,
            "kubeAPIBurst": 400,
            "containerLogMaxSize": "10Mi",
            "maxPods": 110,
        })
    }
}
