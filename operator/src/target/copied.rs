//! Labels and annotations that go from the resource to what is made for it.

use std::collections::BTreeMap;

use kube::Resource;

use super::invalid::Problems;
use crate::api::ReplicatedStatefulSet;

type Pairs = BTreeMap<String, String>;

/// Annotations of the resource that are never copied. The first two describe the resource alone. By those of a delivery
/// tool a copy looks like an object that the tool has to remove.
const RESOURCE_ONLY: [&str; 4] =
    ["kubectl.kubernetes.io/", "clusterlabs.org/", "argocd.argoproj.io/", "meta.helm.sh/"];

/// Keys that the operator writes itself.
const OWN: &str = "clusterlabs.org/";

/// The labels and the annotations.
pub(super) fn metadata(set: &ReplicatedStatefulSet, problems: &mut Problems) -> (Pairs, Pairs) {
    let given = set.spec.metadata.clone().unwrap_or_default();
    check(&given.labels, "spec.metadata.labels", |key| is_selected_by(key) || key.starts_with(OWN), problems);
    check(&given.annotations, "spec.metadata.annotations", |key| key.starts_with(OWN), problems);
    if given.copy_from_resource != Some(true) {
        return (given.labels, given.annotations);
    }
    let mut labels = set.meta().labels.clone().unwrap_or_default();
    check(&labels, "metadata.labels", is_selected_by, problems);
    labels.retain(|key, _| !key.starts_with(OWN));
    labels.extend(given.labels);
    let mut annotations = set.meta().annotations.clone().unwrap_or_default();
    annotations.retain(|key, _| !RESOURCE_ONLY.iter().any(|prefix| key.starts_with(prefix)));
    annotations.extend(given.annotations);
    (labels, annotations)
}

/// Services, workloads and budgets find pods by these labels.
fn is_selected_by(key: &str) -> bool {
    key == "app" || key.starts_with("rss")
}

fn check(given: &Pairs, path: &str, is_own: impl Fn(&str) -> bool, problems: &mut Problems) {
    for key in given.keys().filter(|key| is_own(key)) {
        problems.add(
            format!("{path}[{key}]"),
            "the labels `app` and `rss*`, and all keys of `clusterlabs.org/`, are the operator's",
            "choose another key",
        );
    }
}
