//! Positions in records: the intervals of a source are one text, `1-5:7`. An object for each interval takes four times the
//! bytes, and the annotations of a claim are limited.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{History, Interval, Position};

pub(crate) fn serialize<S: Serializer>(position: &Position, to: S) -> Result<S::Ok, S::Error> {
    match position {
        Position::Ordinal(number) => Compact::Ordinal(*number),
        Position::History(History(sources)) => Compact::History(
            sources.iter().map(|(source, intervals)| (source.clone(), joined(intervals))).collect(),
        ),
    }
    .serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Position, D::Error> {
    match Compact::deserialize(from)? {
        Compact::Ordinal(number) => Ok(Position::Ordinal(number)),
        Compact::History(sources) => {
            let read = |(source, written)| match parsed(written) {
                Some(intervals) => Ok((source, intervals)),
                None => {
                    Err(D::Error::custom(format!("the intervals of {source} are not FIRST-LAST:FIRST-LAST")))
                }
            };
            sources
                .into_iter()
                .map(read)
                .collect::<Result<_, _>>()
                .map(|sources| Position::History(History(sources)))
        }
    }
}

/// The same of a position that may be missing.
pub(crate) mod optional {
    use super::{Deserialize, Deserializer, Position, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Inner(#[serde(with = "super")] Position);

    pub(crate) fn serialize<S: Serializer>(position: &Option<Position>, to: S) -> Result<S::Ok, S::Error> {
        position.clone().map(Inner).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Position>, D::Error> {
        Ok(Option::<Inner>::deserialize(from)?.map(|Inner(position)| position))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Compact {
    History(BTreeMap<String, Written>),
    Ordinal(u64),
}

/// Earlier versions wrote a list of objects in place of the text.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    List(Vec<Interval>),
}

fn joined(intervals: &[Interval]) -> Written {
    Written::Text(intervals.iter().map(Interval::to_string).collect::<Vec<_>>().join(":"))
}

/// The intervals of one source. An empty text has none.
fn parsed(written: Written) -> Option<Vec<Interval>> {
    let text = match written {
        Written::List(intervals) => return Some(intervals),
        Written::Text(text) if text.is_empty() => return Some(Vec::new()),
        Written::Text(text) => text,
    };
    let interval = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(Interval { first: first.parse().ok()?, last: last.parse().ok()? })
    };
    text.split(':').map(interval).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn history(intervals: &[(u64, u64)]) -> Position {
        let intervals = intervals.iter().map(|&(first, last)| Interval { first, last }).collect();
        Position::History(History(BTreeMap::from([
            ("a:tag".to_owned(), intervals),
            ("b".to_owned(), Vec::new()),
        ])))
    }

    fn read(value: Value) -> Result<Position, serde_json::Error> {
        deserialize(value)
    }

    #[test]
    fn a_position_is_written_with_each_source_once_and_read_again() {
        let max = u64::MAX;
        for (intervals, text) in [
            (&[(1, 5), (7, 7), (9, 12)][..], "1-5:7:9-12"),
            (&[(0, max)], "0-18446744073709551615"),
            (&[(9, 1)], "9-1"),
            (&[], ""),
        ] {
            let value = serialize(&history(intervals), serde_json::value::Serializer).unwrap();
            assert_eq!(value, json!({"history": {"a:tag": text, "b": ""}}));
            assert_eq!(read(value).unwrap(), history(intervals));
        }
        let value = serialize(&Position::Ordinal(7), serde_json::value::Serializer).unwrap();
        assert_eq!((read(value.clone()).unwrap(), value), (Position::Ordinal(7), json!({"ordinal": 7})));
    }

    #[test]
    fn the_list_of_an_earlier_version_is_read() {
        let list = json!({"history": {"a:tag": [{"first": 1, "last": 5}, {"first": 7, "last": 7}], "b": []}});
        assert_eq!(read(list).unwrap(), history(&[(1, 5), (7, 7)]));
    }

    #[test]
    fn a_text_that_is_no_list_of_intervals_is_refused_with_its_source() {
        for text in ["1-", "-5", "x", "1-5:", "1-5-9", "18446744073709551616"] {
            let error = read(json!({"history": {"a": text}})).unwrap_err();
            assert_eq!(error.to_string(), "the intervals of a are not FIRST-LAST:FIRST-LAST");
        }
    }
}
