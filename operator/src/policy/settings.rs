//! Settings, and whether they are good for a policy.

use serde_json::{Map, Value};

use super::answer::{Answer, Checked, Problem};
use super::call::contained;
use super::component::Component;
use super::failure::Failure;
use super::isolated::Limit;
use super::limits;
use super::question::Question;
use super::record::hear;
use super::schema::{Schema, is_deep};

/// Settings that are within their bounds; what they mean is the policy's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    value: Value,
    text: String,
}

/// Why settings are not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// More than settings may be.
    #[error("the settings have {0} bytes; at most {max} are right", max = limits::SETTINGS)]
    TooLong(usize),
    /// Nested deeper than settings may be.
    #[error("the settings nest deeper than {max}", max = limits::DEPTH)]
    TooDeep,
    /// A check that could take too much memory.
    #[error(
        "the size of the schema times that of the settings is {0}; at most {max} are checked",
        max = limits::CHECKED
    )]
    TooMuch(u64),
    /// The policy has none.
    #[error("the policy takes no settings: it does not export clusterlabs:policy/metadata")]
    NoneTaken,
    /// Something is wrong with them. Never empty.
    #[error("{}", .0.iter().map(|p| format!("{}: {}", p.path, p.message)).collect::<Vec<_>>().join("; "))]
    Problems(Vec<Problem>),
    /// The policy did not say.
    #[error("the settings were not checked: {0}")]
    Failed(#[from] Failure),
    /// The process that checked them first found this, in its words.
    #[error("{0}")]
    Isolated(String),
    /// The process that checked them first exceeded a limit.
    #[error("the process that checks the settings {0}")]
    Limit(Limit),
}

impl Unfit {
    /// The call that failed, if that is why.
    pub(super) fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) => Some(failure),
            _ => None,
        }
    }
}

impl Settings {
    /// Settings within their bounds.
    ///
    /// # Errors
    /// If they are not.
    pub fn new(map: Map<String, Value>) -> Result<Self, Unfit> {
        let value = Value::Object(map);
        if is_deep(&value, limits::DEPTH) {
            return Err(Unfit::TooDeep);
        }
        let text = value.to_string();
        if text.len() > limits::SETTINGS {
            return Err(Unfit::TooLong(text.len()));
        }
        Ok(Self { value, text })
    }

    /// As a policy is given them: the same settings are the same text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// As the fields of an object.
    #[must_use]
    pub fn map(&self) -> Map<String, Value> {
        self.value.as_object().cloned().unwrap_or_default()
    }

    /// As a value; always an object.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self { value: Value::Object(Map::new()), text: "{}".to_owned() }
    }
}

impl Schema {
    /// Whether it finds nothing wrong with these settings.
    pub(super) fn check(&self, settings: &Value) -> Result<(), Unfit> {
        let problems = contained(|| self.problems(settings))?.map_err(Unfit::TooMuch)?;
        if problems.is_empty() { Ok(()) } else { Err(Unfit::Problems(problems)) }
    }
}

impl Component {
    /// Whether these settings are good: by the schema first, and then by the policy itself.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn accepts(&self, settings: &Settings) -> Result<(), Unfit> {
        let Some(description) = self.description() else {
            let none = settings.value.as_object().is_some_and(Map::is_empty);
            return if none { Ok(()) } else { Err(Unfit::NoneTaken) };
        };
        description.schema.check(&settings.value)?;
        match hear(self, settings.text(), &Question::Check).believed? {
            Answer::Check(Checked { problems }) if !problems.is_empty() => Err(Unfit::Problems(problems)),
            _ => Ok(()),
        }
    }
}
