//! What a watch tells.

use serde_json::Value;

use crate::kept::Kept;
use crate::place::Place;

/// An object was made, changed or removed.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) version: u64,
    pub(crate) path: String,
    /// As it was before.
    pub(crate) before: Option<Kept>,
    /// As it is, or was at last.
    pub(crate) object: Kept,
    pub(crate) is_there: bool,
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
                let mut before = Value::clone(before);
                before["metadata"]["resourceVersion"] = self.object["metadata"]["resourceVersion"].clone();
                return Some(line("DELETED", &before.to_string()));
            }
        };
        Some(line(kind, self.object.text()))
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
        let object = |label: &str| Kept::from(json!({"metadata": {"labels": {"l": label}}}));
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
