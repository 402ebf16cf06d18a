//! Whether what is there is what was wanted, without asking the API server.

use serde_json::{Map, Value};

use super::quantity;

/// On every child: the hash of what was applied last.
pub(super) const APPLIED_HASH: &str = "clusterlabs.org/applied-hash";

/// Of a child as it was built.
pub(crate) fn hash(wanted: &Value) -> String {
    format!("{:016x}", fnv(wanted.to_string().as_bytes()))
}

/// Of everything in a live object that we or another could have changed; its replicas and status are not part of it.
pub(super) fn fingerprint(live: &Value) -> u64 {
    let mut spec = live["spec"].clone();
    if let Some(spec) = spec.as_object_mut() {
        spec.remove("replicas");
    }
    let meta = &live["metadata"];
    let parts = [&meta["labels"], &meta["annotations"], &meta["ownerReferences"], &spec];
    fnv(parts.map(Value::to_string).join("\n").as_bytes())
}

/// FNV-1a: the same on every machine and in every release, as a hash that is stored has to be.
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Whether everything that is wanted is there. More may be there: defaults, and fields of others.
pub(super) fn includes(live: &Value, wanted: &Value) -> bool {
    match (live, wanted) {
        (Value::Object(live), Value::Object(wanted)) => includes_fields(live, wanted),
        (Value::Array(live), Value::Array(wanted)) => {
            live.len() == wanted.len() && live.iter().zip(wanted).all(|(live, wanted)| includes(live, wanted))
        }
        (live, wanted) => live == wanted || (live.is_null() && is_empty(wanted)),
    }
}

fn includes_fields(live: &Map<String, Value>, wanted: &Map<String, Value>) -> bool {
    wanted.iter().all(|(key, wanted)| {
        let live = live.get(key).unwrap_or(&Value::Null);
        match (key.as_str(), live, wanted) {
            ("requests" | "limits", Value::Object(live), Value::Object(wanted)) => same_amounts(live, wanted),
            _ => includes(live, wanted),
        }
    })
}

fn same_amounts(live: &Map<String, Value>, wanted: &Map<String, Value>) -> bool {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    wanted.iter().all(|(name, wanted)| match (text(live.get(name)), text(Some(wanted))) {
        (Some(live), Some(wanted)) => quantity::same(&live, &wanted),
        _ => false,
    })
}

/// The API server drops these.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_the_server_adds_or_respells_is_no_difference() {
        let wanted = json!({"a": [{"n": 1}], "limits": {"cpu": "0.5"}, "none": {}});
        let live = json!({"a": [{"n": 1, "default": true}], "limits": {"cpu": "500m"}, "other": 1});
        assert!(includes(&live, &wanted));
    }

    #[test]
    fn what_somebody_changed_is_a_difference() {
        let wanted = json!({"a": [{"n": 1}], "limits": {"cpu": "1"}, "b": "x"});
        for live in [
            json!({"a": [{"n": 2}], "limits": {"cpu": "1"}, "b": "x"}),
            json!({"a": [{"n": 1}, {"n": 3}], "limits": {"cpu": "1"}, "b": "x"}),
            json!({"a": [{"n": 1}], "limits": {"cpu": "2"}, "b": "x"}),
            json!({"a": [{"n": 1}], "limits": {"cpu": "1"}}),
        ] {
            assert!(!includes(&live, &wanted), "{live}");
        }
    }

    #[test]
    fn scaling_and_status_leave_the_fingerprint_as_it_is() {
        let live = |replicas, status, image: &str| {
            fingerprint(
                &json!({"metadata": {"labels": {"a": "b"}}, "spec": {"replicas": replicas, "image": image},
                "status": {"n": status}}),
            )
        };
        assert_eq!(live(1, 1, "a"), live(5, 2, "a"));
        assert_ne!(live(1, 1, "a"), live(1, 1, "b"));
    }

    #[test]
    fn the_hash_is_the_same_in_every_release() {
        assert_eq!(hash(&json!({"a": 1})), "9c3e82dd6fcae8b1");
    }
}
