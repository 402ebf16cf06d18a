//! The schema of a policy's settings: somebody else's text that the host works with.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;

use super::answer::Problem;
use super::limits;
use super::why::cut;

/// The keywords that refer to another schema. Schemas that refer to themselves are walked without end, and some that
/// do not in a time that doubles with each reference.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The name of the draft, as `$schema` has it.
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The keywords that hold regular expressions.
const PATTERNS: [&str; 2] = ["pattern", "patternProperties"];

/// Why a schema is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaRefusal {
    /// More text than a schema may have.
    #[error("it has {0} bytes; a schema has at most {max}", max = limits::SCHEMA)]
    TooLong(usize),
    /// Not JSON.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// Nested deeper than a schema may be.
    #[error("it nests deeper than {max}", max = limits::DEPTH)]
    TooDeep,
    /// A reference.
    #[error("it has {0:?}; write what it refers to in its place")]
    Reference(&'static str),
    /// Another draft.
    #[error("its `$schema` is not {DRAFT}")]
    Draft,
    /// More regular expressions than a schema may have.
    #[error("it has more than {max} regular expressions", max = limits::PATTERNS)]
    Patterns,
    /// No schema of the draft.
    #[error("it is no JSON Schema (2020-12): {0}")]
    Invalid(String),
}

/// A schema that settings are checked against.
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
    /// In values, as `size` counts them.
    size: u64,
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    /// Why it is not used.
    pub fn read(text: &str) -> Result<Self, SchemaRefusal> {
        if text.len() > limits::SCHEMA {
            return Err(SchemaRefusal::TooLong(text.len()));
        }
        let value: Value =
            serde_json::from_str(text).map_err(|error| SchemaRefusal::NotJson(error.to_string()))?;
        if is_deep(&value, limits::DEPTH) {
            return Err(SchemaRefusal::TooDeep);
        }
        if value.get("$schema").is_some_and(|draft| draft != DRAFT) {
            return Err(SchemaRefusal::Draft);
        }
        if patterns(&value)? > limits::PATTERNS {
            return Err(SchemaRefusal::Patterns);
        }
        let regexes = PatternOptions::regex().size_limit(limits::PATTERN).dfa_size_limit(limits::PATTERN);
        jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_pattern_options(regexes)
            .offline()
            .build(&value)
            .map(|validator| Self { validator, size: size(&value) })
            .map_err(|error| SchemaRefusal::Invalid(cut(&error.to_string())))
    }

    /// The first problem of the settings. It can name several settings that do not exist.
    ///
    /// The library builds all problems of a list before it gives the first of an iterator, so it is asked for one only.
    ///
    /// # Errors
    /// The product of both sizes, if it is above [`limits::CHECKED`].
    pub fn problems(&self, settings: &Value) -> Result<Vec<Problem>, u64> {
        let product = self.size.saturating_mul(size(settings));
        if product > limits::CHECKED {
            return Err(product);
        }
        if self.validator.is_valid(settings) {
            return Ok(Vec::new());
        }
        let mut found = match self.validator.validate(settings) {
            Ok(()) => Vec::new(),
            Err(error) => problems(&error, settings),
        };
        found.truncate(limits::PROBLEMS);
        Ok(found)
    }
}

/// A name that the schema does not know is a problem of its own, at its own path: the library tells the object's.
fn problems(error: &ValidationError<'_>, settings: &Value) -> Vec<Problem> {
    let path = error.instance_path().to_string();
    let unknown: Vec<String> = match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => unexpected.clone(),
        // What it says where the schema knows no name at all.
        ValidationErrorKind::FalseSchema
            if error.schema_path().as_str().ends_with("/additionalProperties") =>
        {
            let object = settings.pointer(&path).and_then(Value::as_object);
            object.into_iter().flat_map(|object| object.keys().cloned()).collect()
        }
        _ => Vec::new(),
    };
    if unknown.is_empty() {
        return vec![Problem { path, message: cut(&error.to_string()) }];
    }
    let pointer = |name: &String| format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
    let problem = |name| Problem { path: pointer(name), message: "there is no such setting".to_owned() };
    unknown.iter().map(problem).collect()
}

/// Its values, itself included. Long texts count more: a message can hold a copy of them.
fn size(value: &Value) -> u64 {
    let text = |text: &str| text.len() as u64 / 64;
    1 + match value {
        Value::String(own) => text(own),
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(map) => map.iter().map(|(name, inner)| text(name) + size(inner)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Whether it nests deeper than `most`.
pub(super) fn is_deep(value: &Value, most: usize) -> bool {
    match (value, most.checked_sub(1)) {
        (Value::Array(_) | Value::Object(_), None) => true,
        (Value::Array(list), Some(most)) => list.iter().any(|inner| is_deep(inner, most)),
        (Value::Object(map), Some(most)) => map.values().any(|inner| is_deep(inner, most)),
        _ => false,
    }
}

/// How many regular expressions it has. What looks like a keyword is taken for one, wherever it stands.
fn patterns(value: &Value) -> Result<usize, SchemaRefusal> {
    match value {
        Value::Array(list) => list.iter().map(patterns).sum(),
        Value::Object(map) => {
            if let Some(found) = REFERENCES.into_iter().find(|name| map.contains_key(*name)) {
                return Err(SchemaRefusal::Reference(found));
            }
            let own: usize = PATTERNS.iter().filter_map(|name| map.get(*name)).map(count).sum();
            Ok(own + map.values().map(patterns).sum::<Result<usize, _>>()?)
        }
        _ => Ok(0),
    }
}

fn count(value: &Value) -> usize {
    value.as_object().map_or(1, serde_json::Map::len)
}
