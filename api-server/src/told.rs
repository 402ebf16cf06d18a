//! What a watch tells.

use std::sync::Arc;

use serde_json::{Value, json};

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
}

impl Change {
    /// For a watch of these: what does not belong to them any more is gone to it.
    pub(crate) fn line(&self, place: &Place) -> Option<String> {
        let holds = |object: &Value| place.holds(&self.path, object);
        let was = self.before.as_ref().filter(|before| holds(before));
        let (kind, object) = match (was, self.is_there && holds(&self.object)) {
            (None, false) => return None,
            (None, true) => ("ADDED", &self.object),
            (Some(_), true) => ("MODIFIED", &self.object),
            // With the version of the change, and otherwise as they knew it.
            (Some(_), false) if !self.is_there && holds(&self.object) => ("DELETED", &self.object),
            (Some(before), false) => {
                let mut before = (**before).clone();
                before["metadata"]["resourceVersion"] = self.object["metadata"]["resourceVersion"].clone();
                return Some(line("DELETED", &before));
            }
        };
        Some(line(kind, object))
    }
}

fn line(kind: &str, object: &Value) -> String {
    format!("{}\n", json!({"type": kind, "object": object}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_with_a_selector_tells_of_what_comes_and_goes_by_its_labels() {
        let object = |label: &str| Arc::new(json!({"metadata": {"labels": {"l": label}}}));
        let place = Place::of("/api/v1/namespaces/a/pods", "labelSelector=l%3Da");
        let kind = |before: Option<&str>, now: &str, is_there: bool| {
            let (before, path) = (before.map(object), "/api/v1/namespaces/a/pods/p".to_owned());
            let line = Change { version: 1, path, before, object: object(now), is_there }.line(&place)?;
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
