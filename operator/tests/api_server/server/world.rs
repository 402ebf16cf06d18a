//! The objects, and what each request does to them.

use std::collections::{BTreeMap, BTreeSet};

use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use super::place::Place;

/// A write that was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    /// "create", "apply", "merge", "strategic", "json-patch", "replace" or "delete".
    pub(crate) verb: &'static str,
    pub(crate) plural: String,
    /// The name, with the subresource after a slash; the plural where something is created.
    pub(crate) name: String,
    /// What was sent.
    pub(crate) body: Value,
    /// Its very bytes.
    pub(crate) raw: String,
}

type Refused = fn(&Write) -> bool;
type Answer = (StatusCode, Value);

#[derive(Default)]
pub(super) struct World {
    pub(super) objects: BTreeMap<String, Value>,
    pub(super) writes: Vec<Write>,
    pub(super) watched: BTreeSet<String>,
    pub(super) listed: BTreeSet<String>,
    /// The path of each object that was asked for by its name, and how often.
    pub(super) asked: BTreeMap<String, usize>,
    pub(super) respell: Option<fn(&mut Value)>,
    /// With which code it is refused, and what.
    pub(super) refused: Option<(StatusCode, Refused)>,
    pub(super) forbidden: Option<&'static str>,
    pub(super) hidden: Option<&'static str>,
    /// The plural whose single objects are refused with 403.
    pub(super) unreadable: Option<&'static str>,
    /// The namespace, the plural and the code with which its lists are refused.
    pub(super) closed: Option<(&'static str, &'static str, StatusCode)>,
    /// The plural of which watches tell nothing.
    pub(super) muted: Option<&'static str>,
    /// The plural of which no write is answered.
    pub(super) stalled: Option<&'static str>,
    /// Version, kind, path and object of each change.
    changes: Vec<(u64, &'static str, String, Value)>,
    version: u64,
}

impl World {
    pub(super) fn serve(&mut self, method: &Method, place: &Place, kind: &str, sent: &[u8]) -> Answer {
        let raw = String::from_utf8_lossy(sent).into_owned();
        let sent: Value = serde_json::from_slice(sent).unwrap_or_default();
        let verb = match (method.as_str(), kind) {
            ("GET", _) => return self.read(place),
            ("POST", _) => "create",
            ("DELETE", _) => "delete",
            ("PUT", _) => "replace",
            (_, "application/json-patch+json") => "json-patch",
            (_, "application/merge-patch+json") => "merge",
            (_, "application/strategic-merge-patch+json") => "strategic",
            _ => "apply",
        };
        let name = place.name.clone().unwrap_or_else(|| place.plural.clone());
        let name =
            place.subresource.as_ref().map_or(name.clone(), |subresource| format!("{name}/{subresource}"));
        let write = Write { verb, plural: place.plural.clone(), name, body: sent.clone(), raw };
        let refused = self.refused.filter(|(_, is_refused)| is_refused(&write));
        self.writes.push(write);
        if let Some((code, _)) = refused {
            let reason = if code == StatusCode::FORBIDDEN { "Forbidden" } else { "InternalError" };
            return failure(code, reason);
        }
        if verb == "create" {
            return self.create(place, sent);
        }
        self.write(verb, place, sent)
    }

    /// Every object has a UID, and a name is given to one.
    fn create(&mut self, place: &Place, mut sent: Value) -> Answer {
        let name = sent["metadata"]["name"].as_str().unwrap_or_default();
        let path = format!("{}/{name}", place.path);
        if self.objects.contains_key(&path) {
            return failure(StatusCode::CONFLICT, "AlreadyExists");
        }
        self.give_uid(&mut sent);
        self.store(&path, sent)
    }

    fn give_uid(&self, object: &mut Value) {
        if object["metadata"]["uid"].is_null() {
            object["metadata"]["uid"] = json!(format!("u{}", self.version));
        }
    }

    fn read(&self, place: &Place) -> Answer {
        if place.name.is_none() && self.forbidden == Some(place.plural.as_str()) {
            return failure(StatusCode::FORBIDDEN, "Forbidden");
        }
        if let Some((namespace, plural, code)) = self.closed
            && place.name.is_none()
            && (place.namespace.as_deref(), place.plural.as_str()) == (Some(namespace), plural)
        {
            let reason = if code == StatusCode::FORBIDDEN { "Forbidden" } else { "NotFound" };
            return failure(code, reason);
        }
        if place.name.is_none() {
            let items: Vec<_> =
                self.objects.iter().filter(|(path, object)| place.holds(path, object)).collect();
            let items: Vec<_> = items.into_iter().map(|(_, object)| object).collect();
            let list = json!({"metadata": {"resourceVersion": self.version.to_string()}, "items": items});
            return (StatusCode::OK, list);
        }
        if self.hidden.is_some_and(|namespace| place.namespace.as_deref() == Some(namespace))
            || self.unreadable == Some(place.plural.as_str())
        {
            return failure(StatusCode::FORBIDDEN, "Forbidden");
        }
        self.objects.get(&place.path).map_or_else(not_found, |found| (StatusCode::OK, found.clone()))
    }

    fn write(&mut self, verb: &str, place: &Place, mut sent: Value) -> Answer {
        let found = self.objects.get(&place.path).cloned();
        let Some(mut object) = found.clone().or((verb == "apply").then(|| json!({}))) else {
            return not_found();
        };
        let bound = if verb == "delete" { &sent["preconditions"] } else { &sent["metadata"] };
        // Of what is not there an apply makes an object, unless it names one.
        if (found.is_some() || verb == "apply") && !is_of(&object, bound) {
            return failure(StatusCode::CONFLICT, "Conflict");
        }
        match (verb, place.subresource.as_deref()) {
            ("delete", _) => {
                self.remove(&place.path);
                return (StatusCode::OK, object);
            }
            ("json-patch", _) => object["metadata"]["managedFields"] = sent[1]["value"].clone(),
            ("replace", Some("status")) => object["status"] = sent["status"].clone(),
            ("replace", Some("scale")) => object["spec"]["replicas"] = sent["spec"]["replicas"].clone(),
            ("replace", _) => object = sent,
            ("strategic", Some("status")) => {
                by_key("type", &object["status"]["conditions"], &mut sent["status"]["conditions"]);
                merge(&mut object["status"], sent["status"].take());
            }
            ("strategic", _) => {
                by_key("name", &object["spec"]["containers"], &mut sent["spec"]["containers"]);
                merge(&mut object, sent);
            }
            (_, Some("status")) => merge(&mut object["status"], sent["status"].clone()),
            _ => merge(&mut object, sent),
        }
        if found.is_none() {
            self.give_uid(&mut object);
        }
        if object["metadata"]["managedFields"].is_null() && verb == "apply" {
            object["metadata"]["managedFields"] = managed_by("Apply");
        }
        // Of other kinds nobody here asks how often they were changed.
        if place.plural == "statefulclusters" && found.is_some_and(|found| found["spec"] != object["spec"]) {
            let generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
            object["metadata"]["generation"] = json!(generation + 1);
        }
        self.store(&place.path, object)
    }

    /// The object whose path ends so is gone.
    pub(super) fn remove(&mut self, end: &str) {
        let Some(path) = self.objects.keys().find(|path| path.ends_with(end)).cloned() else { return };
        let object = self.objects.remove(&path).unwrap_or_default();
        self.version += 1;
        self.changes.push((self.version, "DELETED", path, object));
    }

    pub(super) fn store(&mut self, path: &str, mut object: Value) -> Answer {
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        if object["metadata"]["managedFields"].is_null() {
            object["metadata"]["managedFields"] = managed_by("Update");
        }
        if let Some(respell) = self.respell {
            respell(&mut object);
        }
        let kind = if self.objects.contains_key(path) { "MODIFIED" } else { "ADDED" };
        self.changes.push((self.version, kind, path.to_owned(), object.clone()));
        self.objects.insert(path.to_owned(), object.clone());
        (StatusCode::OK, object)
    }

    /// What happened to these objects after that version, as a watch tells it, and up to which version.
    pub(super) fn since(&self, place: &Place, version: u64) -> (u64, String) {
        if self.muted == Some(place.plural.as_str()) {
            return (version, String::new());
        }
        let new =
            self.changes.iter().filter(|(at, _, path, object)| *at > version && place.holds(path, object));
        let lines = new.map(|(_, kind, _, object)| format!("{}\n", json!({"type": kind, "object": object})));
        (self.version, lines.collect())
    }
}

/// The object is the one that was meant, at the version that was meant, where that was said.
fn is_of(object: &Value, bound: &Value) -> bool {
    let same = |field: &str| bound[field].is_null() || bound[field] == object["metadata"][field];
    same("uid") && same("resourceVersion")
}

fn managed_by(operation: &str) -> Value {
    json!([{"manager": "rss-operator", "operation": operation, "apiVersion": "v1",
        "fieldsV1": {"f:spec": {"f:replicas": {}, "f:replacement": {}, "f:template": {}}}}])
}

fn not_found() -> Answer {
    failure(StatusCode::NOT_FOUND, "NotFound")
}

fn failure(code: StatusCode, reason: &str) -> Answer {
    let body = json!({"kind": "Status", "status": "Failure", "reason": reason, "message": "", "code": code.as_u16()});
    (code, body)
}

/// Strategic merge patch of a list whose items have names, as the list that comes of it.
fn by_key(key: &str, live: &Value, patch: &mut Value) {
    let Some(patched) = patch.as_array().cloned() else { return };
    let mut all = live.as_array().cloned().unwrap_or_default();
    for item in patched {
        match all.iter_mut().find(|known| known[key] == item[key]) {
            Some(known) => merge(known, item),
            None => all.push(item),
        }
    }
    *patch = Value::Array(all);
}

/// JSON merge patch: what is null goes.
fn merge(into: &mut Value, from: Value) {
    match from {
        Value::Object(fields) => {
            if !into.is_object() {
                *into = json!({});
            }
            for (key, value) in fields {
                match value {
                    Value::Null => drop(into.as_object_mut().and_then(|object| object.remove(&key))),
                    value => merge(&mut into[key.as_str()], value),
                }
            }
        }
        from => *into = from,
    }
}
