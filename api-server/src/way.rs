//! The way to a field, step by step, as `fieldsV1` spells it.

use serde_json::{Map, Value, json};

/// Lists whose items are told apart by these of their fields.
const KEYED: [(&str, &[&str]); 9] = [
    ("containers", &["name"]),
    ("initContainers", &["name"]),
    ("volumes", &["name"]),
    ("env", &["name"]),
    ("imagePullSecrets", &["name"]),
    ("volumeMounts", &["mountPath"]),
    ("ownerReferences", &["uid"]),
    ("ports", &["containerPort", "port", "protocol"]),
    ("conditions", &["type"]),
];
/// Lists that are sets.
const SETS: [&str; 1] = ["finalizers"];

/// The keys by which the items of a list of this name are told apart.
pub(crate) fn keys_of(list: &str) -> Option<&'static [&'static str]> {
    KEYED.iter().find(|(name, _)| *name == list).map(|(_, keys)| *keys)
}

/// An item's step.
pub(crate) fn step(list: &str, item: &Value) -> Option<String> {
    if SETS.contains(&list) {
        return Some(format!("v:{item}"));
    }
    let keys = keys_of(list)?;
    let has = |key: &&&str| !item[**key].is_null() || **key == "protocol";
    let told = |key: &&str| {
        let value = if item[*key].is_null() { json!("TCP") } else { item[*key].clone() };
        ((*key).to_owned(), value)
    };
    let keys: Map<String, Value> = keys.iter().filter(has).map(told).collect();
    Some(format!("k:{}", Value::Object(keys)))
}

/// What stands at the end of a way.
pub(crate) fn get<'a>(object: &'a Value, path: &[String]) -> Option<&'a Value> {
    let Some((step, rest)) = path.split_first() else { return Some(object) };
    if step == "." {
        return Some(object);
    }
    if let Some(name) = step.strip_prefix("f:") {
        let list = rest.first().is_some_and(|next| !next.starts_with("f:") && next != ".");
        let below = object.get(name)?;
        return if list { item(name, below, rest) } else { get(below, rest) };
    }
    None
}

fn item<'a>(list: &str, items: &'a Value, path: &[String]) -> Option<&'a Value> {
    let (wanted, rest) = path.split_first()?;
    let found = items.as_array()?.iter().find(|item| step(list, item).as_ref() == Some(wanted))?;
    if wanted.starts_with("v:") { Some(found) } else { get(found, rest) }
}

/// Takes away what stands there.
pub(crate) fn remove(object: &mut Value, path: &[String]) {
    let Some((name, rest)) =
        path.split_first().and_then(|(step, rest)| Some((step.strip_prefix("f:")?, rest)))
    else {
        return;
    };
    let Some(fields) = object.as_object_mut() else { return };
    match rest {
        [] => drop(fields.remove(name)),
        [wanted, rest @ ..] if !wanted.starts_with("f:") => {
            let Some(items) = fields.get_mut(name).and_then(Value::as_array_mut) else { return };
            let is_it = |item: &Value| step(name, item).as_ref() == Some(wanted);
            if rest.is_empty() || rest == ["."] {
                items.retain(|item| !is_it(item));
            } else if let Some(item) = items.iter_mut().find(|item| is_it(item)) {
                remove(item, rest);
            }
        }
        rest => {
            if let Some(below) = fields.get_mut(name) {
                remove(below, rest);
            }
        }
    }
}
