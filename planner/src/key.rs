//! What a person may allow, and the hash that binds it to what that person saw.

use crate::memory::Memory;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One permission, bound to facts, used once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    /// What is allowed.
    pub kind: KeyKind,
    /// Of what: a replica's name, a pod's UID, or a number, as the kind says.
    pub subject: String,
    /// `facts(&Memory)` as the person saw it.
    pub facts: String,
}

/// What can be allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum KeyKind {
    /// Give up what a replica's holder has; the subject is the replica.
    AcceptLoss,
    /// The application of a pod is surely not alive; the subject is the pod's UID.
    AssertFenced,
    /// Seed from this replica; the subject is the replica.
    AcceptSeed,
    /// Overwrite errant data by a join; the subject is the replica.
    AcceptErrant,
    /// Come back from 0 with fewer replicas; the subject is the new size.
    AcceptSize,
    /// Delete the StatefulSet with `Orphan` and make it again; the subject is its name.
    Recreate,
}

impl Key {
    /// The text that stands in the annotation `clusterlabs.org/allow`.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{:?}/{}/{}", self.kind, self.subject, self.facts)
    }

    /// Reads `KIND/SUBJECT/FACTS`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('/');
        let (kind, subject, facts) = (parts.next()?, parts.next()?, parts.next()?);
        let kind = KeyKind::ALL.into_iter().find(|k| format!("{k:?}") == kind)?;
        let complete = parts.next().is_none() && !subject.is_empty() && !facts.is_empty();
        complete.then(|| Self { kind, subject: subject.to_owned(), facts: facts.to_owned() })
    }
}

impl KeyKind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::AcceptLoss,
        Self::AssertFenced,
        Self::AcceptSeed,
        Self::AcceptErrant,
        Self::AcceptSize,
        Self::Recreate,
    ];
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// A hash of {holders, starts, positions}: a key given on other facts opens nothing.
#[must_use]
pub fn facts(memory: &Memory) -> String {
    let mut hash = Fnv::new();
    for record in memory.holders.values().filter(|record| !record.ended) {
        hash.write(&record.holder.to_string());
        hash.write(&record.starts.to_string());
        hash.write(&record.position().map(ToString::to_string).unwrap_or_default());
    }
    format!("{:012x}", hash.0 & 0xffff_ffff_ffff)
}

/// FNV-1a: stable across releases, which the standard hasher does not promise.
/// It guards against a changed world, not against an adversary.
struct Fnv(u64);

impl Fnv {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn write(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_from_its_text_and_nothing_else_is_a_key() {
        for kind in KeyKind::ALL {
            let key = Key { kind, subject: "rss-x-0".into(), facts: "0a1b".into() };
            assert_eq!(Key::parse(&key.text()), Some(key));
        }
        for text in [
            "",
            "AcceptLoss",
            "AcceptLoss/x",
            "AcceptLoss/x/",
            "AcceptLoss//y",
            "acceptloss/x/y",
            "AcceptLoss/x/y/z",
        ] {
            assert_eq!(Key::parse(text), None, "{text:?}");
        }
    }
}
