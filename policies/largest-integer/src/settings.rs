//! The settings, read and described by hand: what serde and schemars make of this one switch would be a third of the
//! component, and a host compiles all of it before it asks anything.

use crate::LargestInteger;
use policy_sdk::{Settings, quoted};
use std::str::FromStr;

/// What JSON takes for blanks.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// The bytes that schemars makes of the type.
const SCHEMA: &str = concat!(
    r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","additionalProperties":false,"#,
    r#""description":"The policy with its settings.","properties":{"monotonic":{"default":false,"description":"#,
    r#""The number only ever grows with the data, so it is a history: marks and divergence\nhold across outages.","#,
    r#""type":"boolean"}},"title":"LargestInteger","type":"object"}"#,
);

impl Settings for LargestInteger {
    fn read(text: &str) -> Result<Self, String> {
        text.parse()
    }

    fn schema() -> String {
        SCHEMA.to_owned()
    }
}

/// `{}` or `{"monotonic": true}`, the former as good as `false`. Nothing else is, nor the name with escapes in it, which
/// nobody writes.
impl FromStr for LargestInteger {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fields = text.trim_matches(BLANKS).strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let fields = fields.ok_or_else(|| format!("not an object: {}", quoted(text)))?.trim_matches(BLANKS);
        if fields.is_empty() {
            return Ok(Self { monotonic: false });
        }
        let (name, value) = fields.split_once(':').unwrap_or((fields, ""));
        match (name.trim_matches(BLANKS), value.trim_matches(BLANKS)) {
            ("\"monotonic\"", "true") => Ok(Self { monotonic: true }),
            ("\"monotonic\"", "false") => Ok(Self { monotonic: false }),
            ("\"monotonic\"", other) => Err(format!(
                "/monotonic: true or false is right, and nothing beside it; not {}",
                quoted(other)
            )),
            (other, _) => Err(format!("there is no setting but monotonic; not {}", quoted(other))),
        }
    }
}
