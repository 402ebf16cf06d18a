//! What a policy says of itself.

use super::call::contained;
use super::failure::Failure;
use super::limits;
use super::schema::{Schema, SchemaRefusal};

/// What a policy says of itself.
#[derive(Debug)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// For which application, reading what.
    pub summary: String,
    /// The schema of its settings, as text.
    pub settings_schema: String,
    /// The same, to be used.
    pub(super) schema: Schema,
}

/// Why a description is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undescribed {
    /// It does not say.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// A name that is none.
    #[error("its name is not 1 to {max} of a-z, 0-9 and `-`", max = limits::NAME)]
    Name,
    /// A version that is none.
    #[error("its version is not a semantic one, such as 1.2.0, of at most {max} bytes", max = limits::VERSION)]
    Version,
    /// Too much of a summary.
    #[error("its summary has more than {max} bytes", max = limits::SUMMARY)]
    Summary,
    /// A schema that is not used.
    #[error("its settings' schema: {0}")]
    Schema(#[from] SchemaRefusal),
}

impl Description {
    pub(super) fn new(
        name: String,
        version: String,
        summary: String,
        schema: String,
    ) -> Result<Self, Undescribed> {
        if !is_name(&name) {
            return Err(Undescribed::Name);
        }
        if !is_version(&version) {
            return Err(Undescribed::Version);
        }
        if summary.len() > limits::SUMMARY {
            return Err(Undescribed::Summary);
        }
        let read = contained(|| Schema::read(&schema))??;
        Ok(Self { name, version, summary, settings_schema: schema, schema: read })
    }
}

fn is_name(name: &str) -> bool {
    let one = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=limits::NAME).contains(&name.len()) && name.bytes().all(one)
}

fn is_version(version: &str) -> bool {
    let numbers = version.split(['-', '+']).next().unwrap_or_default();
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let rest = |byte: u8| byte.is_ascii_alphanumeric() || b".-+".contains(&byte);
    version.len() <= limits::VERSION
        && version.bytes().all(rest)
        && numbers.split('.').count() == 3
        && numbers.split('.').all(digits)
}
