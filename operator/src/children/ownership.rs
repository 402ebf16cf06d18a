//! Who owns an object, and who owns its fields.

use std::fmt;

use k8s_openapi::DeepMerge;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ManagedFieldsEntry, ObjectMeta};
use serde_json::{Value, json};

use super::names::{FIELD_MANAGER, labels_of};

/// Why an object is not the set's, although its name is that of a child. It is never written, scaled or deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// It has this controller, as "Kind name".
    Controlled(String),
    /// It has no controller, and not the labels that every child of the set carries.
    Unlabelled,
    /// It is a StatefulSet without a controller, and its selector finds other pods than the set's.
    OtherPods,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Controlled(owner) => write!(f, "it belongs to {owner}"),
            Self::Unlabelled => {
                f.write_str("it has neither an owner nor the labels of the set's own objects")
            }
            Self::OtherPods => f.write_str("it has no owner, and its selector is not the set's"),
        }
    }
}

/// Whether an object of a child's name is another's than the set's of this name and UID. What has no controller may
/// be adopted if it carries the labels that this operator and its ancestor give to all that they make.
pub(super) fn foreign(meta: &ObjectMeta, set_name: &str, set_uid: &str) -> Option<Foreign> {
    if let Some(owner) = meta.owner_references.iter().flatten().find(|owner| owner.controller == Some(true)) {
        let controlled = || Foreign::Controlled(format!("{} {}", owner.kind, owner.name));
        return (owner.uid != set_uid).then(controlled);
    }
    let has = |key, value| meta.labels.as_ref().is_some_and(|labels| labels.get(key) == Some(value));
    let is_labelled = labels_of(set_name).iter().all(|(key, value)| has(key, value));
    (!is_labelled).then_some(Foreign::Unlabelled)
}

/// The object of a child's name is another's.
pub(crate) fn is_foreign(meta: &ObjectMeta, set_name: &str, set_uid: &str) -> bool {
    foreign(meta, set_name, set_uid).is_some()
}

/// The same of a StatefulSet: one without a controller must also find the pods that the set's would find.
#[must_use]
pub fn foreign_stateful_set(found: &StatefulSet, set_name: &str, set_uid: &str) -> Option<Foreign> {
    let is_other = || {
        let ours = LabelSelector { match_labels: Some(labels_of(set_name)), ..LabelSelector::default() };
        !is_ours(&found.metadata, set_uid) && found.spec.as_ref().is_none_or(|spec| spec.selector != ours)
    };
    foreign(&found.metadata, set_name, set_uid).or_else(|| is_other().then_some(Foreign::OtherPods))
}

/// Whether an object was made for the set of this UID.
pub(super) fn is_ours(meta: &ObjectMeta, set_uid: &str) -> bool {
    meta.owner_references.iter().flatten().any(|owner| owner.controller == Some(true) && owner.uid == set_uid)
}

/// A JSON patch by which what was created or taken over becomes ours by server-side apply.
///
/// Fields of an object that was created belong to an entry of the operation Update. Server-side apply would own them
/// a second time, and a field that is later no longer wanted would stay for the sake of the first. So that entry is
/// made the one of our apply, and with it each that names the template: whose comes first is not told, where both are of the
/// same second. `replicas`, and who was given up, are left out of it: the next apply does not name them, and would else
/// reset them.
/// `None` where our apply has an entry already.
pub(super) fn take_over(meta: &ObjectMeta) -> Option<Value> {
    let entries = meta.managed_fields.as_deref().unwrap_or_default();
    let whole = |entry: &ManagedFieldsEntry| entry.subresource.as_deref().is_none_or(str::is_empty);
    let by_apply = |entry: &&ManagedFieldsEntry| entry.operation.as_deref() == Some("Apply");
    if entries.iter().filter(by_apply).any(|entry| entry.manager.as_deref() == Some(FIELD_MANAGER)) {
        return None;
    }
    let fields = |entry: &ManagedFieldsEntry| entry.fields_v1.as_ref().map(|fields| fields.0.clone());
    let has_template =
        |entry: &&ManagedFieldsEntry| fields(entry).is_some_and(|f| f["f:spec"]["f:template"].is_object());
    let (makers, others): (Vec<_>, Vec<_>) =
        entries.iter().partition(|entry| !by_apply(entry) && whole(entry) && has_template(entry));
    let maker = makers.first()?;
    let mut owned = json!({});
    makers.iter().filter_map(|entry| fields(entry)).for_each(|fields| owned.merge_from(fields));
    if let Some(spec) = owned["f:spec"].as_object_mut() {
        spec.remove("f:replicas");
        spec.remove("f:replacement");
    }
    let ours = json!({
        "manager": FIELD_MANAGER,
        "operation": "Apply",
        "apiVersion": maker.api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": owned,
        "time": maker.time,
    });
    let others = others.into_iter().filter_map(|entry| serde_json::to_value(entry).ok());
    let all: Vec<Value> = std::iter::once(ours).chain(others).collect();
    Some(json!([
        { "op": "test", "path": "/metadata/resourceVersion", "value": meta.resource_version },
        { "op": "replace", "path": "/metadata/managedFields", "value": all },
    ]))
}
