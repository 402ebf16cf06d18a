//! The record of a decision: the question whole, the answer, and by whom. It is a fixture for tests as it is.

pub mod compact;
mod json;

use largest_integer::LargestInteger;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answer::Answer;
use super::belief;
use super::call::Ran;
use super::component::Component;
use super::digest::Digest;
use super::engine::WASMTIME;
use super::failure::Failure;
use super::interface::Interface;
use super::limits;
use super::loading::Judge;
use super::question::Question;
use json::Json;

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
    /// What the call used; only a component's is counted, and only that of a call that returned.
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

/// What a component makes of a recorded question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// What came of it.
    pub outcome: Outcome,
    /// What it used.
    pub fuel: Option<u64>,
    /// What the host does not believe of the answer.
    pub vetoes: Vec<String>,
    /// It is the component of the record.
    pub is_same_component: bool,
    /// The same came of it.
    pub is_same_outcome: bool,
    /// It used the same. None where that means nothing: for another component or build, or where nothing was counted.
    pub is_same_fuel: Option<bool>,
}

/// Asks a component what was asked then.
#[must_use]
pub fn replay(record: &Record, component: &Component) -> Replay {
    let settings = Value::Object(record.settings.clone()).to_string();
    let Heard { believed, outcome, fuel, vetoes } = hear(component, &settings, &record.question);
    let is_same_component =
        record.policy.as_ref().and_then(|by| by.digest.as_ref()) == Some(component.digest());
    let is_same_build = record.host.as_ref() == Some(&Build::this());
    // Records of before have in the place of an answer that was not believed why it was not.
    let is_of_before = match &believed {
        Err(Failure::Refused { nonsense, .. }) => {
            record.outcome == Outcome::Failed(Failure::from(nonsense.clone()).to_string())
        }
        _ => false,
    };
    let counts_alike = vetoes.is_empty() || !record.vetoes.is_empty();
    let is_same_outcome = is_of_before || outcome == record.outcome && counts_alike;
    let both = record.fuel.zip(fuel).filter(|_| is_same_component && is_same_build);
    let is_same_fuel = both.map(|(then, here)| then == here);
    Replay { outcome, fuel, vetoes, is_same_component, is_same_outcome, is_same_fuel }
}

/// Why the operator's own policy was not asked again.
#[derive(Debug, thiserror::Error)]
pub enum NotByDefault {
    /// It was asked with settings of something else.
    #[error("its settings are none of the operator's own policy: {0}")]
    Settings(#[source] serde_json::Error),
    /// It has no such interface.
    #[error("the operator's own policy is not asked about {0}")]
    Interface(Interface),
}

/// Asks the policy that is part of the operator what was asked then: with the settings of the record if it was that
/// policy's, else with those that it has beside a component that does not export the interface, which are none.
///
/// # Errors
/// Why it cannot be asked.
pub fn replay_by_default(record: &Record) -> Result<Replay, NotByDefault> {
    let is_same_component = record.policy.as_ref().is_some_and(|by| by.digest.is_none());
    let settings = match is_same_component {
        true => {
            serde_json::from_value(Value::Object(record.settings.clone())).map_err(NotByDefault::Settings)?
        }
        false => LargestInteger::default(),
    };
    let again = Judge::builtin(settings).decider.put(&record.question);
    let outcome = again.ok_or_else(|| NotByDefault::Interface(record.question.interface()))?.outcome;
    let is_same_outcome = outcome == record.outcome;
    Ok(Replay {
        outcome,
        fuel: None,
        vetoes: Vec::new(),
        is_same_component,
        is_same_outcome,
        is_same_fuel: None,
    })
}

/// What came of asking a component.
pub(super) struct Heard {
    /// What of it counts.
    pub(super) believed: Result<Answer, Failure>,
    /// What is recorded of it.
    pub(super) outcome: Outcome,
    /// What the call used, if it returned.
    pub(super) fuel: Option<u64>,
    /// Why the answer counts for nothing, if it does.
    pub(super) vetoes: Vec<String>,
}

/// Asks twice. An answer that is not believed is recorded too, unless it is too large to be kept.
pub(super) fn hear(component: &Component, settings: &str, question: &Question) -> Heard {
    let ran = match component.ask_twice(settings, question) {
        Ok(ran) => ran.map(belief::bounded),
        Err(failure) => {
            let vetoes = match &failure {
                Failure::Nonsense(nonsense) => vec![nonsense.to_string()],
                _ => Vec::new(),
            };
            return Heard {
                outcome: Outcome::Failed(failure.to_string()),
                believed: Err(failure),
                fuel: None,
                vetoes,
            };
        }
    };
    let Ran { value: answer, fuel } = ran;
    let Err(nonsense) = belief::check(question, &answer) else {
        let outcome = Outcome::Answered(answer.clone());
        return Heard { believed: Ok(answer), outcome, fuel: Some(fuel), vetoes: Vec::new() };
    };
    let (proposal, vetoes) = (answer.proposal(question), vec![nonsense.to_string()]);
    let is_kept = serde_json::to_string(&answer).is_ok_and(|text| text.len() <= limits::REFUSED);
    let outcome = match is_kept {
        true => Outcome::Answered(answer),
        false => Outcome::Failed(Failure::from(nonsense.clone()).to_string()),
    };
    let believed = Err(Failure::Refused { proposal, nonsense });
    Heard { believed, outcome, fuel: Some(fuel), vetoes }
}
