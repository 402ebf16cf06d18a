//! What a person may allow, and the hash that binds it to what that person saw.

use crate::memory::Memory;
use crate::names::Reader;
use crate::observation::{Observation, Pod};
use crate::record::Record;
use crate::went_back::went_back;
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
    /// A hash of what the person saw; see `Key::bound`.
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
    /// Go on from this replica as planned, with all that is known to be there; the subject is the replica.
    Approve,
    /// Delete the StatefulSet with `Orphan` and make it again; the subject is its name.
    Recreate,
}

impl Key {
    /// The key that opens this now. Its hash binds it to kind and subject, to {holders, starts,
    /// positions and who read them, outage}, and to what it is about to change: a key given on other facts opens nothing,
    /// and a second change of the same kind has a key of its own.
    #[must_use]
    pub fn bound(kind: KeyKind, subject: String, seen: &Observation, memory: &Memory) -> Self {
        let mut hash = Fnv::new();
        hash.write(&format!("{kind:?}"));
        hash.write(&subject);
        hash.write(&memory.outages.to_string());
        for record in memory.holders.values().filter(|record| !record.ended) {
            if let Some(back) = went_back(memory, record) {
                hash.write(&back.held.to_string());
            }
            hash.write(&record.holder.to_string());
            hash.write(&record.starts.to_string());
            hash.write(&record.position().map(ToString::to_string).unwrap_or_default());
            hash.write(&reader(record).map(ToString::to_string).unwrap_or_default());
        }
        hash.write(&changes(kind, &subject, seen));
        Self { kind, subject, facts: format!("{:012x}", hash.0 & 0xffff_ffff_ffff) }
    }

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
    pub const ALL: [Self; 7] = [
        Self::AcceptLoss,
        Self::AssertFenced,
        Self::AcceptSeed,
        Self::AcceptErrant,
        Self::AcceptSize,
        Self::Approve,
        Self::Recreate,
    ];
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// Who read the position that a person sees.
fn reader(record: &Record) -> Option<&Reader> {
    record.standing().and_then(|taken| taken.measure.reader.as_ref())
}

/// What a key is about to change, beyond the data that all keys are bound to: the specification of this
/// generation, or the container that a pod has now.
fn changes(kind: KeyKind, subject: &str, seen: &Observation) -> String {
    match kind {
        KeyKind::Recreate | KeyKind::AcceptSize => seen.target.generation.to_string(),
        KeyKind::AssertFenced => {
            let mut pods = seen.replicas.values().filter_map(|replica| replica.pod.as_ref());
            let pod = pods.find(|pod| pod.uid.0 == subject);
            pod.and_then(Pod::container_id).map(ToString::to_string).unwrap_or_default()
        }
        KeyKind::AcceptLoss | KeyKind::AcceptSeed | KeyKind::AcceptErrant | KeyKind::Approve => String::new(),
    }
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
    use crate::fixture::{memory, record, stopped_set};

    #[test]
    fn a_key_is_bound_to_kind_and_subject_and_to_what_it_is_about_to_change() {
        let (seen, memory) = (stopped_set(2), memory([record(0).confirmed_in(1).at(3)]));
        let bound = |kind, subject: &str, seen: &Observation, memory: &Memory| {
            Key::bound(kind, subject.to_owned(), seen, memory).facts
        };
        let mut other = (seen.clone(), memory.clone());
        other.0.target.generation += 1;
        other.0.pod_mut(0).container.as_mut().unwrap().id = Some("again".into());
        for (kind, subject, again) in [
            (KeyKind::Recreate, "statefulset", true),
            (KeyKind::AcceptSize, "2", true),
            (KeyKind::AssertFenced, "pod-0", true),
            (KeyKind::AssertFenced, "pod-1", false),
            (KeyKind::AcceptLoss, "x-0", false),
            (KeyKind::AcceptSeed, "x-0", false),
        ] {
            let first = bound(kind, subject, &seen, &memory);
            assert_eq!(first != bound(kind, subject, &other.0, &memory), again, "{kind:?}/{subject}");
            assert_ne!(first, bound(kind, "x-1", &seen, &memory), "of another subject");
            for other in KeyKind::ALL.into_iter().filter(|other| *other != kind) {
                assert_ne!(first, bound(other, subject, &seen, &memory), "of another kind");
            }
        }
        other.1.outages += 1;
        let loss = |memory: &Memory| bound(KeyKind::AcceptLoss, "x-0", &seen, memory);
        assert_ne!(loss(&memory), loss(&other.1), "of another outage");
        let mut read = memory.clone();
        let taken = read.holders.values_mut().filter_map(|record| record.reading.as_mut());
        taken.for_each(|taken| taken.measure.reader = Some("another".into()));
        assert_ne!(loss(&memory), loss(&read), "of what another reader read");
    }

    #[test]
    fn a_key_is_read_back_from_its_text_and_nothing_else_is_a_key() {
        for kind in KeyKind::ALL {
            let key = Key { kind, subject: "rss-x-0".into(), facts: "0a1b".into() };
            assert_eq!(key.to_string(), key.text());
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
