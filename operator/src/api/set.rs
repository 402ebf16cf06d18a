//! `ReplicatedStatefulSet`: the resource that people write.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Affinity, LocalObjectReference, ResourceRequirements, ServicePort, Toleration,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ClaimRetention, DisruptionBudget, Pod, PolicySpec, Recovery, Service, SetMetadata, SetStatus, Span, Tls,
    UpdateStrategy,
};

/// A pod's label `controller-revision-hash` is `rss-NAME-` and ten characters more, and a label holds 63.
pub(crate) const LONGEST_NAME: usize = 48;

/// A Service's name begins with a letter, and there is one of this name.
const NAME_RULE: &str =
    "self.metadata.name.size() <= 48 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')";

/// Its StatefulCluster is `rss-NAME`, and a pod of that has twelve random characters more.
const GIVEN_ONCE_NAME_RULE: &str = "!has(self.spec.workload) || self.spec.workload != 'StatefulCluster' || \
    self.metadata.name.size() <= 46";

/// A member whose identity is given once is known by its claims.
const GIVEN_ONCE_CLAIMS_RULE: &str = "!has(self.workload) || self.workload != 'StatefulCluster' || \
    (has(self.pod.volumeClaimTemplates) && self.pod.volumeClaimTemplates.size() > 0)";

/// Where there was none, a rule of the field itself is not asked.
const WORKLOAD_RULE: &str = "(has(self.workload) ? self.workload : 'StatefulSet') == \
    (has(oldSelf.workload) ? oldSelf.workload : 'StatefulSet')";

/// Which claims are deleted nobody knows but who reads them.
const RETENTION_RULE: &str = "!has(self.workload) || self.workload != 'StatefulCluster' || \
    !has(self.persistentVolumeClaimRetentionPolicy) || \
    !has(self.persistentVolumeClaimRetentionPolicy.whenScaled) || \
    self.persistentVolumeClaimRetentionPolicy.whenScaled != 'Delete'";

/// What is wanted of a replicated application.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "clusterlabs.org",
    version = "v1alpha1",
    kind = "ReplicatedStatefulSet",
    namespaced,
    shortname = "rss",
    status = "SetStatus",
    derive = "Default",
    derive = "PartialEq",
    cel,
    doc = "An application that keeps copies of its state in several pods, looked after through its own commands.",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ),
    printcolumn(name = "Ready", type_ = "string", json_path = ".status.ready", description = "Members that serve, of those wanted"),
    printcolumn(name = "Primaries", type_ = "integer", json_path = ".status.primaries", description = "Members that run as primary"),
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase", description = "Creating, Running, Paused or Failed"),
    printcolumn(name = "Reason", type_ = "string", json_path = ".status.reason", description = "Why it is in this phase"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp", description = "Since the resource was made"),
    validation = Rule::new(NAME_RULE)
        .message("metadata.name is also the name of a Service and part of labels: at most 48 of a-z, 0-9 and '-', a letter first, no '-' last"),
    validation = Rule::new(GIVEN_ONCE_NAME_RULE)
        .message("metadata.name is at most 46 characters with spec.workload StatefulCluster: a pod's name has 17 more")
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(WORKLOAD_RULE).message("spec.workload cannot be changed: make another set").field_path(".workload"))]
#[x_kube(validation = Rule::new(GIVEN_ONCE_CLAIMS_RULE)
    .message("spec.pod.volumeClaimTemplates: with spec.workload StatefulCluster a member is known by its claims; name at least one")
    .field_path(".pod.volumeClaimTemplates"))]
#[x_kube(validation = Rule::new(RETENTION_RULE)
    .field_path(".persistentVolumeClaimRetentionPolicy.whenScaled")
    .message("spec.persistentVolumeClaimRetentionPolicy.whenScaled is not Delete with spec.workload StatefulCluster: a claim \
        that was given up may hold what never came to the others"))]
pub struct SetSpec {
    /// How many members are wanted. Default: 3. 0: the application is stopped everywhere and its pods are taken
    /// away, the claims stay. The API server refuses less, as it does for everything that can be scaled. At most 255:
    /// what is remembered of all members must fit the status, with 2 KiB for each.
    #[x_kube(validation = Rule::new("self <= 255").message("spec.replicas is at most 255: what is remembered of all members must fit the status"))]
    #[serde(default = "three")]
    pub replicas: i32,
    /// How many members run as primary; as many as `replicas`, or more: all. Default: all. 0: a set of secondaries only.
    #[x_kube(validation = Rule::new("self >= 0").message("spec.primaries is less than 0: leave it out for all members, or write 0 for secondaries only"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primaries: Option<i32>,
    /// How often `status` is asked of each member when nothing else happens ("30s"). Default: 10 seconds. A database
    /// that dies inside a living container raises no event: this is how long it may go unseen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconcile_interval: Option<Span>,
    /// What each replica's pod is made of, and the commands that are run in it.
    pub pod: Pod,
    /// Labels and annotations of what is made for the set. A change of them is a change of the pod template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<SetMetadata>,
    /// Ports of the application: of the internal service NAME-svc, and of the client service.
    #[x_kube(validation = Rule::new("self.all(p, self.exists_one(q, q.port == p.port && (has(q.protocol) ? q.protocol : 'TCP') == (has(p.protocol) ? p.protocol : 'TCP')))")
        .message("spec.servicePorts names one port and protocol twice"))]
    #[x_kube(validation = Rule::new("self.size() < 2 || self.all(p, has(p.name) && self.exists_one(q, has(q.name) && q.name == p.name))")
        .message("spec.servicePorts: of several ports each needs a name of its own"))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub service_ports: Vec<ServicePort>,
    /// The client service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<Service>,
    /// Hands off: nothing is changed, the status still says what is seen. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// Above 0, containers get CHAOS_LEVEL and CHAOS_MODULO (20 - level), for applications that test themselves.
    #[x_kube(validation = Rule::new("self < 20").message("spec.chaosLevel is at most 19: CHAOS_MODULO is 20 less it, and applications divide by that"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chaos_level: Option<i32>,
    /// What runs the pods: StatefulSet, whose numbers and claims come back; StatefulCluster, whose identities are given
    /// once, so that the member goes that holds least. It cannot be changed. Default: StatefulSet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<Workload>,
    /// Names of secrets, each mounted read-only at /etc/rss/secrets/NAME in every container.
    #[x_kube(validation = Rule::new("self.all(s, self.exists_one(t, t == s))")
        .message("spec.secrets names one secret twice"))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32), inner(length(max = 253)))]
    pub secrets: Vec<String>,
    /// Resources of the first container, where it has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
    /// Labels that a node must have. Joined with `spec.pod.nodeSelector`; one key may not have two values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_selector: Option<BTreeMap<String, String>>,
    /// The service account of the pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,
    /// Secrets with the credentials for pulling images.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub image_pull_secrets: Vec<LocalObjectReference>,
    /// Scheduling constraints of the pods, beside `spec.pod.antiAffinity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affinity: Option<Affinity>,
    /// Taints that the pods bear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
    /// The policy that reads positions, picks the seed and orders the primaries. Default: builtin largest-integer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicySpec>,
    /// How far recovery may go without a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Recovery>,
    /// How a changed pod template reaches the pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_strategy: Option<UpdateStrategy>,
    /// What becomes of the claims of replicas that are no longer wanted. Default: they are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persistent_volume_claim_retention_policy: Option<ClaimRetention>,
    /// How many members a node drain may take away at once. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disruption_budget: Option<DisruptionBudget>,
    /// Accepted and ignored, with the event FieldIgnored.
    #[serde(rename = "TLS", skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
    /// Accepted and ignored, with the event FieldIgnored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_selector: Option<LabelSelector>,
}

/// What runs the pods.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[schemars(transform = super::undescribed)]
pub enum Workload {
    /// Kubernetes' own StatefulSet.
    #[default]
    StatefulSet,
    /// A StatefulCluster, whose identities are given once.
    StatefulCluster,
}

/// The scale subresource needs a number to be there, so this default is written into the object.
fn three() -> i32 {
    3
}
