//! The pod of each replica.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Container, HostAlias, PersistentVolumeClaim, PodDNSConfig, PodSecurityContext, TopologySpreadConstraint,
    Volume,
};
use kube::KubeSchema;
use serde::{Deserialize, Serialize};

use super::Commands;

/// What each replica's pod is made of, and the commands that are run in it.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Pod {
    /// The scripts by which the operator starts, stops and questions the application.
    pub commands: Commands,
    /// The containers; commands run in the first one. Its own command only waits, reaps its children and ends
    /// on SIGTERM: the operator starts the application.
    #[x_kube(validation = Rule::new("self.size() > 0")
        .message("spec.pod.containers is empty: name at least one container, the first is where commands run")
        .reason(kube::core::Reason::FieldValueRequired))]
    #[schemars(length(max = 64))]
    pub containers: Vec<Container>,
    /// Containers that run to their end before the others start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub init_containers: Vec<Container>,
    /// Volumes beside the claims. Names that begin with "rss-" are the operator's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<Volume>,
    /// A claim of its own for each replica. The first one that the first container mounts carries the volume lock.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volume_claim_templates: Vec<PersistentVolumeClaim>,
    /// Security attributes of the whole pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_context: Option<PodSecurityContext>,
    /// Labels that a node must have. Joined with `spec.nodeSelector`; one key may not have two values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_selector: Option<BTreeMap<String, String>>,
    /// Whether the token of the service account is mounted. Default: as the service account says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automount_service_account_token: Option<bool>,
    /// Whether two replicas may never share a node (by hostname). Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anti_affinity: Option<bool>,
    /// Seconds that a deleted pod has to end by itself. Default: 600.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub termination_grace_period_seconds: Option<i64>,
    /// The PriorityClass, by which the scheduler places a pod first and evicts it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority_class_name: Option<String>,
    /// The RuntimeClass, such as one for gVisor or Kata Containers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime_class_name: Option<String>,
    /// The scheduler that places the pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler_name: Option<String>,
    /// Entries of /etc/hosts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host_aliases: Vec<HostAlias>,
    /// How names are resolved: ClusterFirst, ClusterFirstWithHostNet, Default or None.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dns_policy: Option<String>,
    /// Name servers, search domains and options beside those of `dnsPolicy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dns_config: Option<PodDNSConfig>,
    /// Whether the environment names the services of the namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_service_links: Option<bool>,
    /// False: the pod has a user namespace of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_users: Option<bool>,
    /// How replicas are spread over zones and nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
}
