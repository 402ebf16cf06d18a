//! A step as the request that it is for one of the two servers: it names the versions and UIDs of that one.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::sequence::{Act, Edit, Meant, Step, Which};
use super::universe::{HOLD, Kind, LABEL, NOTE};

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: &'static str,
    /// With what stands behind the question mark.
    pub(crate) path: String,
    pub(crate) content: &'static str,
    pub(crate) body: Value,
}

/// What one server said of the objects, by their paths: as each was last, and its versions before.
#[derive(Debug, Default)]
pub(crate) struct Known(BTreeMap<String, Vec<Value>>);

const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";

// === impl Known ===

impl Known {
    /// The object, as it was last.
    pub(crate) fn last(&self, path: &str) -> Value {
        self.0.get(path).and_then(|all| all.last()).cloned().unwrap_or_default()
    }

    /// It was seen. As long as it is the same it counts as one version: not every server makes another where nothing changes.
    pub(crate) fn keep(&mut self, path: &str, object: &Value, is_same: impl Fn(&Value) -> bool) {
        let all = self.0.entry(path.to_owned()).or_default();
        if all.last().is_some_and(is_same) {
            all.pop();
        }
        all.push(object.clone());
    }

    fn version(&self, path: &str, which: Which) -> Value {
        let all = self.0.get(path).map(Vec::as_slice).unwrap_or_default();
        let of = |object: Option<&Value>| object.map(|object| object["metadata"]["resourceVersion"].clone());
        match which {
            Which::Unsaid => Value::Null,
            Which::Last => of(all.last()).unwrap_or_default(),
            Which::Other => of(all.iter().rev().nth(1)).unwrap_or_default(),
        }
    }

    fn uid(&self, path: &str, which: Which) -> Value {
        match which {
            Which::Unsaid => Value::Null,
            Which::Last => self.last(path)["metadata"]["uid"].clone(),
            Which::Other => json!("00000000-0000-4000-8000-000000000000"),
        }
    }

    fn bound(&self, path: &str, Meant { uid, version }: Meant) -> Vec<(&'static str, Value)> {
        let all = [("uid", self.uid(path, uid)), ("resourceVersion", self.version(path, version))];
        all.into_iter().filter(|(_, value)| !value.is_null()).collect()
    }
}

// === impl Asked ===

impl Asked {
    /// The request of a step, in a namespace. None: nothing of the kind can be asked for yet.
    pub(crate) fn of(step: &Step, namespace: &str, name: &str, known: &Known) -> Option<Self> {
        let all = step.kind.path(namespace);
        let path = format!("{all}/{name}");
        let live = known.last(&path);
        let by = format!("fieldManager={}", step.manager);
        let of = |method, path: String, content, body| Some(Self { method, path, content, body });
        match step.act {
            Act::Create { way } => of("POST", format!("{all}?{by}"), JSON, step.kind.body(name, way)),
            Act::Read => of("GET", path, JSON, Value::Null),
            Act::List { value } => {
                let selector = value.map_or(LABEL.to_owned(), |value| format!("{LABEL}=v{value}"));
                of("GET", format!("{all}?labelSelector={selector}"), JSON, Value::Null)
            }
            // Whether an address may be given to a new one is for each cluster to say.
            Act::Replace(Edit::Forbidden) if live.is_null() && step.kind == Kind::Service => None,
            Act::Replace(edit) => {
                let mut body = if live.is_null() { step.kind.body(name, 0) } else { live.clone() };
                lay(&mut body, patch(step, edit, &live)?);
                of("PUT", format!("{path}?{by}"), JSON, bind(body, known, &path, step.meant))
            }
            Act::Merge(edit) => {
                let body = bind(patch(step, edit, &live)?, known, &path, step.meant);
                of("PATCH", format!("{path}?{by}"), MERGE, body)
            }
            Act::Strategic(edit) => {
                let body = bind(strategic(step, edit, &live)?, known, &path, step.meant);
                of("PATCH", format!("{path}?{by}"), "application/strategic-merge-patch+json", body)
            }
            Act::ReplaceStatus { .. } | Act::MergeStatus { .. } | Act::Scale { .. } => {
                Self::of_part(step, &path, &live, &by, known)
            }
            Act::Apply { way, force } => {
                let body = bind(step.kind.applied(name, way)?, known, &path, step.meant);
                of("PATCH", format!("{path}?{by}&force={force}"), "application/apply-patch+yaml", body)
            }
            Act::TakeOver => {
                let body = taken_over(&live)?;
                of("PATCH", format!("{path}?{by}"), "application/json-patch+json", body)
            }
            Act::Delete { grace, orphan } => {
                let body = deletion(&known.bound(&path, step.meant), grace, orphan);
                of("DELETE", path, JSON, body)
            }
        }
    }

    /// The request of a part of an object: it is bound as one of the whole is.
    fn of_part(step: &Step, path: &str, live: &Value, by: &str, known: &Known) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or_default();
        let of = |method, part: &str, content, body| {
            let (path, body) = (format!("{path}/{part}?{by}"), bind(body, known, path, step.meant));
            Some(Self { method, path, content, body })
        };
        match step.act {
            Act::ReplaceStatus { number } => {
                let mut body = if live.is_null() { step.kind.body(name, 0) } else { live.clone() };
                body["status"] = json!({"reason": format!("r{number}")});
                body["metadata"]["labels"] = json!({LABEL: "ignored"});
                of("PUT", "status", JSON, body)
            }
            Act::MergeStatus { number } => {
                let body = json!({"status": {"reason": format!("r{number}")}, "spec": {"replicas": 7}});
                of("PATCH", "status", MERGE, body)
            }
            // A real one makes 1 of no size, and another version where it writes 0 over 0.
            Act::Scale { to } if to < 2 && live["spec"]["replicas"].as_u64().unwrap_or(1) == to => None,
            Act::Scale { to } => {
                let body = json!({"apiVersion": "autoscaling/v1", "kind": "Scale",
                    "metadata": {"name": name}, "spec": {"replicas": to}});
                of("PUT", "scale", JSON, body)
            }
            _ => None,
        }
    }
}

/// As the operator does it: what the entries of updates own that name the template becomes what was applied, without the size.
/// Who has applied before takes nothing over. The order of entries of the same second is of no account.
fn taken_over(live: &Value) -> Option<Value> {
    let entries = live["metadata"]["managedFields"].as_array()?;
    if entries.iter().any(|entry| entry["manager"] == "ours" && entry["operation"] == "Apply") {
        return None;
    }
    let (makers, others): (Vec<_>, Vec<_>) = entries.iter().cloned().partition(|entry| {
        entry["operation"] == "Update" && entry["fieldsV1"]["f:spec"]["f:template"].is_object()
    });
    let mut makers = makers.into_iter();
    let mut ours = makers.next()?;
    makers.for_each(|maker| lay(&mut ours["fieldsV1"], maker["fieldsV1"].clone()));
    (ours["manager"], ours["operation"]) = (json!("ours"), json!("Apply"));
    ours["fieldsV1"]["f:spec"].as_object_mut()?.remove("f:replicas");
    let all: Vec<Value> = std::iter::once(ours).chain(others).collect();
    Some(json!([
        {"op": "test", "path": "/metadata/resourceVersion", "value": live["metadata"]["resourceVersion"]},
        {"op": "replace", "path": "/metadata/managedFields", "value": all},
    ]))
}

fn bind(mut body: Value, known: &Known, path: &str, meant: Meant) -> Value {
    if let Some(metadata) = body.get_mut("metadata").and_then(Value::as_object_mut) {
        ["uid", "resourceVersion"].iter().for_each(|field| drop(metadata.remove(*field)));
    }
    for (key, value) in known.bound(path, meant) {
        body["metadata"][key] = value;
    }
    body
}

fn patch(step: &Step, edit: Edit, live: &Value) -> Option<Value> {
    Some(match edit {
        Edit::Nothing => json!({}),
        Edit::Label(value) => {
            json!({"metadata": {"labels": {LABEL: value.map(|value| format!("v{value}"))}}})
        }
        Edit::Note(value) => {
            json!({"metadata": {"annotations": {NOTE: value.map(|value| format!("n{value}"))}}})
        }
        Edit::Hold(held) => {
            let all = live["metadata"]["finalizers"].as_array().into_iter().flatten();
            let others = all.filter(|one| **one != json!(HOLD)).cloned();
            let ours = held.then(|| json!(HOLD));
            json!({"metadata": {"finalizers": others.chain(ours).collect::<Vec<_>>()}})
        }
        Edit::Spec(_) if live.is_null() => json!({}),
        Edit::Spec(number) => step.kind.change(live, number),
        Edit::Forbidden => step.kind.forbidden()?,
        Edit::Status(number) => json!({"status": {"reason": format!("r{number}")}}),
    })
}

/// Items of lists are told by their keys alone.
fn strategic(step: &Step, edit: Edit, live: &Value) -> Option<Value> {
    match edit {
        Edit::Spec(number) => {
            Some(json!({"spec": {"containers": [{"name": "db", "image": format!("i{number}")}]}}))
        }
        _ => patch(step, edit, live),
    }
}

fn deletion(bound: &[(&str, Value)], grace: Option<u64>, orphan: bool) -> Value {
    let mut body = json!({"apiVersion": "v1", "kind": "DeleteOptions"});
    for (key, value) in bound {
        body["preconditions"][*key] = value.clone();
    }
    if let Some(grace) = grace {
        body["gracePeriodSeconds"] = json!(grace);
    }
    if orphan {
        body["propagationPolicy"] = json!("Orphan");
    }
    body
}

/// Lays a patch over an object, as who sends the whole does it at home.
fn lay(into: &mut Value, patch: Value) {
    let Value::Object(fields) = patch else {
        *into = patch;
        return;
    };
    for (key, value) in fields {
        if value.is_null() {
            if let Some(object) = into.as_object_mut() {
                object.remove(&key);
            }
        } else {
            lay(&mut into[key.as_str()], value);
        }
    }
}
