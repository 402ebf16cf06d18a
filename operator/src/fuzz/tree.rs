//! A document in JSON that is changed as what it is: what comes of it can be read, and is refused later, if at all.

use serde_json::{Value, json};
use simulator::Chance;

/// One of its values becomes another one, goes, or comes twice; nothing of what is no such document.
pub(super) fn changed(bytes: &[u8], other: &[u8], chance: &mut Chance) -> Option<Vec<u8>> {
    let mut document: Value = serde_json::from_slice(bytes).ok()?;
    let other: Value = serde_json::from_slice(other).unwrap_or_default();
    let taken = other.pointer(&one_of(places(&other), chance)).cloned().unwrap_or_default();
    let place = document.pointer_mut(&one_of(places(&document), chance))?;
    match chance.below(6) {
        0 => *place = taken,
        1 => *place = extreme(chance),
        2 => *place = json!([place.take()]),
        3 => *place = json!({"": place.take()}),
        4 => remove(place, chance),
        _ => add(place, taken, chance),
    }
    serde_json::to_vec(&document).ok()
}

fn one_of<T>(mut all: Vec<T>, chance: &mut Chance) -> T {
    all.swap_remove(chance.index(all.len()))
}

/// Values at which many a program ends.
fn extreme(chance: &mut Chance) -> Value {
    let long = "a".repeat(300);
    let all = json!([
        null,
        true,
        0,
        -1,
        i64::MIN,
        u64::MAX,
        0.5,
        1e300,
        "",
        " ",
        "\0",
        "\u{202e}",
        "../..",
        long,
        [],
        {}
    ]);
    let all = all.as_array().cloned().unwrap_or_default();
    one_of(all, chance)
}

fn remove(place: &mut Value, chance: &mut Chance) {
    match place {
        Value::Array(list) if !list.is_empty() => drop(list.remove(chance.index(list.len()))),
        Value::Object(fields) if !fields.is_empty() => {
            let name = fields.keys().nth(chance.index(fields.len())).cloned().unwrap_or_default();
            fields.remove(&name);
        }
        other => *other = Value::Null,
    }
}

fn add(place: &mut Value, taken: Value, chance: &mut Chance) {
    match place {
        Value::Array(list) => {
            let again = list.get(chance.index(list.len().max(1))).cloned().unwrap_or(taken);
            list.push(again);
        }
        Value::Object(fields) => {
            let name = fields.keys().nth(chance.index(fields.len().max(1))).cloned().unwrap_or_default();
            fields.insert(name.to_uppercase(), taken);
        }
        other => *other = taken,
    }
}

/// Where each of its values stands, the whole first: pointers of RFC 6901.
fn places(value: &Value) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut add = |name: &str, part| all.extend(places(part).iter().map(|place| format!("/{name}{place}")));
    match value {
        Value::Array(list) => list.iter().enumerate().for_each(|(at, part)| add(&at.to_string(), part)),
        Value::Object(fields) => {
            fields.iter().for_each(|(name, part)| add(&name.replace('~', "~0").replace('/', "~1"), part));
        }
        _ => {}
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_becomes_others_that_can_be_read_and_anything_else_stays() {
        let document = br#"{"a/b": [1, {"~": "x"}], "c": null}"#;
        let made = |seed| changed(document, b"[true]", &mut Chance::new(seed)).expect("it can be read");
        let all: std::collections::BTreeSet<Vec<u8>> = (0..500).map(made).collect();
        assert!(all.len() > 50, "{} that differ", all.len());
        for bytes in &all {
            let _: Value = serde_json::from_slice(bytes).expect("a document");
        }
        let deep = serde_json::to_vec(&json!({"a/b": [1, {"~": true}], "c": null})).expect("JSON");
        assert!(all.contains(&deep), "each place is reached");
        assert_eq!(changed(b"{", b"[true]", &mut Chance::new(1)), None);
    }
}
