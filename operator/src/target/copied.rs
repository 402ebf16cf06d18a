//! Labels and annotations that go from the resource to what is made for it.

use std::collections::BTreeMap;

use super::invalid::Problems;

/// Annotations that say something about the resource alone. On a copy the first two would be a lie, and with those
/// of the tools that deliver manifests the copy would look like something that they should remove.
const KEPT_BACK: [&str; 4] =
    ["kubectl.kubernetes.io/", "clusterlabs.org/", "argocd.argoproj.io/", "meta.helm.sh/"];

/// Labels to be copied. The operator selects by `app` and `rss*`: a resource that sets them is refused.
pub(super) fn labels(
    given: Option<&BTreeMap<String, String>>,
    problems: &mut Problems,
) -> BTreeMap<String, String> {
    let mut copied = given.cloned().unwrap_or_default();
    for key in copied.keys().filter(|key| *key == "app" || key.starts_with("rss")) {
        problems.add(
            format!("metadata.labels[{key}]"),
            "the labels `app` and `rss*` of pods and services are the operator's",
            "choose another key",
        );
    }
    copied.retain(|key, _| !key.starts_with("clusterlabs.org/"));
    copied
}

/// Annotations to be copied.
pub(super) fn annotations(given: Option<&BTreeMap<String, String>>) -> BTreeMap<String, String> {
    let mut copied = given.cloned().unwrap_or_default();
    copied.retain(|key, _| !KEPT_BACK.iter().any(|prefix| key.starts_with(prefix)));
    copied
}
