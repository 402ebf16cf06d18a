//! By what a position was read: what decides whether two bare numbers may be compared.

use crate::names::Reader;
use crate::position::Position;
use serde::{Deserialize, Serialize};

/// In which outage a position was read, and by whom. A bare number says nothing of its lineage, and each policy counts
/// in its own way: two of them are compared within one outage and one reader only.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Measure {
    /// The number of the last outage then.
    #[serde(default)]
    pub outage: u64,
    /// Who made a position of the output. One that is not known is not the same as any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<Reader>,
}

impl Measure {
    /// Whether both were read by one reader, which is known.
    #[must_use]
    pub fn has_reader_of(&self, other: &Self) -> bool {
        self.reader.is_some() && self.reader == other.reader
    }

    /// Whether a bare number by the one may be compared with a bare number by the other.
    #[must_use]
    pub fn is_that_of(&self, other: &Self) -> bool {
        self.outage == other.outage && self.has_reader_of(other)
    }

    /// Whether a position by this measure includes another by that one: histories whoever read them, bare numbers by
    /// the same measure only.
    #[must_use]
    pub fn includes(&self, here: &Position, other: &Self, there: &Position) -> bool {
        // A number and a history do not include each other.
        let comparable = !here.is_ordinal() || self.is_that_of(other);
        comparable && here.includes(there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::History;

    #[test]
    fn bare_numbers_are_compared_within_one_outage_and_one_reader_that_is_known() {
        let by = |outage, reader: &str| Measure { outage, reader: Some(Reader::from(reader)) };
        let nobody = Measure { outage: 1, reader: None };
        let (nine, five) = (Position::Ordinal(9), Position::Ordinal(5));
        for (sentence, here, there, expected) in [
            ("of one outage and reader", by(1, "a"), by(1, "a"), true),
            ("of another outage", by(2, "a"), by(1, "a"), false),
            ("of another reader", by(1, "b"), by(1, "a"), false),
            ("of one that is not known", nobody.clone(), by(1, "a"), false),
            ("of two that are not known", nobody.clone(), nobody.clone(), false),
        ] {
            assert_eq!(here.includes(&nine, &there, &five), expected, "{sentence}");
            assert!(!here.includes(&five, &there, &nine), "{sentence}: and it is less");
        }
        let history = |last| Position::History(History::up_to("a", last));
        assert!(
            by(1, "a").includes(&history(9), &nobody, &history(5)),
            "sets of transactions are what they are"
        );
        assert!(!by(1, "a").includes(&history(9), &by(1, "a"), &five));
    }

    #[test]
    fn what_an_operator_that_knew_no_readers_wrote_has_none() {
        let old: Measure = serde_json::from_str(r#"{"outage":3}"#).unwrap();
        assert_eq!(old, Measure { outage: 3, reader: None });
    }
}
