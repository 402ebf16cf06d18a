//! A record as JSON: what its input and answer are follows from its interface.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Build, By, Outcome, Record, Set, compact};
use crate::policy::answer::Answer;
use crate::policy::interface::Interface;
use crate::policy::question::Question;

/// The JSON. Further members are allowed.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Json {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    interface: String,
    #[serde(default)]
    settings: Map<String, Value>,
    input: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<By>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fuel: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    vetoes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<Build>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    set: Option<Set>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cut: Option<u64>,
}

/// Why JSON is no record.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotARecord {
    #[error("the interface {0:?} is not one of {known}", known = Interface::ALL.map(Interface::versioned).join(", "))]
    Interface(String),
    #[error("its input: {0}")]
    Input(serde_json::Error),
    #[error("its answer: {0}")]
    Answer(serde_json::Error),
    #[error("it has an answer and a failure, or neither")]
    Outcome,
}

impl TryFrom<Json> for Record {
    type Error = NotARecord;

    fn try_from(mut json: Json) -> Result<Self, NotARecord> {
        json.input = whole(json.input);
        let named = |one: &Interface| one.versioned() == json.interface;
        let interface = Interface::ALL
            .into_iter()
            .find(named)
            .ok_or_else(|| NotARecord::Interface(json.interface.clone()))?;
        let outcome = match (json.answer, json.failure) {
            (Some(answer), None) => {
                Outcome::Answered(answer_of(interface, answer).map_err(NotARecord::Answer)?)
            }
            (None, Some(failure)) => Outcome::Failed(failure),
            _ => return Err(NotARecord::Outcome),
        };
        Ok(Self {
            name: json.name,
            settings: json.settings,
            question: question_of(interface, json.input).map_err(NotARecord::Input)?,
            outcome,
            policy: json.policy,
            fuel: json.fuel,
            vetoes: json.vetoes,
            host: json.host,
            at: json.at,
            set: json.set,
            cut: json.cut,
        })
    }
}

/// The input with each position that the status keeps but once.
fn whole(input: Value) -> Value {
    let mut record = json!({ "input": input });
    compact::expand(&mut record);
    record["input"].take()
}

/// Not as an untagged value: the error would name no member.
fn answer_of(interface: Interface, value: Value) -> serde_json::Result<Answer> {
    Ok(match interface {
        Interface::Sequence => Answer::Sequence(read(value)?),
        Interface::Seed => Answer::Seed(read(value)?),
        Interface::Primaries => Answer::Primaries(read(value)?),
        Interface::Replicas => Answer::Replicas(read(value)?),
        Interface::Metadata => Answer::Check(read(value)?),
    })
}

fn question_of(interface: Interface, value: Value) -> serde_json::Result<Question> {
    Ok(match interface {
        Interface::Sequence => Question::Sequence(read(value)?),
        Interface::Seed => Question::Seed(read(value)?),
        Interface::Primaries => Question::Primaries(read(value)?),
        Interface::Replicas => Question::Replicas(read(value)?),
        Interface::Metadata => read::<Map<String, Value>>(value).map(|_| Question::Check)?,
    })
}

fn read<T: DeserializeOwned>(value: Value) -> serde_json::Result<T> {
    serde_json::from_value(value)
}

impl From<Record> for Json {
    fn from(record: Record) -> Self {
        let (answer, failure) = match record.outcome {
            Outcome::Answered(answer) => (Some(json!(answer)), None),
            Outcome::Failed(why) => (None, Some(why)),
        };
        Self {
            name: record.name,
            interface: record.question.interface().versioned(),
            settings: record.settings,
            input: match record.question {
                Question::Sequence(input) => json!(input),
                Question::Seed(input) => json!(input),
                Question::Primaries(input) => json!(input),
                Question::Replicas(input) => json!(input),
                Question::Check => json!({}),
            },
            answer,
            failure,
            policy: record.policy,
            fuel: record.fuel,
            vetoes: record.vetoes,
            host: record.host,
            at: record.at,
            set: record.set,
            cut: record.cut,
        }
    }
}
