//! The hash of the facts on which a key is offered, as a person gives it: alone, or within the key that it was copied from.

use std::fmt::{self, Display, Formatter};

use planner::key::{Key, KeyKind};

/// How many digits it has.
const DIGITS: usize = 12;

/// On which facts something is to be allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) hash: String,
    /// Of whom, where the whole key was given.
    subject: Option<String>,
}

/// Why a text names no facts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "write the {DIGITS} hexadecimal digits (0-9 and a-f) that `{shown}` shows, or the whole key {kind:?}/REPLICA/HASH"
)]
pub(crate) struct NoFacts {
    kind: KeyKind,
    shown: &'static str,
}

/// Those of a plan.
///
/// # Errors
/// If it is neither a hash nor a key that approves one.
pub(crate) fn of_plan(text: &str) -> Result<Facts, NoFacts> {
    of(text, KeyKind::Approve).ok_or(NoFacts { kind: KeyKind::Approve, shown: "kubectl rss approve NAME" })
}

/// Those on which a replica may be named as seed.
///
/// # Errors
/// If it is neither a hash nor a key that names one.
pub(crate) fn of_seed(text: &str) -> Result<Facts, NoFacts> {
    let shown = "kubectl rss seed NAME REPLICA";
    of(text, KeyKind::AcceptSeed).ok_or(NoFacts { kind: KeyKind::AcceptSeed, shown })
}

fn of(text: &str, kind: KeyKind) -> Option<Facts> {
    let (hash, subject) = match Key::parse(text) {
        Some(key) if key.kind == kind => (key.facts, Some(key.subject)),
        Some(_) => return None,
        None => (text.to_owned(), None),
    };
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (hash.len() == DIGITS && hash.bytes().all(is_digit)).then_some(Facts { hash, subject })
}

impl Display for Facts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hash)?;
        self.subject.iter().try_for_each(|subject| write!(f, " of {subject}"))
    }
}

// === impl Facts ===

impl Facts {
    /// Whether a key is offered on these.
    pub(crate) fn are_those_of(&self, key: &Key) -> bool {
        key.facts == self.hash && self.subject.as_ref().is_none_or(|subject| *subject == key.subject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_taken_alone_and_out_of_a_whole_key_of_its_kind_and_nothing_else_is() {
        let (hash, of_x) = ("85935e4cdc57", "Approve/x-0/85935e4cdc57");
        assert_eq!(of_plan(hash).unwrap(), Facts { hash: hash.to_owned(), subject: None });
        assert_eq!(of_plan(of_x).unwrap().subject.as_deref(), Some("x-0"));
        assert_eq!(of_seed("AcceptSeed/x-0/85935e4cdc57").unwrap().hash, hash);
        for text in [
            "",
            "xyz",
            "85935e4cdc5",
            "85935e4cdc570",
            "85935E4CDC57",
            "85935e4cdc5é",
            "Approve/x-0/7f3a",
            "x/y/z",
        ] {
            let refused = of_plan(text).unwrap_err().to_string();
            assert!(refused.starts_with("write the 12 hexadecimal digits"), "{text:?}: {refused}");
            assert!(
                refused.ends_with("`kubectl rss approve NAME` shows, or the whole key Approve/REPLICA/HASH")
            );
        }
        assert!(of_seed(of_x).is_err(), "it allows something else");
    }

    #[test]
    fn a_whole_key_is_one_of_its_replica_alone() {
        let key = Key::parse("AcceptSeed/x-1/85935e4cdc57").unwrap();
        let fits = |text: &str| of_seed(text).unwrap().are_those_of(&key);
        assert!(fits("85935e4cdc57") && fits("AcceptSeed/x-1/85935e4cdc57"));
        assert!(!fits("AcceptSeed/x-0/85935e4cdc57") && !fits("85935e4cdc58"));
    }
}
