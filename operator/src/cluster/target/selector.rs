//! The name and the labels by which pods are found.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelectorRequirement;

use crate::api::{ClusterSpec, LONGEST_CLUSTER_NAME, NAME_LABEL};
use crate::cluster::names;

/// Why, and what to do.
const RESERVED: &str = "the operator writes it itself; leave it out";

pub(super) fn name_is_short(name: &str, wrong: &mut Vec<String>) {
    let is_label = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && !name.starts_with('-')
        && !name.ends_with('-');
    if name.len() > LONGEST_CLUSTER_NAME || !is_label {
        wrong.push(format!(
            "metadata.name: it is part of host names and labels: at most {LONGEST_CLUSTER_NAME} of a-z, 0-9 and '-'"
        ));
    }
}

/// The selector's labels with our own; what contradicts them cannot be found by them.
pub(super) fn labels(name: &str, spec: &ClusterSpec, wrong: &mut Vec<String>) -> BTreeMap<String, String> {
    let mut labels = spec.selector.match_labels.clone().unwrap_or_default();
    let expressions = spec.selector.match_expressions.as_deref().unwrap_or_default();
    if labels.is_empty() && expressions.is_empty() {
        wrong.push("spec.selector: it is empty; name a label in matchLabels".to_owned());
    }
    if labels.get(NAME_LABEL).is_some_and(|value| value != name) {
        wrong.push(format!("spec.selector.matchLabels[{NAME_LABEL}]: it is the name of the resource"));
    }
    for key in labels.keys().filter(|key| names::RESERVED.contains(&key.as_str())) {
        wrong.push(format!("spec.selector.matchLabels[{key}]: {RESERVED}"));
    }
    labels.extend(names::own_label(name));
    let of_template =
        spec.template.metadata.as_ref().and_then(|meta| meta.labels.clone()).unwrap_or_default();
    for (key, value) in &of_template {
        if labels.get(key).is_some_and(|other| other != value) {
            wrong.push(format!(
                "spec.template.metadata.labels[{key}]: it contradicts spec.selector.matchLabels"
            ));
        }
    }
    let mut all = of_template;
    all.extend(labels.clone());
    for (at, expression) in expressions.iter().enumerate() {
        if !matches(expression, &all) {
            wrong.push(format!("spec.selector.matchExpressions[{at}]: the pods' own labels do not match it"));
        }
    }
    labels
}

/// What is ours alone, in templates of pods and of claims.
pub(super) fn nothing_is_reserved(spec: &ClusterSpec, wrong: &mut Vec<String>) {
    let claims = spec.volume_claim_templates.iter().enumerate();
    let claims =
        claims.map(|(at, claim)| (format!("spec.volumeClaimTemplates[{at}]"), Some(&claim.metadata)));
    let pods = [("spec.template".to_owned(), spec.template.metadata.as_ref())];
    for (of, meta) in pods.into_iter().chain(claims) {
        let Some(meta) = meta else { continue };
        for (field, all) in [("labels", &meta.labels), ("annotations", &meta.annotations)] {
            let reserved = all.iter().flatten().filter(|(key, _)| names::RESERVED.contains(&key.as_str()));
            wrong.extend(reserved.map(|(key, _)| format!("{of}.metadata.{field}[{key}]: {RESERVED}")));
        }
    }
}

fn matches(expression: &LabelSelectorRequirement, labels: &BTreeMap<String, String>) -> bool {
    let found = labels.get(&expression.key);
    let is_in = || found.is_some_and(|value| expression.values.iter().flatten().any(|one| one == value));
    match expression.operator.as_str() {
        "In" => is_in(),
        "NotIn" => !is_in(),
        "Exists" => found.is_some(),
        "DoesNotExist" => found.is_none(),
        _ => false,
    }
}
