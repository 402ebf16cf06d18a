//! What the candidate would have decided, as the status tells it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::known::{known_policy, the_same_policy};
use super::{Builtin, ConfigMapKey, Decision, PolicyStatus, Settings};
use crate::policy::Digest;

known_policy! {
    /// The candidate that is asked beside the policy, or was asked last if CandidateReady is False, and what it answered.
    #[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
    #[serde(rename_all = "camelCase")]
    pub struct CandidateStatus {
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
}

impl CandidateStatus {
    /// Of a policy that nothing was counted of.
    #[must_use]
    pub fn of(policy: &PolicyStatus) -> Self {
        the_same_policy!(policy => CandidateStatus)
    }

    /// The policy that it is, without what was counted.
    #[must_use]
    pub fn policy(&self) -> PolicyStatus {
        the_same_policy!(self => PolicyStatus)
    }
}
