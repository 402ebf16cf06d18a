//! What a path of the API means.

use serde_json::Value;

/// One object, or all of a kind.
pub(crate) struct Place {
    /// The path of the object, without a subresource.
    pub(crate) path: String,
    pub(crate) plural: String,
    pub(crate) namespace: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<String>,
    /// The labels that are asked for, each as `KEY=VALUE`, or as `KEY` where any value is meant.
    pub(crate) labels: Vec<String>,
    /// The UID of the object about which events are asked for.
    pub(crate) about: Option<String>,
}

impl Place {
    /// `/api/v1/...` or `/apis/GROUP/VERSION/...`.
    pub(crate) fn of(path: &str) -> Self {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (_, rest) = parts.split_at(if parts[0] == "api" { 2 } else { 3 });
        let (namespace, rest) = match rest {
            ["namespaces", namespace, rest @ ..] => (Some(*namespace), rest),
            rest => (None, rest),
        };
        let owned = |at: usize| rest.get(at).map(|part| (*part).to_owned());
        let subresource = owned(2);
        let of_subresource = subresource.as_ref().map_or(0, |subresource| subresource.len() + 1);
        Self {
            path: path[..path.len() - of_subresource].to_owned(),
            plural: owned(0).unwrap_or_default(),
            namespace: namespace.map(str::to_owned),
            name: owned(1),
            subresource,
            labels: Vec::new(),
            about: None,
        }
    }

    /// The same, of objects that have what the query asks for.
    pub(crate) fn selected(self, query: &str) -> Self {
        let selector = query.split('&').find_map(|part| part.strip_prefix("labelSelector="));
        let selector =
            selector.unwrap_or_default().replace("%3D", "=").replace("%2C", ",").replace("%2F", "/");
        let labels = selector.split(',').filter(|label| !label.is_empty()).map(str::to_owned).collect();
        let about =
            query.split('&').find_map(|part| part.strip_prefix("fieldSelector=involvedObject.uid%3D"));
        Self { labels, about: about.map(str::to_owned), ..self }
    }

    /// Whether an object at this path is among those that are meant.
    pub(crate) fn holds(&self, path: &str, object: &Value) -> bool {
        let other = Self::of(path);
        let labels = &object["metadata"]["labels"];
        let has = |label: &String| match label.split_once('=') {
            Some((key, value)) => labels[key] == value,
            None => labels[label.as_str()].is_string(),
        };
        other.plural == self.plural
            && (self.namespace.is_none() || self.namespace == other.namespace)
            && self.labels.iter().all(has)
            && self.about.as_ref().is_none_or(|uid| object["involvedObject"]["uid"] == *uid)
    }
}
