//! Which policy decides, as the status tells it: enough to ask the same one after the operator was started anew.

use planner::names::Reader;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::known::known_policy;
use super::{Builtin, CandidateStatus, ConfigMapKey, Settings};
use crate::policy::Digest;

/// Digits of a reader's name. It stands in each record, and is met by accident among those of one set only.
const READER: usize = 16;

known_policy! {
    /// The policy that decides: another than `spec.policy` names, if PolicyStale is True.
    #[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
    #[serde(rename_all = "camelCase")]
    pub struct PolicyStatus {
        /// The interfaces that it answers, as "seed@0.1.0"; largest-integer decides what the others are about.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub exports: Vec<String>,
        /// How it was tried before it decided anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub conformed: Option<PolicyTrial>,
        /// The keys whose signatures were found on the image, one for each demand; none where nobody demands any.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub verified_by: Vec<VerifiedBy>,
        /// Whether its bytes are kept in the cluster, for the day on which its source is not there.
        #[serde(default)]
        pub kept: bool,
        /// The candidate that is asked beside it, or was asked last if CandidateReady is False.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub candidate: Option<Box<CandidateStatus>>,
    }
}

/// A key that has signed the policy.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct VerifiedBy {
    /// Its fingerprint: the SHA-256 of its SubjectPublicKeyInfo in DER.
    pub key: Digest,
    /// Where it was when the signature was verified.
    pub from: String,
    /// Who demanded it.
    pub demanded_by: Demander,
}

/// Who demands that a policy is signed.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
#[schemars(transform = super::undescribed)]
pub enum Demander {
    /// The administrator, of every policy that this operator takes.
    Administrator,
    /// The resource, of its own.
    Resource,
}

/// A trial that a policy has passed.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct PolicyTrial {
    /// Questions that it was asked.
    pub questions: i64,
    /// The most fuel that an answer took.
    pub fuel: i64,
    /// The fuel that an answer may take.
    pub fuel_limit: i64,
}

impl PolicyStatus {
    /// One that is part of the operator.
    #[must_use]
    pub fn of_builtin(builtin: Builtin, settings: Option<Settings>) -> Self {
        Self { builtin: Some(builtin), settings, kept: true, ..Self::default() }
    }

    /// Whether the same question has the same answer by both: what they are is the same, and how they are set.
    #[must_use]
    pub fn answers_as(&self, other: &Self) -> bool {
        self.what_answers() == other.what_answers()
    }

    /// Its name as the one who reads positions. Two that may answer otherwise have two.
    #[must_use]
    pub fn reader(&self) -> Reader {
        let (builtin, digest, settings) = self.what_answers();
        let text = json!({"builtin": builtin, "digest": digest, "settings": settings}).to_string();
        let mut name = Digest::of(text.as_bytes()).hex();
        name.truncate(READER);
        Reader(name)
    }

    /// What its answers depend on, beside the question.
    fn what_answers(&self) -> (Option<Builtin>, Option<Digest>, Settings) {
        let settings = self.settings.clone().filter(|settings| !settings.0.is_empty()).unwrap_or_default();
        (self.builtin, self.digest, settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(value: serde_json::Value) -> PolicyStatus {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_policy_is_the_same_by_what_it_is_and_how_it_is_set_and_not_by_where_it_came_from() {
        let digest = Digest::of(b"one");
        let first = json!({"image": "a/p:1", "digest": digest, "settings": {}, "kept": true});
        for (sentence, other, expected) in [
            ("from elsewhere", json!({"image": "b/p:2", "digest": digest}), true),
            ("other bytes", json!({"image": "a/p:1", "digest": Digest::of(b"two")}), false),
            ("other settings", json!({"digest": digest, "settings": {"a": 1}}), false),
            ("the operator's own", json!({"builtin": "largest-integer"}), false),
        ] {
            let (first, other) = (status(first.clone()), status(other));
            assert_eq!(first.answers_as(&other), expected, "{sentence}");
            assert_eq!(first.reader() == other.reader(), expected, "{sentence}");
            assert_eq!(other.reader().0.len(), READER);
        }
    }
}
