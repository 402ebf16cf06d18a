//! The JSON of a record in fewer bytes, as the status of a set keeps it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// In the place of a position: the name of an earlier member of the same question that holds the same.
const SAME_AS: &str = "sameAs";

/// Bytes of JSON from which on a position is named so.
const WORTH_IT: usize = 256;

/// Bytes of JSON of settings that a cut record still has.
const SETTINGS: usize = 1024;

/// Bytes of JSON that it has of each stream of an output.
const STREAM: usize = 256;

/// Names an earlier member in the place of each long position that it has too. Whoever may seed holds the same as the
/// others that may, so this is most of a large record; `expand` gives all of it back.
pub fn share(record: &mut Value) {
    let mut known: BTreeMap<String, Value> = BTreeMap::new();
    for member in members(record) {
        let text = member["position"].to_string();
        if text.len() < WORTH_IT {
            continue;
        }
        match known.get(&text) {
            Some(first) => member["position"] = json!({SAME_AS: first}),
            None => drop(known.insert(text, member["name"].clone())),
        }
    }
}

/// The record with all positions in it, as `policy replay` and tests of a policy read it.
pub fn expand(record: &mut Value) {
    let mut known: BTreeMap<String, Value> = BTreeMap::new();
    for member in members(record) {
        match member["position"][SAME_AS].as_str().and_then(|first| known.get(first)) {
            Some(position) => member["position"] = position.clone(),
            None => {
                let name = member["name"].as_str().unwrap_or_default().to_owned();
                known.insert(name, member["position"].clone());
            }
        }
    }
}

/// Leaves out what makes a record large: positions and facts, most of an output, large settings. What was answered and
/// why stays. `cut` says how many bytes were left out, for the question cannot be put again.
pub fn cut(record: &mut Value) {
    let whole = record.to_string().len();
    for member in members(record) {
        if let Some(member) = member.as_object_mut() {
            member.retain(|name, _| name != "position" && name != "facts");
        }
    }
    if let Some(output) = record["input"].get_mut("output") {
        for stream in ["stdout", "stderr"] {
            output[stream] = beginning(output[stream].as_str().unwrap_or_default()).into();
        }
    }
    if record["settings"].to_string().len() > SETTINGS {
        record["settings"] = json!({});
    }
    record["cut"] = whole.saturating_sub(record.to_string().len()).into();
}

/// As much of a text as has a place in a cut record: a byte of it may be six of JSON.
fn beginning(text: &str) -> &str {
    let mut end = text.floor_char_boundary(STREAM);
    while Value::from(&text[..end]).to_string().len() > STREAM + 2 {
        end = text.floor_char_boundary(end.saturating_sub(STREAM / 16));
    }
    &text[..end]
}

/// Whether something was left out of it.
#[must_use]
pub fn is_cut(record: &Value) -> bool {
    record.get("cut").is_some()
}

/// Those that a question gives with what they hold.
fn members(record: &mut Value) -> impl Iterator<Item = &mut Value> {
    let lists = record.get_mut("input").and_then(Value::as_object_mut).into_iter().flatten();
    lists.flat_map(|(name, value)| match (name.as_str(), value) {
        ("candidates" | "members", Value::Array(list)) => list.iter_mut().collect::<Vec<_>>(),
        ("member", one) => vec![one],
        _ => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn large() -> Value {
        let intervals: Vec<Value> = (0..100).map(|n| json!({"first": n * 9, "last": n * 9 + 3})).collect();
        json!({"history": {"source": intervals}})
    }

    fn seed() -> Value {
        let member =
            |name: &str, position: Value| json!({"name": name, "position": position, "facts": {"a": "1"}});
        let candidates = [member("a", large()), member("b", json!({"ordinal": 7})), member("c", large())];
        json!({"interface": "seed@0.1.0", "settings": {}, "input": {"candidates": candidates},
            "answer": {"proposal": {"replica": "c"}, "why": "w"}})
    }

    #[test]
    fn a_position_that_several_hold_is_kept_once_and_given_back_whole() {
        let mut record = seed();
        share(&mut record);
        assert_eq!(record["input"]["candidates"][2]["position"], json!({"sameAs": "a"}));
        assert_eq!(record["input"]["candidates"][0]["position"], large());
        expand(&mut record);
        assert_eq!(record, seed());
    }

    #[test]
    fn the_beginning_of_a_text_is_bounded_in_bytes_of_json_and_ends_between_characters() {
        assert_eq!(beginning("short"), "short");
        for text in ["\u{1}".repeat(300), "\"".repeat(300), "€".repeat(300), "x".repeat(300)] {
            let json = Value::from(beginning(&text)).to_string().len();
            assert!((180..=258).contains(&json), "{json} bytes");
        }
    }

    #[test]
    fn a_cut_record_says_so_and_still_tells_what_was_answered_about_whom() {
        let mut record = seed();
        let whole = record.to_string().len();
        cut(&mut record);
        assert!(is_cut(&record) && !is_cut(&seed()));
        assert_eq!(record["input"]["candidates"][0], json!({"name": "a"}));
        assert_eq!(record["answer"], seed()["answer"]);
        assert!(whole > record.to_string().len() && record["cut"].as_u64().unwrap() > 1000);
        let output = json!({"replica": "a", "stdout": "x".repeat(9000), "stderr": "y"});
        let settings = json!({"text": "z".repeat(9000)});
        let mut record = json!({"settings": settings, "input": {"output": output}, "failure": "it trapped"});
        cut(&mut record);
        assert_eq!(record["input"]["output"]["stdout"].as_str().map(str::len), Some(256));
        assert_eq!((&record["input"]["output"]["stderr"], &record["settings"]), (&json!("y"), &json!({})));
    }
}
