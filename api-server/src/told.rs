//! What a watch tells.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::place::Place;

/// An object was made, changed or removed.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) version: u64,
    pub(crate) path: String,
    /// As it was before.
    pub(crate) before: Option<Arc<Value>>,
    /// As it is, or was at last.
    pub(crate) object: Arc<Value>,
    pub(crate) is_there: bool,
    /// The object as text, once somebody was told of it.
    pub(crate) text: OnceLock<String>,
}

impl Change {
    /// For a watch of these: what does not belong to them any more is gone to it.
    pub(crate) fn line(&self, place: &Place) -> Option<String> {
        let holds = |object: &Value| place.holds(&self.path, object);
        let was = self.before.as_ref().filter(|before| holds(before));
        let kind = match (was, self.is_there && holds(&self.object)) {
            (None, false) => return None,
            (None, true) => "ADDED",
            (Some(_), true) => "MODIFIED",
            // With the version of the change, and otherwise as they knew it.
            (Some(_), false) if !self.is_there && holds(&self.object) => "DELETED",
            (Some(before), false) => {
                let mut before = (**before).clone();
                before["metadata"]["resourceVersion"] = self.object["metadata"]["resourceVersion"].clone();
                return Some(line("DELETED", &before.to_string()));
            }
        };
        Some(line(kind, self.text.get_or_init(|| self.object.to_string())))
    }
}

fn line(kind: &str, object: &str) -> String {
    format!("{{\"type\":\"{kind}\",\"object\":{object}}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_watch_with_a_selector_tells_of_what_comes_and_goes_by_its_labels() {
        let object = |label: &str| Arc::new(json!({"metadata": {"labels": {"l": label}}}));
        let place = Place::of("/api/v1/namespaces/a/pods", "labelSelector=l%3Da");
        let kind = |before: Option<&str>, now: &str, is_there: bool| {
            let (before, path) = (before.map(object), "/api/v1/namespaces/a/pods/p".to_owned());
            let (object, text) = (object(now), OnceLock::new());
            let line = Change { version: 1, path, before, object, is_there, text }.line(&place)?;
            let told: Value = serde_json::from_str(&line).expect("JSON");
            told["type"].as_str().map(str::to_owned)
        };
        for (before, now, is_there, expected) in [
            (None, "a", true, Some("ADDED")),
            (None, "b", true, None),
            (Some("a"), "a", true, Some("MODIFIED")),
            (Some("b"), "a", true, Some("ADDED")),
            (Some("a"), "b", true, Some("DELETED")),
            (Some("b"), "b", true, None),
            (Some("a"), "a", false, Some("DELETED")),
            (Some("b"), "b", false, None),
        ] {
            assert_eq!(kind(before, now, is_there).as_deref(), expected, "{before:?} {now} {is_there}");
        }
    }
}
