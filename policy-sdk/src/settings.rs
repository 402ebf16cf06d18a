//! What an administrator gives a policy, as the policy gets it.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

/// The settings of a policy: any type that serde reads and schemars describes, or [`NoSettings`].
pub trait Settings: Sized {
    /// Reads `spec.policy.settings`, which is JSON.
    ///
    /// # Errors
    /// What is wrong with the text, and where.
    fn read(text: &str) -> Result<Self, String>;

    /// A JSON Schema that says what is good, with each type where it is used: the host takes none with references.
    fn schema() -> String;
}

impl<T: DeserializeOwned + JsonSchema> Settings for T {
    fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    fn schema() -> String {
        let mut settings = schemars::generate::SchemaSettings::draft2020_12();
        settings.inline_subschemas = true;
        settings.into_generator().into_root_schema_for::<T>().as_value().to_string()
    }
}

/// The settings of a policy that has none: `{}`, and nothing else.
///
/// What reads and describes settings is a third of a small policy or more, so this type does without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoSettings {}

impl Settings for NoSettings {
    fn read(text: &str) -> Result<Self, String> {
        let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
        let inner = text.trim_matches(is_space).strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        match inner {
            Some(inner) if inner.trim_matches(is_space).is_empty() => Ok(Self {}),
            _ => Err("there are none, so only {} is right".to_owned()),
        }
    }

    fn schema() -> String {
        r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"NoSettings","type":"object","additionalProperties":false}"#.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Ordered {
        _order: Order,
        _limits: Vec<Limits>,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    enum Order {
        Up,
        Down,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Limits {
        _most: u32,
    }

    #[test]
    fn a_schema_has_each_type_where_it_is_used() {
        let schema = Ordered::schema();
        assert!(schema.contains("_most") && schema.contains("Down"), "{schema}");
        assert!(!schema.contains("$ref") && !schema.contains("$defs"), "{schema}");
    }

    #[test]
    fn where_there_are_no_settings_only_an_empty_object_is_right() {
        for good in ["{}", " {\n\t} \r\n"] {
            assert_eq!(NoSettings::read(good), Ok(NoSettings {}), "{good:?}");
        }
        for bad in ["", "{", "}", "null", "[]", "{}{}", "{{}}", "{\"a\": 1}", "\u{a0}{}", "{\u{a0}}"] {
            assert!(NoSettings::read(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn where_there_are_no_settings_the_schema_is_that_of_a_type_without_fields() {
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, rename = "NoSettings")]
        struct Derived {}

        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
        assert_eq!(read(&NoSettings::schema()), read(&Derived::schema()));
    }
}
