//! Which policy decides, and how it is found.

use std::borrow::Cow;

use k8s_openapi::api::core::v1::LocalObjectReference;
use kube::KubeSchema;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A policy has one source: none would leave open who decides, two would contradict.
const ONE_SOURCE: &str =
    "[has(self.builtin), has(self.image), has(self.configMap)].filter(given, given).size() == 1";

/// The policy that reads positions, picks the seed and orders the primaries.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(ONE_SOURCE)
    .message("spec.policy needs exactly one source: builtin, image or configMap"))]
#[x_kube(validation = Rule::new("!has(self.verification) || has(self.image)")
    .message("spec.policy.verification is for an image: nothing else has signatures"))]
pub struct PolicySpec {
    /// A policy that is part of the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builtin: Option<Builtin>,
    /// A WebAssembly policy in a registry, by tag or digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// A WebAssembly policy in a ConfigMap of this namespace. It is read once: a new version goes under another name or key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_map: Option<ConfigMapKey>,
    /// When the image's tag is resolved anew. Default: IfNotPresent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_policy: Option<PullPolicy>,
    /// Secrets of this namespace with the credentials of the registry. Default: the imagePullSecrets of the service account of the pods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pull_secrets: Vec<LocalObjectReference>,
    /// Whose signature the image must have, beside what the administrator demands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// What the policy itself is told; its meaning is the policy's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<Settings>,
    /// A second policy that is asked the same questions; its answers are recorded and never followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidate: Option<Candidate>,
}

/// The policies that need no download.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = super::undescribed)]
pub enum Builtin {
    /// `sequence` prints one integer; the largest is the newest.
    #[default]
    LargestInteger,
}

/// When a policy's tag is resolved.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[schemars(transform = super::undescribed)]
pub enum PullPolicy {
    /// Once; the digest in the status is used from then on.
    #[default]
    IfNotPresent,
    /// At every change of the resource and every start of the operator.
    Always,
    /// Never; it must be the policy that the status has already.
    Never,
}

/// One key of a ConfigMap.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ConfigMapKey {
    /// The name of the ConfigMap, in the namespace of the resource.
    pub name: String,
    /// The key in its `binaryData`.
    pub key: String,
}

/// Whose signature is asked for.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// Keys of which one must have signed, by `cosign sign --key`.
    #[schemars(length(min = 1, max = 16))]
    pub public_keys: Vec<PublicKey>,
}

/// Where a public key is.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct PublicKey {
    /// A Secret's key that holds it in PEM, as `cosign generate-key-pair` writes it to cosign.pub. If it holds several, they
    /// all count; a demand has 16 keys at most.
    pub secret_key_ref: SecretKey,
}

/// One key of a Secret.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct SecretKey {
    /// The name of the Secret, in the namespace of the resource.
    pub name: String,
    /// The key in its `data`.
    pub key: String,
}

/// A policy that is only listened to.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(ONE_SOURCE)
    .message("spec.policy.candidate needs exactly one source: builtin, image or configMap"))]
pub struct Candidate {
    /// A policy that is part of the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builtin: Option<Builtin>,
    /// A WebAssembly policy in a registry, by tag or digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// A WebAssembly policy in a ConfigMap of this namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_map: Option<ConfigMapKey>,
    /// What the candidate itself is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<Settings>,
}

/// A JSON object whose fields are not the operator's to know.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(transparent)]
pub struct Settings(pub Map<String, Value>);

impl JsonSchema for Settings {
    fn schema_name() -> Cow<'static, str> {
        "Settings".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
    }
}
