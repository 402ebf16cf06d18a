//! The record of a decision, as JSON: what was asked, and what was answered. A record is a fixture as it is.
//!
//! ```json
//! {
//!   "interface": "sequence@0.1.0",
//!   "settings": {},
//!   "input": { "output": { "replica": "db-0", "exitCode": 0, "stdout": "42\n", "stderr": "" } },
//!   "answer": { "reading": { "at": { "position": { "ordinal": 42 } } }, "why": "" }
//! }
//! ```
//!
//! | `interface` | `input` | `answer` |
//! |---|---|---|
//! | `sequence@0.1.0` | `{"output": OUTPUT}` | `{"reading": {"at": {"position": POSITION, "facts": {}}}` or `"empty"` or `"unreadable"`, `"why"}` |
//! | `seed@0.1.0` | `{"candidates": [CANDIDATE]}` | `{"proposal": {"replica": NAME}` or `"refuse"`, `"why"}` |
//! | `primaries@0.1.0` | `{"members": [CANDIDATE]}` | `{"ordering": [NAME], "why"}` |
//! | `replicas@0.1.0` | `{"member": CANDIDATE, "primaries": [NAME]}` | `{"treatment": {"runSecondary": NAME or null}` or `"leaveStopped"` or `"hold"`, `"why"}` |
//! | `metadata@0.1.0` (its `check`) | `{}` | `{"problems": [{"path", "message"}]}` |
//!
//! - OUTPUT: `replica`, `exitCode`, `stdout`, `stderr`, `truncated`, `extra`; what is absent is empty, 0 or false.
//! - CANDIDATE: `name`, `ordinal`, `createdAt`, `position`, `facts`, `extra`; only the name is required.
//! - POSITION: `{"ordinal": 42}` or `{"history": {"SOURCE": [{"first": 0, "last": 42}]}}`. Numbers go up to 2^64-1 and
//!   are exact: a reader that keeps them as floating point loses data.
//! - `settings` were given as the compact text of this object, names ascending; absent is `{}`.
//! - `failure` stands in the place of `answer` where none came back. An answer beside `vetoes` counted for nothing; of
//!   older records, and of very large answers, there is a failure in its place.
//! - `policy`, `fuel`, `vetoes`, `set` and `at` tell of the call and are no part of what is compared in a test. A reader
//!   ignores other names beside them; within `input` and `answer` an unknown name is an error.
//!
//! An interface never changes without a new version, so neither does the form of its records.

use crate::{Candidate, Problem, primaries, replicas, seed, sequence};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Of a fixture: what it shows, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What was asked and answered.
    #[serde(flatten)]
    pub decision: Decision,
    /// The settings that were given.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Why there is no answer, in the host's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Who was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Asked>,
    /// How much fuel the call took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// Why the host did not follow the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vetoes: Vec<String>,
    /// When: RFC 3339, such as `2026-01-31T10:00:00Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// For which set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<Set>,
}

/// The set that was decided about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Set {
    /// Where it lives.
    pub namespace: String,
    /// What it is called.
    pub name: String,
}

/// The policy that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    /// Its name, as its metadata has it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its version, likewise.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// Of the component: `sha256:` and 64 hexadecimal digits. None for one that is compiled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// A question with its answer, where there is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "interface")]
pub enum Decision {
    /// What does this output say?
    #[serde(rename = "sequence@0.1.0")]
    Sequence {
        /// The arguments.
        input: SequenceInput,
        /// The answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<sequence::Answer>,
    },
    /// Which of these starts?
    #[serde(rename = "seed@0.1.0")]
    Seed {
        /// The arguments.
        input: SeedInput,
        /// The answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<seed::Answer>,
    },
    /// In which order do these become primary?
    #[serde(rename = "primaries@0.1.0")]
    Primaries {
        /// The arguments.
        input: PrimariesInput,
        /// The answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<primaries::Answer>,
    },
    /// What of this member?
    #[serde(rename = "replicas@0.1.0")]
    Replicas {
        /// The arguments.
        input: ReplicasInput,
        /// The answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<replicas::Answer>,
    },
    /// What is wrong with the settings?
    #[serde(rename = "metadata@0.1.0")]
    Check {
        /// There are none beside the settings.
        input: CheckInput,
        /// The answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<Checked>,
    },
}

/// Arguments of `sequence`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SequenceInput {
    /// What was printed.
    pub output: sequence::Output,
}

/// Arguments of `seed`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedInput {
    /// Who may start.
    pub candidates: Vec<Candidate>,
}

/// Arguments of `primaries`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrimariesInput {
    /// Who is to be ordered.
    pub members: Vec<Candidate>,
}

/// Arguments of `replicas`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplicasInput {
    /// Who is treated.
    pub member: Candidate,
    /// Who is primary.
    pub primaries: Vec<String>,
}

/// Arguments of `check` of `metadata`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckInput {}

/// The answer of `check` of `metadata`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    /// What is wrong; empty if the settings are good.
    pub problems: Vec<Problem>,
}

impl Record {
    /// The settings as the policy is given them.
    #[must_use]
    pub fn settings_text(&self) -> String {
        Value::Object(self.settings.clone()).to_string()
    }
}

impl Decision {
    /// The interface that was asked, as `sequence`.
    #[must_use]
    pub fn interface(&self) -> &'static str {
        match self {
            Self::Sequence { .. } => "sequence",
            Self::Seed { .. } => "seed",
            Self::Primaries { .. } => "primaries",
            Self::Replicas { .. } => "replicas",
            Self::Check { .. } => "metadata",
        }
    }
}
