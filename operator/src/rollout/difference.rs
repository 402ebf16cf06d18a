//! The difference of two pod templates.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use serde_json::{Map, Value, json};

/// An event names no more fields.
const MOST_FIELDS: usize = 5;

/// The paths of the fields that differ, such as `spec.containers[db].image`, without their values: a value may be secret.
pub(super) fn changed_fields(old: &Value, new: &Value) -> Vec<String> {
    let mut fields = Vec::new();
    compare("spec".to_owned(), old, new, &mut fields);
    if fields.len() > MOST_FIELDS {
        let others = fields.len() - MOST_FIELDS;
        fields.truncate(MOST_FIELDS);
        fields.push(format!("{others} more"));
    }
    fields
}

fn compare(path: String, old: &Value, new: &Value, fields: &mut Vec<String>) {
    match (old, new) {
        (old, new) if old == new => {}
        (Value::Object(old), Value::Object(new)) => {
            let all: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in all {
                let of = |side: &Map<String, Value>| side.get(key).cloned().unwrap_or_default();
                compare(format!("{path}.{key}"), &of(old), &of(new), fields);
            }
        }
        (Value::Array(old), Value::Array(new)) if names(old) == names(new) => {
            for ((name, old), new) in names(old).into_iter().zip(old).zip(new) {
                compare(format!("{path}[{name}]"), old, new, fields);
            }
        }
        _ => fields.push(path),
    }
}

/// The name of each item, or its place.
fn names(items: &[Value]) -> Vec<String> {
    let name = |item: &Value| item.get("name").and_then(Value::as_str).map(str::to_owned);
    items.iter().enumerate().map(|(place, item)| name(item).unwrap_or_else(|| place.to_string())).collect()
}

/// Labels and annotations of a pod that a newer template has otherwise. None as value: the pod loses the key.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MetadataChange {
    labels: BTreeMap<String, Option<String>>,
    annotations: BTreeMap<String, Option<String>>,
}

impl MetadataChange {
    /// From the metadata of the template of the pod to that of the wanted one. A value that is of neither is of somebody else, and
    /// stays.
    pub(super) fn of(pod: &Pod, old: &Value, new: &Value, own_labels: &[String]) -> Self {
        let mut labels = changes(pod.labels(), &old["labels"], &new["labels"]);
        labels.retain(|key, _| !own_labels.contains(key));
        Self { labels, annotations: changes(pod.annotations(), &old["annotations"], &new["annotations"]) }
    }

    pub(super) fn labels(&self) -> BTreeMap<&str, Value> {
        patch(&self.labels)
    }

    pub(super) fn annotations(&self) -> BTreeMap<&str, Value> {
        patch(&self.annotations)
    }

    /// The pod as it is after the change, with another label beside.
    pub(super) fn applied(&self, pod: &Pod, label: (&str, &str)) -> Pod {
        let mut pod = pod.clone();
        apply(pod.metadata.labels.get_or_insert_default(), &self.labels);
        apply(pod.metadata.annotations.get_or_insert_default(), &self.annotations);
        pod.labels_mut().insert(label.0.to_owned(), label.1.to_owned());
        pod
    }
}

fn changes(pod: &BTreeMap<String, String>, old: &Value, new: &Value) -> BTreeMap<String, Option<String>> {
    let fields = |side: &Value| side.as_object().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (old, new) = (fields(old), fields(new));
    let is_dropped =
        |(key, value): &(&String, &Value)| !new.contains_key(*key) && pod.get(*key) == Some(&text(value));
    let dropped = old.iter().filter(is_dropped).map(|(key, _)| (key.clone(), None));
    let is_written = |(key, value): &(&String, &Value)| pod.get(*key) != Some(&text(value));
    let written = new.iter().filter(is_written).map(|(key, value)| (key.clone(), Some(text(value))));
    dropped.chain(written).collect()
}

fn patch(changes: &BTreeMap<String, Option<String>>) -> BTreeMap<&str, Value> {
    changes.iter().map(|(key, value)| (key.as_str(), json!(value))).collect()
}

fn apply(all: &mut BTreeMap<String, String>, changes: &BTreeMap<String, Option<String>>) {
    for (key, value) in changes {
        match value {
            Some(value) => _ = all.insert(key.clone(), value.clone()),
            None => _ = all.remove(key),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_that_differ_are_named_and_their_values_are_not() {
        let spec = |image: &str, grace: u32| {
            json!({"containers": [{"name": "db", "image": image, "env": [{"name": "A", "value": "s"}]}],
                "terminationGracePeriodSeconds": grace})
        };
        let mut other = spec("a", 5);
        other["containers"][0]["env"][0]["value"] = json!("t");
        let mut more = spec("a", 5);
        more["containers"].as_array_mut().unwrap().push(json!({"name": "log"}));
        for (new, expected) in [
            (spec("a", 5), vec![]),
            (spec("b", 5), vec!["spec.containers[db].image"]),
            (spec("b", 6), vec!["spec.containers[db].image", "spec.terminationGracePeriodSeconds"]),
            (other, vec!["spec.containers[db].env[A].value"]),
            (more, vec!["spec.containers"]),
        ] {
            assert_eq!(changed_fields(&spec("a", 5), &new), expected);
        }
        let many: Map<String, Value> = (0..9).map(|n| (format!("f{n}"), json!(n))).collect();
        assert_eq!(changed_fields(&json!({}), &Value::Object(many)).last().unwrap(), "4 more");
    }

    #[test]
    fn a_pod_gets_what_the_template_has_and_keeps_what_is_of_others() {
        let pod: Pod = serde_json::from_value(json!({"metadata": {
            "labels": {"app": "x", "team": "a", "gone": "1", "changed": "by hand", "theirs": "1", "r": "r1"},
            "annotations": {"n": "1"}}}))
        .unwrap();
        let old = json!({"labels": {"app": "x", "team": "a", "gone": "1", "changed": "1"}, "annotations": {"n": "1"}});
        let new = json!({"labels": {"app": "y", "team": "b", "new": "1"}});
        let change = MetadataChange::of(&pod, &old, &new, &["app".to_owned()]);
        assert_eq!(json!(change.labels()), json!({"team": "b", "gone": null, "new": "1"}));
        assert_eq!(json!(change.annotations()), json!({"n": null}));
        let after = change.applied(&pod, ("r", "r2"));
        let labels =
            json!({"app": "x", "team": "b", "changed": "by hand", "theirs": "1", "new": "1", "r": "r2"});
        assert_eq!((json!(after.labels()), after.annotations().len()), (labels, 0));
    }
}
