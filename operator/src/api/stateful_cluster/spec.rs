//! `StatefulCluster`: the resource that people write.

use k8s_openapi::api::apps::v1::{
    StatefulSetOrdinals, StatefulSetPersistentVolumeClaimRetentionPolicy, StatefulSetUpdateStrategy,
};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ClusterStatus;
use crate::api::Span;

/// On every pod and claim: the name of the StatefulCluster.
pub const NAME_LABEL: &str = "enge.me/statefulcluster";

/// A person's annotation on a pod: "true" if it goes first when there are to be fewer.
pub const MARKED: &str = "enge.me/remove-first";

/// A pod is NAME-<12 random characters>, which is a host name and the value of a label.
const NAME_RULE: &str =
    "self.metadata.name.size() <= 50 && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')";

/// The label is given to each pod, whatever the selector says.
const OWN_LABEL_RULE: &str = "!has(self.spec.selector.matchLabels) || \
    !('enge.me/statefulcluster' in self.spec.selector.matchLabels) || \
    self.spec.selector.matchLabels['enge.me/statefulcluster'] == self.metadata.name";

/// The selector's labels are added to the template's, so only another value is wrong.
const LABEL_RULE: &str = "!has(self.selector.matchLabels) || !has(self.template.metadata) || \
    !has(self.template.metadata.labels) || self.selector.matchLabels.all(k, \
    !(k in self.template.metadata.labels) || self.template.metadata.labels[k] == self.selector.matchLabels[k])";

/// Labels by which the operator finds what it made.
const RESERVED_RULE: &str = "!has(self.template.metadata) || !has(self.template.metadata.labels) || \
    !('enge.me/identity' in self.template.metadata.labels || \
    'controller-revision-hash' in self.template.metadata.labels)";

/// A selector that selects by nothing is a mistake.
const SELECTOR_RULE: &str = "(has(self.matchLabels) && self.matchLabels.size() > 0) || \
    (has(self.matchExpressions) && self.matchExpressions.size() > 0)";

/// Pods have no numbers, so none can be told apart by one; and one at a time is what there is.
const STRATEGY_RULE: &str = "!has(self.rollingUpdate) || \
    !has(self.rollingUpdate.partition) || self.rollingUpdate.partition == 0";

const ONE_AT_A_TIME_RULE: &str = "!has(self.rollingUpdate) || \
    !has(self.rollingUpdate.maxUnavailable) || self.rollingUpdate.maxUnavailable == 1";

const TEMPLATE_RULE: &str = "has(self.spec) && self.spec.containers.size() > 0 && \
    (!has(self.spec.restartPolicy) || self.spec.restartPolicy == 'Always')";

/// A pod that ends by the clock would cost an identity each time; a StatefulSet refuses it, too.
const DEADLINE_RULE: &str = "!has(self.spec) || !has(self.spec.activeDeadlineSeconds)";

/// A pod that is ready is not available before, and its template would be taken back.
const PROGRESS_RULE: &str = "(has(self.minReadySeconds) ? self.minReadySeconds : 0) < \
    (has(self.progressDeadlineSeconds) ? self.progressDeadlineSeconds : 600)";

/// A claim's name is TEMPLATE-POD, and the volume of a pod has the template's.
const CLAIMS_RULE: &str = "self.all(c, has(c.metadata) && has(c.metadata.name) && \
    self.exists_one(d, has(d.metadata) && has(d.metadata.name) && d.metadata.name == c.metadata.name))";

/// Where there was none, a rule of the field itself is not asked.
const SERVICE_RULE: &str = "(has(self.serviceName) ? self.serviceName : '') == \
    (has(oldSelf.serviceName) ? oldSelf.serviceName : '')";

const CLAIM_COUNT_RULE: &str = "(has(self.volumeClaimTemplates) ? self.volumeClaimTemplates.size() : 0) == \
    (has(oldSelf.volumeClaimTemplates) ? oldSelf.volumeClaimTemplates.size() : 0)";

/// What is wanted of the replicas: a StatefulSet's spec, with what is said about replacements.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "enge.me",
    version = "v1alpha1",
    kind = "StatefulCluster",
    namespaced,
    shortname = "stcl",
    status = "ClusterStatus",
    derive = "Default",
    derive = "PartialEq",
    cel,
    doc = "Replicas with claims of their own, whose identity is given once: one that cannot come back is replaced by another identity with new claims.",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ),
    printcolumn(name = "Ready", type_ = "string", json_path = ".status.ready", description = "Pods that are available, of those wanted"),
    printcolumn(name = "Up-to-date", type_ = "integer", json_path = ".status.updatedReplicas", description = "Pods that have the wanted template"),
    printcolumn(name = "Reason", type_ = "string", json_path = ".status.reason", description = "What is waited for"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp", description = "Since the resource was made"),
    validation = Rule::new(NAME_RULE)
        .message("metadata.name is part of the names of pods, which are host names and labels: at most 50 of a-z, 0-9 and '-', no '-' first or last"),
    validation = Rule::new(OWN_LABEL_RULE)
        .message("spec.selector.matchLabels: enge.me/statefulcluster is the name of the resource")
        .field_path(".spec.selector.matchLabels")
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(LABEL_RULE)
    .message("spec.template.metadata.labels contradicts spec.selector.matchLabels: leave such a label out, it is added")
    .field_path(".template.metadata.labels"))]
#[x_kube(validation = Rule::new(RESERVED_RULE)
    .message("spec.template.metadata.labels: the operator writes enge.me/identity and controller-revision-hash itself; leave them out")
    .field_path(".template.metadata.labels"))]
#[x_kube(validation = Rule::new(SERVICE_RULE).message("spec.serviceName cannot be changed: make another StatefulCluster")
    .field_path(".serviceName"))]
#[x_kube(validation = Rule::new(CLAIM_COUNT_RULE).message("spec.volumeClaimTemplates cannot be changed: make another StatefulCluster")
    .field_path(".volumeClaimTemplates"))]
#[x_kube(validation = Rule::new(PROGRESS_RULE)
    .message("spec.progressDeadlineSeconds (default 600) must be more than spec.minReadySeconds: no pod could be available before its template is taken back")
    .field_path(".progressDeadlineSeconds"))]
pub struct ClusterSpec {
    /// How many pods are wanted. Default: 1. 0: none, the claims follow the retention policy. At most 1000.
    #[x_kube(validation = Rule::new("self >= 0 && self <= 1000").message("spec.replicas is from 0 to 1000"))]
    #[serde(default = "one")]
    pub replicas: i32,
    /// By which labels the pods are found. `matchLabels` are added to every pod and claim, with
    /// `enge.me/statefulcluster`. It cannot be changed.
    #[x_kube(validation = Rule::new(SELECTOR_RULE).message("spec.selector is empty: name a label in matchLabels"))]
    #[x_kube(validation = Rule::new("self == oldSelf").message("spec.selector cannot be changed: make another StatefulCluster"))]
    pub selector: LabelSelector,
    /// What each pod is made of. Its labels need not repeat the selector's. A changed label, annotation or image of
    /// a container is written into the pods that live; anything else needs new pods, with new identities.
    #[x_kube(validation = Rule::new(TEMPLATE_RULE)
        .message("spec.template.spec needs a container, and restartPolicy Always or none"))]
    #[x_kube(validation = Rule::new(DEADLINE_RULE)
        .message("spec.template.spec.activeDeadlineSeconds: each pod would end by it, and another identity take its place; leave it out")
        .field_path(".spec.activeDeadlineSeconds"))]
    pub template: PodTemplateSpec,
    /// The claims that each identity has, made for it alone. They cannot be changed.
    #[x_kube(validation = Rule::new(CLAIMS_RULE).message("spec.volumeClaimTemplates: each needs a name of its own in metadata.name"))]
    #[x_kube(validation = Rule::new("self == oldSelf").message("spec.volumeClaimTemplates cannot be changed: make another StatefulCluster"))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub volume_claim_templates: Vec<PersistentVolumeClaim>,
    /// A headless service of this name, made if there is none: each pod is POD.SERVICE. It cannot be changed.
    #[x_kube(validation = Rule::new("self == '' || (self.size() <= 63 && self.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$'))")
        .message("spec.serviceName is the name of a Service: at most 63 of a-z, 0-9 and '-', a letter first, no '-' last"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_name: Option<String>,
    /// Whether pods wait for each other when they are made and removed: Parallel, none does; OrderedReady, the next is
    /// made once all before it are available. Default: Parallel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_management_policy: Option<PodManagement>,
    /// How a changed template reaches the pods: RollingUpdate, one after the other; OnDelete, when a person deletes
    /// them. Default: RollingUpdate. There is no partition: pods have no numbers.
    #[x_kube(validation = Rule::new(STRATEGY_RULE)
        .message("spec.updateStrategy.rollingUpdate.partition: pods have no numbers here")
        .field_path(".rollingUpdate.partition"))]
    #[x_kube(validation = Rule::new(ONE_AT_A_TIME_RULE)
        .message("spec.updateStrategy.rollingUpdate.maxUnavailable: only 1 is possible")
        .field_path(".rollingUpdate.maxUnavailable"))]
    #[x_kube(validation = Rule::new("!has(self.type) || self.type in ['RollingUpdate', 'OnDelete']")
        .message("spec.updateStrategy.type is RollingUpdate or OnDelete")
        .field_path(".type"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_strategy: Option<StatefulSetUpdateStrategy>,
    /// How many former templates are kept as ControllerRevisions, beside those in use. Default: 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1000))]
    pub revision_history_limit: Option<i32>,
    /// For how many seconds a pod must be ready before it counts as available. Default: 0. Less than
    /// `replacement.unhealthyAfter` and `progressDeadlineSeconds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 86400))]
    pub min_ready_seconds: Option<i32>,
    /// What becomes of claims: `whenScaled`, when their pod was removed or replaced; `whenDeleted`, when the resource
    /// is deleted. Default: Retain. What is kept is never mounted by another identity.
    #[x_kube(validation = Rule::new("[has(self.whenScaled) ? self.whenScaled : 'Retain', has(self.whenDeleted) ? self.whenDeleted : 'Retain'].all(p, p in ['Retain', 'Delete'])")
        .message("spec.persistentVolumeClaimRetentionPolicy: whenScaled and whenDeleted are Retain or Delete"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persistent_volume_claim_retention_policy: Option<StatefulSetPersistentVolumeClaimRetentionPolicy>,
    /// Refused: pods have no numbers.
    #[x_kube(validation = Rule::new("false").message("spec.ordinals: pods have no numbers here"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ordinals: Option<StatefulSetOrdinals>,
    /// When a pod is replaced by another identity, and how often that may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement: Option<Replacement>,
    /// How long pods of a changed template may take to become available, before the template is taken back to the last
    /// one with which all were. Default: 600.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 31536000))]
    pub progress_deadline_seconds: Option<i64>,
    /// Hands off: nothing is changed, the status still says what is seen. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
}

/// When a pod is replaced by another identity, and how often that may be.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Replacement {
    /// How long a pod may be unavailable on a node that is heard of ("10m"). Default: 10 minutes. More than
    /// `minReadySeconds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unhealthy_after: Option<Span>,
    /// How long nothing may be heard of a pod's node. Default: 5 minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unheard_after: Option<Span>,
    /// How many identities may take the place of others within a window. Default: 3. 0: none does without a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1000))]
    pub budget: Option<i32>,
    /// Where this is given, if only as an empty list, an owner decides who goes: whom it names is removed, and replaced
    /// where `replicas` asks for it. Nobody else is: not the unhealthy, not those that are too many, and who is gone
    /// keeps its place and its claims. Templates come with new identities alone. A name stays here for as long as a
    /// pod or a claim of it is there. Left out: what is seen decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 4000), inner(length(max = 63)))]
    pub released: Option<Vec<String>>,
    /// The window. Default: 1 hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Span>,
}

/// Whether pods wait for each other when they are made and removed.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[schemars(transform = crate::api::undescribed)]
pub enum PodManagement {
    /// None does.
    #[default]
    Parallel,
    /// The next is made once all before it are available.
    OrderedReady,
}

/// The scale subresource needs a number to be there, so this default is written into the object.
fn one() -> i32 {
    1
}
