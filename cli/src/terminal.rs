//! What others wrote, on a terminal: names, titles, reasons of policies and of applications neither steer it nor make
//! lines of their own.

use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A text of somebody else's as a part of a line.
pub(crate) fn in_line(text: &str) -> String {
    escaped(text, |c| c == '\n' || steers(c))
}

/// A whole answer, whose lines are this tool's own.
pub(crate) fn lines(text: &str) -> String {
    escaped(text, steers)
}

/// A resource of which every text can be a part of a line.
///
/// # Errors
/// If it cannot be told as JSON.
pub(crate) fn tamed<T: Serialize + DeserializeOwned>(resource: &T) -> Result<T> {
    Ok(serde_json::from_value(in_each_text(serde_json::to_value(resource)?))?)
}

fn in_each_text(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(in_line(&text)),
        Value::Array(all) => all.into_iter().map(in_each_text).collect(),
        Value::Object(all) => {
            let all = all.into_iter().map(|(name, value)| (in_line(&name), in_each_text(value)));
            Value::Object(all.collect::<Map<_, _>>())
        }
        other => other,
    }
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let shown = |c: char| match is_escaped(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}

/// Control characters, and what ends a line, turns its direction or is invisible without being one.
fn steers(c: char) -> bool {
    let is_line = matches!(c, '\u{2028}' | '\u{2029}');
    let turns =
        matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_invisible =
        matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    (c.is_control() && c != '\n') || is_line || turns || is_invisible
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_others_wrote_cannot_steer_a_terminal() {
        for (text, expected) in [
            ("a\x1b[2J\u{9b}31m\r\n\u{e9}", "a\\u{1b}[2J\\u{9b}31m\\r\n\u{e9}"),
            ("a\u{202e}b\u{2028}c\u{2067}", "a\\u{202e}b\\u{2028}c\\u{2067}"),
            ("\t", "\\t"),
            ("a\u{200b}b\u{200d}c\u{feff}d\u{e0041}", "a\\u{200b}b\\u{200d}c\\u{feff}d\\u{e0041}"),
        ] {
            assert_eq!(lines(text), expected);
        }
    }

    #[test]
    fn nor_make_a_line_wherever_it_stands() {
        assert_eq!(in_line("a\nchecked   by a friend"), "a\\nchecked   by a friend");
        let forged = json!({"a\nb": ["c\nd", {"e": "f\ng", "h": 7}]});
        let tamed: Value = tamed(&forged).unwrap();
        assert_eq!(tamed, json!({"a\\nb": ["c\\nd", {"e": "f\\ng", "h": 7}]}));
    }
}
