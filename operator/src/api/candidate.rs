//! What the candidate would have decided, as the status tells it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Builtin, ConfigMapKey, Decision, PolicyStatus, Settings};
use crate::policy::Digest;

/// The candidate that is asked beside the policy, or was asked last if CandidateReady is False, and what it answered.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct CandidateStatus {
    /// It is part of the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builtin: Option<Builtin>,
    /// The image that it came from, by tag or digest, as a whole name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// The digest of that image: what the tag stood for when it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_digest: Option<Digest>,
    /// The ConfigMap that it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_map: Option<ConfigMapKey>,
    /// The digest of the component itself, whichever way it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// The size of the component in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<i64>,
    /// What it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its own version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The settings that it accepted and is asked with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<Settings>,
    /// Since when is counted: another component or other settings, of the candidate or of the policy, begin anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
    /// Questions that it would have decided as the policy did, whatever its reasons.
    #[serde(default)]
    pub agreed: i64,
    /// Questions that it would have decided otherwise.
    #[serde(default)]
    pub disagreed: i64,
    /// Questions that it gave no valid answer to.
    #[serde(default)]
    pub failed: i64,
    /// Questions that it was not asked, because too many waited.
    #[serde(default)]
    pub skipped: i64,
    /// The last questions that it decided otherwise or not at all: a bounded number, the newest last, each with both answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<Decision>,
}

impl CandidateStatus {
    /// Of a policy that nothing was counted of.
    #[must_use]
    pub fn of(policy: &PolicyStatus) -> Self {
        let policy = policy.clone();
        Self {
            builtin: policy.builtin,
            image: policy.image,
            image_digest: policy.image_digest,
            config_map: policy.config_map,
            digest: policy.digest,
            size: policy.size,
            name: policy.name,
            version: policy.version,
            settings: policy.settings,
            ..Self::default()
        }
    }

    /// The policy that it is, without what was counted.
    #[must_use]
    pub fn policy(&self) -> PolicyStatus {
        PolicyStatus {
            builtin: self.builtin,
            image: self.image.clone(),
            image_digest: self.image_digest,
            config_map: self.config_map.clone(),
            digest: self.digest,
            size: self.size,
            name: self.name.clone(),
            version: self.version.clone(),
            settings: self.settings.clone(),
            ..PolicyStatus::default()
        }
    }
}
