//! Changes of a pod that lives: to another template, or to be found by no service any more.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::PodTemplateSpec;
use serde_json::{Value, json};
use stateful_cluster::names::{Identity, PodUid};

use super::Wanted;
use super::names::ENDING;
use super::template::{found_by, labels};

/// What brings a pod that lives from one template to another. A label or annotation of the former one that the new
/// one has not is taken away; those of others stay.
pub(super) fn change(
    wanted: &Wanted,
    identity: &Identity,
    uid: &PodUid,
    from: Option<&PodTemplateSpec>,
    to: &PodTemplateSpec,
    ending: &str,
) -> Value {
    let former = from.and_then(|from| from.metadata.clone()).unwrap_or_default();
    let meta = to.metadata.clone().unwrap_or_default();
    let mut annotations = meta.annotations.unwrap_or_default();
    annotations.insert(ENDING.into(), ending.to_owned());
    let containers = to.spec.iter().flat_map(|spec| &spec.containers);
    let images: Vec<_> = containers.map(|c| json!({"name": c.name, "image": c.image})).collect();
    json!({
        "metadata": {
            "uid": uid.0,
            "labels": replaced(former.labels, labels(wanted, to, identity)),
            "annotations": replaced(former.annotations, annotations),
        },
        "spec": {"containers": images},
    })
}

/// What sets a pod aside: no service finds it any more, and we do.
pub(super) fn set_aside(wanted: &Wanted, uid: &PodUid, templates: &[&PodTemplateSpec]) -> Value {
    let keys = templates.iter().flat_map(|template| found_by(wanted, template).into_keys());
    let mut gone: BTreeMap<_, _> = keys.map(|key| (key, Value::Null)).collect();
    gone.extend(wanted.labels.keys().map(|key| (key.clone(), Value::Null)));
    json!({"metadata": {"uid": uid.0, "labels": gone}})
}

fn replaced(
    former: Option<BTreeMap<String, String>>,
    now: BTreeMap<String, String>,
) -> BTreeMap<String, Value> {
    let gone = former.unwrap_or_default().into_keys().map(|key| (key, Value::Null));
    gone.chain(now.into_iter().map(|(key, value)| (key, Value::String(value)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::target::fixture::{template_of as of, wanted};

    #[test]
    fn what_the_former_template_had_alone_is_taken_away() {
        let from = serde_json::from_value(json!({"metadata": {"labels": {"old": "1"}}})).unwrap();
        let patch = change(
            &wanted(json!({})),
            &"coder-a".into(),
            &"u".into(),
            Some(&from),
            &of("b", "x", "run"),
            "c://a",
        );
        assert_eq!(patch["metadata"]["labels"]["old"], Value::Null);
        assert!(patch["metadata"]["labels"].as_object().unwrap().contains_key("old"));
        assert_eq!(patch["metadata"]["labels"]["tier"], "x");
        assert_eq!(patch["metadata"]["annotations"][ENDING], "c://a");
        assert_eq!(patch["spec"]["containers"], json!([{"name": "db", "image": "b"}]));
    }

    #[test]
    fn a_pod_that_is_set_aside_keeps_the_label_by_which_we_see_it() {
        let patch = set_aside(&wanted(json!({})), &"u".into(), &[&of("a", "x", "run")]);
        let labels = patch["metadata"]["labels"].as_object().unwrap();
        let keys: Vec<_> = labels.keys().map(String::as_str).collect();
        assert_eq!(keys, ["app", "enge.me/statefulcluster", "tier"]);
        assert!(labels.values().all(Value::is_null));
    }
}
