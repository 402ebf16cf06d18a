//! Who owns which field: `metadata.managedFields`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::merge::Lists;
use crate::way::step;

/// The way to a field, each step as `fieldsV1` spells it: `f:NAME`, `k:{KEYS}`, `v:VALUE`; last `.`, an item itself.
pub(crate) type Path = Vec<String>;
pub(crate) type Fields = BTreeSet<Path>;

/// Of metadata these have owners, and no others.
const OF_METADATA: [&str; 4] = ["labels", "annotations", "finalizers", "ownerReferences"];
/// Objects that have one owner.
const WHOLE: [&str; 2] = ["selector", "nodeSelector"];

/// One entry of `managedFields`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) manager: String,
    pub(crate) is_apply: bool,
    pub(crate) subresource: Option<String>,
    pub(crate) fields: Fields,
}

impl Entry {
    /// Whether it is of the same writer, and of the same way to write.
    pub(crate) fn is_of(&self, manager: &str, is_apply: bool, subresource: Option<&str>) -> bool {
        (self.manager.as_str(), self.is_apply, self.subresource.as_deref())
            == (manager, is_apply, subresource)
    }
}

/// What stands in the object.
pub(crate) fn entries(object: &Value) -> Vec<Entry> {
    let entry = |entry: &Value| {
        let mut fields = Fields::new();
        read(&entry["fieldsV1"], &mut Path::new(), &mut fields);
        Entry {
            manager: entry["manager"].as_str().unwrap_or_default().to_owned(),
            is_apply: entry["operation"] == "Apply",
            subresource: entry["subresource"].as_str().map(str::to_owned),
            fields,
        }
    };
    object["metadata"]["managedFields"].as_array().into_iter().flatten().map(entry).collect()
}

/// Writes them into the object; who owns nothing is not told.
pub(crate) fn write(object: &mut Value, entries: &[Entry]) {
    let version = object["apiVersion"].as_str().unwrap_or("v1").to_owned();
    let told = entries.iter().filter(|entry| !entry.fields.is_empty()).map(|entry| {
        let operation = if entry.is_apply { "Apply" } else { "Update" };
        let mut told = json!({"manager": entry.manager, "operation": operation, "apiVersion": version,
            "fieldsType": "FieldsV1", "fieldsV1": spelled(&entry.fields)});
        if let Some(subresource) = &entry.subresource {
            told["subresource"] = json!(subresource);
        }
        told
    });
    object["metadata"]["managedFields"] = told.collect();
}

/// All fields of an object that can have owners.
pub(crate) fn of(object: &Value) -> Fields {
    changed(None, object)
}

/// Those of them that were not there before, or had another value.
pub(crate) fn changed(before: Option<&Value>, after: &Value) -> Fields {
    let mut fields = Fields::new();
    for (way, name, value) in parts(after) {
        let was = before.and_then(|before| way.iter().try_fold(before, |at, step| at.get(*step)));
        let mut path: Path = way.into_iter().map(|step| format!("f:{step}")).collect();
        leaves((name, was, value), Lists::of(after), &mut path, &mut fields);
    }
    fields
}

/// Whether all that can have an owner is alike in both.
pub(crate) fn alike(one: &Value, other: &Value) -> bool {
    parts(one).eq(parts(other))
}

/// What can have owners, each with the way to it and its name. The cluster's own writers change the status all the time, and
/// nobody asks whose it is.
fn parts(object: &Value) -> impl Iterator<Item = (Vec<&str>, &str, &Value)> {
    let all = object.as_object().into_iter().flatten();
    let all = all.filter(|(name, _)| !["apiVersion", "kind", "status"].contains(&name.as_str()));
    all.flat_map(|(name, value)| match (name.as_str(), value) {
        ("metadata", Value::Object(metadata)) => {
            let owned = metadata.iter().filter(|(key, _)| OF_METADATA.contains(&key.as_str()));
            owned.map(|(key, value)| (vec!["metadata", key.as_str()], key.as_str(), value)).collect()
        }
        (name, value) => vec![(vec![name], name, value)],
    })
}

/// The ends of the ways below a field, but for those that lead to the same as before.
fn leaves(
    (name, before, after): (&str, Option<&Value>, &Value),
    lists: Lists,
    path: &mut Path,
    into: &mut Fields,
) {
    if before == Some(after) {
        return;
    }
    match after {
        Value::Null => {}
        Value::Object(fields) if !fields.is_empty() && !WHOLE.contains(&name) => {
            for (key, value) in fields {
                path.push(format!("f:{key}"));
                leaves((key, before.and_then(|before| before.get(key)), value), lists, path, into);
                path.pop();
            }
        }
        Value::Array(items) if are_told_apart(name, items, lists) => {
            let before = before.and_then(Value::as_array).filter(|items| are_told_apart(name, items, lists));
            for (item, told) in items.iter().filter_map(|item| Some((item, step(name, item)?))) {
                let is_it = |known: &&Value| step(name, known).as_ref() == Some(&told);
                let was = before.and_then(|before| before.iter().find(is_it));
                path.push(told);
                item_leaves((was, item), lists, path, into);
                path.pop();
            }
        }
        _ => drop(into.insert(path.clone())),
    }
}

fn are_told_apart(list: &str, items: &[Value], lists: Lists) -> bool {
    lists.are_told_apart(list) && items.first().is_some_and(|item| step(list, item).is_some())
}

/// The same of an item of a list whose items are told apart, and of the item itself.
fn item_leaves((before, item): (Option<&Value>, &Value), lists: Lists, path: &mut Path, into: &mut Fields) {
    if item.is_object() {
        leaves(("", before, item), lists, path, into);
        path.push(".".to_owned());
    }
    if before.is_none() {
        into.insert(path.clone());
    }
    if item.is_object() {
        path.pop();
    }
}

fn read(told: &Value, path: &mut Path, into: &mut Fields) {
    let fields = told.as_object().filter(|fields| !fields.is_empty());
    let Some(fields) = fields else {
        if !path.is_empty() {
            into.insert(path.clone());
        }
        return;
    };
    for (step, below) in fields {
        path.push(step.clone());
        read(below, path, into);
        path.pop();
    }
}

fn spelled(fields: &Fields) -> Value {
    let mut told = json!({});
    for path in fields {
        let mut at = &mut told;
        for step in path {
            if !at[step.as_str()].is_object() {
                at[step.as_str()] = json!({});
            }
            at = &mut at[step.as_str()];
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::way::{get, remove};

    fn service() -> Value {
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "uid": "u", "labels": {"a": "1"},
            "finalizers": ["x/y"]}, "spec": {"selector": {"app": "s"}, "ports": [{"name": "p", "port": 1}]}})
    }

    #[test]
    fn fields_are_told_as_the_api_server_tells_them() {
        let item = "k:{\"port\":1,\"protocol\":\"TCP\"}";
        let expected = json!({"f:metadata": {"f:labels": {"f:a": {}}, "f:finalizers": {"v:\"x/y\"": {}}},
            "f:spec": {"f:selector": {}, "f:ports": {item: {".": {}, "f:name": {}, "f:port": {}}}}});
        let fields = of(&service());
        assert_eq!(spelled(&fields), expected);
        let mut again = Fields::new();
        read(&expected, &mut Path::new(), &mut again);
        assert_eq!(again, fields);
    }

    #[test]
    fn what_changed_is_what_was_not_there_or_had_another_value() {
        let before = json!({"apiVersion": "v1", "metadata": {"labels": {"a": "1", "b": "1"}, "finalizers": ["x/y"]},
            "spec": {"type": "A", "empty": {}, "none": null, "ports": [{"port": 1, "name": "p"}, {"port": 2}]},
            "status": {"n": 1}});
        let item = |port: u64| format!("k:{{\"port\":{port},\"protocol\":\"TCP\"}}");
        for (pointer, now, expected) in [
            ("/spec/type", json!("A"), vec![]),
            ("/spec/type", json!("B"), vec!["f:spec f:type".to_owned()]),
            ("/spec/type", json!({"k": 1}), vec!["f:spec f:type f:k".to_owned()]),
            ("/spec/type", json!(null), vec![]),
            ("/spec/none", json!(1), vec!["f:spec f:none".to_owned()]),
            ("/spec/empty", json!({"k": 1}), vec!["f:spec f:empty f:k".to_owned()]),
            ("/metadata/labels", json!({"b": "2"}), vec!["f:metadata f:labels f:b".to_owned()]),
            ("/metadata/labels", json!({}), vec!["f:metadata f:labels".to_owned()]),
            (
                "/metadata/finalizers",
                json!(["v/w", "x/y"]),
                vec!["f:metadata f:finalizers v:\"v/w\"".to_owned()],
            ),
            ("/spec/ports/0/name", json!("q"), vec![format!("f:spec f:ports {} f:name", item(1))]),
            ("/spec/ports", json!([{"port": 2}, {"port": 1, "name": "p"}]), vec![]),
            (
                "/spec/ports/1",
                json!({"port": 3}),
                vec![format!("f:spec f:ports {} .", item(3)), format!("f:spec f:ports {} f:port", item(3))],
            ),
            ("/status", json!({"n": 2}), vec![]),
        ] {
            let mut after = before.clone();
            *after.pointer_mut(pointer).expect("it is there") = now.clone();
            let changed: Vec<_> = changed(Some(&before), &after).iter().map(|path| path.join(" ")).collect();
            assert_eq!(changed, expected, "{pointer} {now}");
        }
    }

    #[test]
    fn each_field_is_found_by_its_way_and_gone_when_it_was_removed() {
        for path in of(&service()) {
            let mut object = service();
            assert!(get(&object, &path).is_some(), "{path:?}");
            remove(&mut object, &path);
            assert!(get(&object, &path).is_none(), "{path:?}");
        }
    }
}
