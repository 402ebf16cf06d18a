//! The record of a decision: the question whole, the answer, and by whom. It is a fixture for tests as it is.

pub mod compact;
mod heard;
mod json;
mod replay;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answer::Answer;
use super::component::Component;
use super::digest::Digest;
use super::engine::WASMTIME;
use super::question::Question;
pub(super) use heard::{Heard, hear};
use json::Json;
pub use replay::{NotByDefault, Replay, replay, replay_by_default};

/// One decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Json", into = "Json")]
pub struct Record {
    /// What it is about, in a fixture.
    pub name: Option<String>,
    /// The settings.
    pub settings: Map<String, Value>,
    /// The question.
    pub question: Question,
    /// What came of it.
    pub outcome: Outcome,
    /// Who was asked.
    pub policy: Option<By>,
    /// What the call used, whether it returned or not; only a component's is counted, and not where the machine ended it.
    pub fuel: Option<u64>,
    /// What the host did not believe of the answer.
    pub vetoes: Vec<String>,
    /// What ran it: fuel and answers are promised to be the same on the same one.
    pub host: Option<Build>,
    /// When.
    pub at: Option<String>,
    /// For which set.
    pub set: Option<Set>,
    /// Bytes of the question that were left out to keep the record small: it cannot be put again.
    pub cut: Option<u64>,
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An answer. It counts for nothing if the record has vetoes.
    Answered(Answer),
    /// None, and why.
    Failed(String),
}

/// A policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct By {
    /// Its name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its version, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Of its component; none if it is part of the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

/// What runs policies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The version of wasmtime.
    pub wasmtime: String,
    /// The architecture of the machine.
    pub arch: String,
}

/// A replicated stateful set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Set {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl Build {
    /// This one.
    #[must_use]
    pub fn this() -> Self {
        Self { wasmtime: WASMTIME.to_owned(), arch: std::env::consts::ARCH.to_owned() }
    }
}

impl By {
    /// This component.
    #[must_use]
    pub fn component(component: &Component) -> Self {
        let description = component.description();
        Self {
            name: description.map(|described| described.name.clone()),
            version: description.map(|described| described.version.clone()),
            digest: Some(*component.digest()),
        }
    }
}

impl Record {
    /// A record without time and set, which only the caller knows.
    #[must_use]
    pub fn new(settings: &Value, question: Question, outcome: Outcome, by: By) -> Self {
        Self {
            name: None,
            settings: settings.as_object().cloned().unwrap_or_default(),
            question,
            outcome,
            policy: Some(by),
            fuel: None,
            vetoes: Vec::new(),
            host: None,
            at: None,
            set: None,
            cut: None,
        }
    }

    /// The answer, if it counts.
    #[must_use]
    pub fn believed(&self) -> Option<&Answer> {
        match &self.outcome {
            Outcome::Answered(answer) => Some(answer).filter(|_| self.vetoes.is_empty()),
            Outcome::Failed(_) => None,
        }
    }
}
