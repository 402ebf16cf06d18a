//! Objects by their paths, one counter of versions, and what a watch tells of each change.

use std::collections::BTreeMap;

use hyper::StatusCode;
use serde_json::{Value, json};

use crate::answer::{Answer, not_found};
use crate::apply;
use crate::kept::Kept;
use crate::place::Place;
use crate::removal::{let_go, may_go};
use crate::told::Change;

/// The objects.
#[derive(Debug, Default)]
pub struct Store {
    /// By the plural of their kind.
    objects: BTreeMap<String, BTreeMap<String, Kept>>,
    pub(crate) changes: BTreeMap<String, Vec<Change>>,
    pub(crate) version: u64,
    /// At the last change that a watch tells of.
    pub(crate) told: u64,
    /// How many objects of a kind were made, and how many went.
    counts: BTreeMap<String, (usize, usize)>,
    /// How often an object was made at a path: no two of one name have one UID.
    pub(crate) births: BTreeMap<String, u64>,
    pub(crate) unsupported: Vec<String>,
}

// === impl Store ===

impl Store {
    /// The object at a path.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Value> {
        self.kept(path).map(|kept| &**kept)
    }

    pub(crate) fn kept(&self, path: &str) -> Option<&Kept> {
        self.objects.get(plural_of(path))?.get(path)
    }

    /// All of the kind of this one.
    pub(crate) fn beside(&mut self, path: &str) -> &mut BTreeMap<String, Kept> {
        self.objects.entry(plural_of(path).to_owned()).or_default()
    }

    /// All of a kind, with their paths.
    pub fn of<'a>(&'a self, plural: &'a str) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.shared(plural).map(|(path, object)| (path, &**object))
    }

    /// The same, for who keeps them while others come and go.
    pub fn shared<'a>(&'a self, plural: &'a str) -> impl Iterator<Item = (&'a String, &'a Kept)> {
        self.objects.get(plural).into_iter().flatten()
    }

    /// Answers a read of one object, or of all that are meant.
    pub fn read(&mut self, place: &Place) -> Answer {
        if let Some(odd) = place.odd_selector() {
            let why = format!("selector {odd}");
            return self.refuse(why);
        }
        if place.name.is_some() {
            let found = self.kept(&place.path);
            return found.map_or_else(not_found, |found| (StatusCode::OK, found.clone()));
        }
        let all = self.of(&place.plural).filter(|(path, object)| place.holds(path, object));
        let items: Vec<&Value> = all.map(|(_, object)| object).collect();
        let list = json!({"metadata": {"resourceVersion": self.version.to_string()}, "items": items});
        (StatusCode::OK, list.into())
    }

    /// Stores an object at a new version, unless it is what is there already: as somebody wrote it whom no rule stops.
    pub fn put(&mut self, path: &str, mut object: Value) -> Kept {
        let there = self.kept(path);
        if object["metadata"]["managedFields"].is_null() {
            match there {
                Some(there) => {
                    object["metadata"]["managedFields"] = there["metadata"]["managedFields"].clone()
                }
                None => apply::somebodys(&mut object),
            }
        }
        if let Some(there) = there {
            object["metadata"]["resourceVersion"] = there["metadata"]["resourceVersion"].clone();
            if object["spec"] != there["spec"] && there["metadata"]["generation"].is_number() {
                let next = there["metadata"]["generation"].as_i64().unwrap_or(0) + 1;
                object["metadata"]["generation"] = json!(next);
            }
            if object == **there {
                return there.clone();
            }
        }
        *self.births.entry(path.to_owned()).or_default() += u64::from(there.is_none());
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        let kept = Kept::from(object);
        let before = self.beside(path).insert(path.to_owned(), kept.clone());
        self.tell(path, before, kept.clone(), true);
        kept
    }

    /// Takes an object away, whatever holds it.
    pub fn remove(&mut self, path: &str) {
        let Some(before) = self.beside(path).remove(path) else { return };
        self.version += 1;
        let mut object = Value::clone(&before);
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        self.tell(path, Some(before), object.into(), false);
    }

    /// The cluster's own controllers are done with an object that is to go: it goes, unless somebody else holds it.
    pub fn let_go(&mut self, path: &str) {
        let Some(object) = self.get(path).and_then(let_go) else { return };
        if may_go(&object) {
            self.remove(path);
        } else {
            self.put(path, object);
        }
    }

    fn tell(&mut self, path: &str, before: Option<Kept>, object: Kept, is_there: bool) {
        let plural = plural_of(path);
        let counts = self.counts.entry(plural.to_owned()).or_default();
        counts.0 += usize::from(before.is_none());
        counts.1 += usize::from(!is_there);
        // Nobody watches leases, and they change all the time.
        if plural != "leases" {
            let change = Change { version: self.version, path: path.to_owned(), before, object, is_there };
            self.changes.entry(plural.to_owned()).or_default().push(change);
            self.told = self.version;
        }
    }

    /// How many objects of a kind were made, and how many went.
    #[must_use]
    pub fn counts(&self, plural: &str) -> (usize, usize) {
        self.counts.get(plural).copied().unwrap_or_default()
    }

    /// Grows with every change.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The version of the last change that a watch tells of.
    #[must_use]
    pub fn told(&self) -> u64 {
        self.told
    }

    /// The version of the last change of a kind that is watched.
    #[must_use]
    pub fn newest(&self, plural: &str) -> u64 {
        let last = self.changes.get(plural).and_then(|changes| changes.last());
        last.map_or(0, |change| change.version)
    }

    /// What happened to these objects after that version, as a watch tells it.
    #[must_use]
    pub fn since(&self, place: &Place, version: u64) -> String {
        let Some(changes) = self.changes.get(&place.plural) else { return String::new() };
        let new = &changes[changes.partition_point(|change| change.version <= version)..];
        new.iter().filter_map(|change| change.line(place)).collect()
    }

    /// What was asked for that these rules do not know: whatever happened after it shows nothing.
    #[must_use]
    pub fn unsupported(&self) -> &[String] {
        &self.unsupported
    }
}

fn plural_of(path: &str) -> &str {
    path.rsplit('/').nth(1).unwrap_or_default()
}
