//! A recorded question, put again.

use largest_integer::LargestInteger;
use serde_json::Value;

use super::{Build, Heard, Outcome, Record, hear};
use crate::policy::component::Component;
use crate::policy::failure::Failure;
use crate::policy::interface::Interface;
use crate::policy::loading::Judge;

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
    Settings(String),
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
            let settings = Value::Object(record.settings.clone()).to_string();
            settings.parse().map_err(NotByDefault::Settings)?
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
