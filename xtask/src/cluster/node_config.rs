//! What a node's container runtime, kubelet and pod network are told.

use serde_json::json;

use super::certificates::path;
use super::isolation::RUNTIME_STATE;
use super::layout::{CONTROL_PLANE, Node};
use crate::image::pause;

// === impl Node ===

impl Node {
    pub(super) fn network_config(self) -> serde_json::Value {
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
    pub(super) fn runtime_config(self) -> String {
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

    pub(super) fn kubelet_config(self) -> serde_json::Value {
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
            "podLogsDir": self.pod_logs(),
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
            // The kubelet renews its lease every quarter of this time. The controller manager sets Ready to Unknown for a
            // node whose lease was not renewed within node-monitor-grace-period.
            "nodeLeaseDurationSeconds": 8,
            // The kubelet reports a changed status within 2 s. It would report an unchanged one as often without the
            // second line, which has the value that a kubelet uses by default.
            "nodeStatusUpdateFrequency": "2s",
            "nodeStatusReportFrequency": "5m",
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
