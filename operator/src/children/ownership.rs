//! Who owns an object, and who owns its fields.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta};
use serde_json::{Value, json};

use super::names::FIELD_MANAGER;

/// The controller of an object, if it is another than the set of this UID, as "Kind name".
pub(super) fn foreign_controller(meta: &ObjectMeta, set_uid: &str) -> Option<String> {
    let controller = meta.owner_references.iter().flatten().find(|owner| owner.controller == Some(true))?;
    (controller.uid != set_uid).then(|| format!("{} {}", controller.kind, controller.name))
}

/// Whether an object was made for the set of this UID.
pub(super) fn is_ours(meta: &ObjectMeta, set_uid: &str) -> bool {
    meta.owner_references.iter().flatten().any(|owner| owner.controller == Some(true) && owner.uid == set_uid)
}

/// A JSON patch by which what was created or taken over becomes ours by server-side apply.
///
/// Fields of an object that was created belong to an entry of the operation Update. Server-side apply would own them
/// a second time, and a field that is later no longer wanted would stay for the sake of the first. So that entry is
/// made the one of our apply. `replicas` is left out of it: the next apply does not name it, and would else reset it.
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
    let maker = entries.iter().find(|entry| !by_apply(entry) && whole(entry) && has_template(entry))?;
    let mut owned = fields(maker)?;
    if let Some(spec) = owned["f:spec"].as_object_mut() {
        spec.remove("f:replicas");
    }
    let ours = json!({
        "manager": FIELD_MANAGER,
        "operation": "Apply",
        "apiVersion": maker.api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": owned,
        "time": maker.time,
    });
    let others = entries.iter().filter(|entry| by_apply(entry) || !whole(entry) || !has_template(entry));
    let all: Vec<Value> =
        std::iter::once(ours).chain(others.filter_map(|entry| serde_json::to_value(entry).ok())).collect();
    Some(json!([
        { "op": "test", "path": "/metadata/resourceVersion", "value": meta.resource_version },
        { "op": "replace", "path": "/metadata/managedFields", "value": all },
    ]))
}
