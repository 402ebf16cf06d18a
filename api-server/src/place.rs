//! What a path of the API means.

use serde_json::Value;

/// One object, or all of a kind.
#[derive(Clone, Debug)]
pub struct Place {
    /// The path of the object, or of all, without a subresource.
    pub path: String,
    /// The kind, as paths name it.
    pub plural: String,
    /// None: all of them, or the kind has none.
    pub namespace: Option<String>,
    /// None: all of them.
    pub name: Option<String>,
    /// `status`, `scale`.
    pub subresource: Option<String>,
    /// The labels that are asked for, with their values where those are.
    labels: Vec<(String, Option<String>)>,
}

impl Place {
    /// `/api/v1/...` or `/apis/GROUP/VERSION/...`, and what stands behind the question mark.
    #[must_use]
    pub fn of(path: &str, query: &str) -> Self {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let rest = parts.get(if parts[0] == "api" { 2.. } else { 3.. }).unwrap_or_default();
        let (namespace, rest) = match rest {
            ["namespaces", namespace, rest @ ..] => (Some((*namespace).to_owned()), rest),
            rest => (None, rest),
        };
        let owned = |at: usize| rest.get(at).map(|part| (*part).to_owned());
        let subresource = owned(2);
        let of_subresource = subresource.as_ref().map_or(0, |subresource| subresource.len() + 1);
        Self {
            path: path[..path.len() - of_subresource].to_owned(),
            plural: owned(0).unwrap_or_default(),
            namespace,
            name: owned(1),
            subresource,
            labels: labels(query),
        }
    }

    /// The path of an object of this name here.
    #[must_use]
    pub fn named(&self, name: &str) -> String {
        format!("{}/{name}", self.path)
    }

    /// Whether an object of this kind, at this path, is among those that are meant.
    #[must_use]
    pub fn holds(&self, path: &str, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        let is_here = || {
            let namespace = path.split_once("/namespaces/").and_then(|(_, rest)| rest.split('/').next());
            self.namespace.is_none() || self.namespace.as_deref() == namespace
        };
        let has = |(key, value): &(String, Option<String>)| match value {
            Some(value) => labels[key] == *value,
            None => labels[key].is_string(),
        };
        self.labels.iter().all(has) && is_here()
    }

    /// An operator of a label selector that these rules do not know.
    pub(crate) fn odd_selector(&self) -> Option<&str> {
        let is_odd = |key: &str| key.contains(['!', '(', ' ', '%']);
        self.labels.iter().map(|(key, _)| key.as_str()).find(|key| is_odd(key))
    }
}

fn labels(query: &str) -> Vec<(String, Option<String>)> {
    let selector = query.split('&').find_map(|part| part.strip_prefix("labelSelector="));
    let selector = selector.unwrap_or_default().replace("%3D", "=").replace("%2C", ",").replace("%2F", "/");
    let label = |label: &str| match label.split_once('=') {
        Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
        None => (label.to_owned(), None),
    };
    selector.split(',').filter(|text| !text.is_empty()).map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_path_names_a_kind_a_namespace_an_object_and_a_part_of_it() {
        let parts = |path: &str| {
            let Place { path, plural, namespace, name, subresource, .. } = Place::of(path, "");
            [Some(path), Some(plural), namespace, name, subresource].map(Option::unwrap_or_default)
        };
        for (path, expected) in [
            ("/api/v1/namespaces/a/pods/p", ["/api/v1/namespaces/a/pods/p", "pods", "a", "p", ""]),
            ("/api/v1/pods", ["/api/v1/pods", "pods", "", "", ""]),
            (
                "/apis/g/v1/namespaces/a/xs/x/status",
                ["/apis/g/v1/namespaces/a/xs/x", "xs", "a", "x", "status"],
            ),
        ] {
            assert_eq!(parts(path), expected);
        }
    }

    #[test]
    fn those_are_meant_that_have_the_labels_and_are_in_the_namespace() {
        let at = "/api/v1/namespaces/a/pods/p";
        let object = json!({"metadata": {"labels": {"k/x": "1", "l": "2"}}});
        for (path, query, expected) in [
            ("/api/v1/pods", "", true),
            ("/api/v1/namespaces/a/pods", "limit=5&labelSelector=k%2Fx%3D1%2Cl", true),
            ("/api/v1/namespaces/a/pods", "labelSelector=k/x=2", false),
            ("/api/v1/namespaces/a/pods", "labelSelector=m", false),
            ("/api/v1/namespaces/b/pods", "", false),
        ] {
            assert_eq!(Place::of(path, query).holds(at, &object), expected, "{path}?{query}");
        }
    }
}
