//! A length of time as people write it.

use std::borrow::Cow;
use std::time::Duration;

use kube::core::{Message, Rule};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// No command and no interval may be longer: a year. It keeps every later sum far from overflow.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// Units in the order in which they must appear, with their length in seconds.
const UNITS: [(&str, f64); 5] = [("d", 86_400.0), ("h", 3_600.0), ("m", 60.0), ("s", 1.0), ("ms", 0.001)];

/// The same language for the API server. A zero is the text without a digit other than 0.
const RULE: &str = "string(self).matches('[1-9]') && string(self).matches('^([0-9]+|\
    [Pp]?([0-9]+([.][0-9]+)?[dD])?[Tt]?([0-9]+([.][0-9]+)?[hH])?([0-9]+([.][0-9]+)?[mM])?([0-9]+([.][0-9]+)?[sS])?([0-9]+([.][0-9]+)?[mM][sS])?)$')";

/// A length of time: "20s", "2m", "1h30m", "1DT2h", or a bare number of seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Span {
    /// A bare number, in seconds.
    Seconds(i64),
    /// A number for each unit d, h, m, s, ms, the longest first; `P` and `T` of ISO 8601 may stand in it.
    Text(String),
}

/// Why a text is no length of time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpanError {
    /// The text does not follow the grammar.
    #[error("{0:?} is not a length of time")]
    Garbage(String),
    /// Zero or negative: nothing could ever be finished in it.
    #[error("{0:?} is not more than zero")]
    NotPositive(String),
    /// Longer than a year.
    #[error("{0:?} is longer than a year")]
    TooLong(String),
}

impl SpanError {
    /// What would be right.
    #[must_use]
    pub fn cure(&self) -> &'static str {
        "write a length of time above zero, as \"20s\", \"2m\", \"1h30m\", \"1DT2h\", or a number of seconds"
    }
}

impl Span {
    /// The length of time that is meant.
    pub fn duration(&self) -> Result<Duration, SpanError> {
        match self {
            Self::Seconds(seconds) => limited(*seconds as f64, &seconds.to_string()),
            Self::Text(text) => limited(seconds(text)?, text),
        }
    }
}

fn limited(seconds: f64, text: &str) -> Result<Duration, SpanError> {
    if seconds <= 0.0 {
        return Err(SpanError::NotPositive(text.into()));
    }
    if seconds > LONGEST.as_secs_f64() {
        return Err(SpanError::TooLong(text.into()));
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| SpanError::Garbage(text.into()))
}

fn seconds(text: &str) -> Result<f64, SpanError> {
    let garbage = || SpanError::Garbage(text.into());
    let lower = text.trim().to_ascii_lowercase();
    if let Ok(bare) = lower.parse::<i64>() {
        return Ok(bare as f64);
    }
    let mut rest = lower.strip_prefix('p').unwrap_or(&lower);
    let (mut total, mut next_unit) = (0.0, 0);
    while !rest.is_empty() {
        rest = rest.strip_prefix('t').unwrap_or(rest);
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(garbage)?;
        let number: f64 = rest[..digits].parse().map_err(|_| garbage())?;
        let letters = &rest[digits..];
        let end = letters.find(|c: char| !matches!(c, 'd' | 'h' | 'm' | 's')).unwrap_or(letters.len());
        let at = UNITS.iter().position(|(name, _)| *name == &letters[..end]).ok_or_else(garbage)?;
        if at < next_unit {
            return Err(garbage());
        }
        total += number * UNITS[at].1;
        next_unit = at + 1;
        rest = &letters[end..];
    }
    if next_unit == 0 { Err(garbage()) } else { Ok(total) }
}

/// What the API server answers, in its own language: of a field that may be a number or a text it shows no value by itself.
fn refusal() -> String {
    let cure = SpanError::Garbage(String::new()).cure();
    format!(r#"'"' + string(self) + '" is of no use: {cure}'"#)
}

impl JsonSchema for Span {
    fn schema_name() -> Cow<'static, str> {
        "Span".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "x-kubernetes-int-or-string": true, "maxLength": 64 });
        let mut rule = Rule::new(RULE);
        rule.message = Some(Message::Expression(refusal()));
        kube::core::validate(&mut schema, rule).expect("a rule is plain JSON");
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(s: &str) -> Result<Duration, SpanError> {
        Span::Text(s.into()).duration()
    }

    #[test]
    fn reads_every_form_that_the_documentation_names() {
        for (written, seconds) in [
            ("20s", 20.0),
            ("2m", 120.0),
            ("1h30m", 5400.0),
            ("1DT2h", 93_600.0),
            ("P1DT2H3M4S", 93_784.0),
            ("PT5M", 300.0),
            ("90", 90.0),
            ("1.5h", 5400.0),
            ("250ms", 0.25),
            ("1m0.5s", 60.5),
        ] {
            assert_eq!(text(written), Ok(Duration::from_secs_f64(seconds)), "{written}");
        }
        assert_eq!(Span::Seconds(30).duration(), Ok(Duration::from_secs(30)));
    }

    #[test]
    fn refuses_what_is_no_length_of_time() {
        for written in ["", " ", "soon", "10 s", "s", "1h1d", "1m1m", "1..5s", "P", "T", "1x", "-3s"] {
            assert!(matches!(text(written), Err(SpanError::Garbage(_))), "{written:?}: {:?}", text(written));
        }
    }

    #[test]
    fn refuses_zero_negative_and_endless() {
        for written in ["0", "0s", "0h0m", "-5"] {
            assert!(matches!(text(written), Err(SpanError::NotPositive(_))), "{written}");
        }
        assert!(matches!(Span::Seconds(-1).duration(), Err(SpanError::NotPositive(_))));
        assert!(matches!(text("366d"), Err(SpanError::TooLong(_))));
        assert!(matches!(Span::Seconds(i64::MAX).duration(), Err(SpanError::TooLong(_))));
    }
}
