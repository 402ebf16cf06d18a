//! How much history data holds, and readers of the usual ways in which databases print it.
//!
//! | text | reader | position |
//! |---|---|---|
//! | `1234` | [`integer`] | an ordinal, or a history of one source |
//! | `UUID:1234` (Galera) | [`uuid_seqno`] | of source `UUID` all from 0 to 1234 |
//! | `UUID:1-5:7,UUID:TAG:1-3` (MySQL) | [`mysql`] | the set itself; tags have sources of their own |
//! | `0-1-100,0-2-50` (MariaDB) | [`mariadb`] | of each source `DOMAIN-SERVER` all from 0 to its number |

mod gtid;
mod history;
mod malformed;

pub use gtid::{mariadb, mysql, uuid_seqno};
pub use history::{History, Interval};
pub use malformed::Malformed;

use crate::quoted;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How much history data holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Position {
    /// Transactions by source. Two lineages that parted are seen to have parted.
    History(History),
    /// A bare number. It says nothing of its lineage, so two are compared within one outage only.
    Ordinal(u64),
}

impl From<History> for Position {
    fn from(history: History) -> Self {
        Self::History(history)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ordinal(number) => write!(f, "{number}"),
            Self::History(history) => history.fmt(f),
        }
    }
}

/// Reads one decimal integer from 0 to 2^64-1: digits only, no sign, no second word.
///
/// # Errors
/// If it is anything else; quoting the first 80 bytes.
pub fn integer(text: &str) -> Result<u64, Malformed> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = if digits { text.parse().ok() } else { None };
    number.ok_or_else(|| Malformed(format!("not one decimal integer: {}", quoted(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_plain_integer_is_a_number_and_all_else_is_never_zero() {
        for (text, number) in [("42", 42), ("0", 0), ("007", 7), ("18446744073709551615", u64::MAX)] {
            assert_eq!(integer(text), Ok(number));
        }
        for text in
            ["", "-1", "+1", "1 2", "18446744073709551616", "0x10", "1.5", "1e3", "forty", "\u{661}", "1\n"]
        {
            let Err(why) = integer(text) else { panic!("{text:?} is no number") };
            assert!(why.to_string().starts_with("not one decimal integer: "), "{why}");
        }
    }
}
