//! Writes of objects, as a table of what is refused and of what is left as it was.

use hyper::StatusCode;
use serde_json::Value;

use crate::answer::{Answer, conflict, failure, invalid, not_found, unsupported};
use crate::apply;
use crate::birth::{born, new};
use crate::decide::Effect;
use crate::kind::{Kind, frozen};
use crate::merge::{Lists, merge};
use crate::removal::{finalizers, may_go};
use crate::request::{Request, Verb};

/// What nobody changes.
const LASTING: [&str; 6] = [
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "namespace",
];

/// A replacement, a patch or an apply.
pub(crate) fn changed(
    found: Option<&Value>,
    request: &Request,
    kind: Kind,
    uid: impl FnOnce() -> String,
) -> Result<Effect, Answer> {
    let path = request.place.path.clone();
    let meant = &request.sent["metadata"];
    // A replacement names the object that it replaces; where it might make one, also if none is there.
    let is_bound = request.verb == Verb::Replace && !meant["uid"].is_null();
    let is_there = found.is_some() || kind.made_by_replace;
    if is_bound && is_there && meant["uid"] != found.unwrap_or(&Value::Null)["metadata"]["uid"] {
        return Err(conflict("another UID"));
    }
    let Some(before) = found else { return made(request, kind, uid()) };
    check_version(before, request, kind)?;
    let mut object = written(before, request, kind)?;
    check_lasting(before, &object, &request.place.plural)?;
    if request.verb != Verb::Apply && request.verb != Verb::JsonPatch {
        apply::updated(Some(before), &mut object, request);
    }
    if may_go(&object) {
        return Ok(Effect::Remove { path, told: object, marked: None, is_told_gone: false });
    }
    let is_scale = request.place.subresource.as_deref() == Some("scale");
    Ok(Effect::Put { code: StatusCode::OK, path, object, is_scale })
}

/// A write to what is not there, for those that make it.
fn made(request: &Request, kind: Kind, uid: String) -> Result<Effect, Answer> {
    let mut object = match request.verb {
        Verb::Apply if !request.sent["metadata"]["uid"].is_null() => {
            return Err(conflict("no object of this UID"));
        }
        Verb::Apply => apply::applied(None, request)?,
        Verb::Replace if kind.made_by_replace => request.sent.clone(),
        _ => return Err(not_found()),
    };
    born(&mut object, request, kind, uid);
    if request.verb == Verb::Replace {
        apply::updated(None, &mut object, request);
    }
    Ok(new(request.place.path.clone(), object))
}

/// What a write may not change.
fn check_lasting(before: &Value, after: &Value, plural: &str) -> Result<(), Answer> {
    if after["metadata"]["uid"] != before["metadata"]["uid"] {
        return Err(invalid("metadata.uid"));
    }
    if let Some(field) = frozen(plural, before, after) {
        return Err(invalid(field));
    }
    let is_new = |finalizer: &String| !finalizers(before).contains(finalizer);
    if !before["metadata"]["deletionTimestamp"].is_null() && finalizers(after).iter().any(is_new) {
        return Err(invalid("metadata.finalizers"));
    }
    Ok(())
}

fn check_version(before: &Value, request: &Request, kind: Kind) -> Result<(), Answer> {
    let meant = &request.sent["metadata"]["resourceVersion"];
    if request.verb == Verb::JsonPatch {
        let tested =
            request.sent.as_array().into_iter().flatten().find(|operation| operation["op"] == "test");
        let is_met = tested.is_none_or(|tested| tested["value"] == before["metadata"]["resourceVersion"]);
        return if is_met { Ok(()) } else { Err(invalid("test")) };
    }
    let is_said = meant.as_str().is_some_and(|version| !version.is_empty());
    if is_said && *meant != before["metadata"]["resourceVersion"] {
        return Err(conflict("another version"));
    }
    let is_whole = request.place.subresource.as_deref() != Some("scale");
    let must_say = request.verb == Verb::Replace && !kind.any_version && is_whole;
    if must_say && !is_said { Err(invalid("metadata.resourceVersion")) } else { Ok(()) }
}

/// The object as it is after the write.
fn written(before: &Value, request: &Request, kind: Kind) -> Result<Value, Answer> {
    let mut object = match (request.verb, request.place.subresource.as_deref()) {
        (Verb::Replace, None) => request.sent.clone(),
        (Verb::Apply, None) => apply::applied(Some(before), request)?,
        (_, None) => patched(before.clone(), request, kind)?,
        (_, Some(part)) => written_in_part(before.clone(), part, request, kind)?,
    };
    if object["metadata"]["name"] != before["metadata"]["name"] {
        return Err(failure(StatusCode::BAD_REQUEST, "BadRequest"));
    }
    if request.place.subresource.is_none() {
        keep(&mut object, before, kind);
    }
    Ok(object)
}

fn patched(mut object: Value, request: &Request, kind: Kind) -> Result<Value, Answer> {
    match request.verb {
        Verb::Merge => merge(&mut object, request.sent.clone(), Lists::Whole),
        Verb::Strategic if kind.is_custom => {
            return Err(failure(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType"));
        }
        Verb::Strategic => merge(&mut object, request.sent.clone(), Lists::Keyed),
        Verb::JsonPatch => owners(&mut object, &request.sent)?,
        Verb::Create | Verb::Delete | Verb::Replace | Verb::Apply => return Err(unsupported("no change")),
    }
    Ok(object)
}

fn written_in_part(mut object: Value, part: &str, request: &Request, kind: Kind) -> Result<Value, Answer> {
    let sent = &request.sent;
    match (request.verb, part) {
        (Verb::Replace, "status") if kind.is_custom => object["status"] = sent["status"].clone(),
        (Verb::Merge, "status") if kind.is_custom => {
            merge(&mut object["status"], sent["status"].clone(), Lists::Whole);
        }
        (Verb::Strategic, "status") if request.place.plural == "pods" => {
            merge(&mut object["status"], sent["status"].clone(), Lists::Keyed);
            // Another UID than the object's is refused.
            if !sent["metadata"]["uid"].is_null() {
                object["metadata"]["uid"] = sent["metadata"]["uid"].clone();
            }
        }
        (Verb::Replace, "scale") if request.place.plural == "statefulsets" => {
            object["spec"]["replicas"] = sent["spec"]["replicas"].clone();
        }
        _ => return Err(unsupported(&format!("{:?} of {part}", request.verb))),
    }
    Ok(object)
}

/// The one list of operations that is known: it says whose the fields are.
fn owners(object: &mut Value, operations: &Value) -> Result<(), Answer> {
    let replaced = operations.as_array().into_iter().flatten().find(|operation| operation["op"] == "replace");
    match replaced.filter(|operation| operation["path"] == "/metadata/managedFields") {
        Some(operation) => object["metadata"]["managedFields"] = operation["value"].clone(),
        None => return Err(unsupported("a JSON patch of other fields")),
    }
    Ok(())
}

/// What a writer leaves out of it, or cannot change.
fn keep(object: &mut Value, before: &Value, kind: Kind) {
    for field in LASTING {
        if field != "uid" || object["metadata"]["uid"].is_null() {
            object["metadata"][field] = before["metadata"][field].clone();
        }
    }
    if kind.has_status {
        object["status"] = before["status"].clone();
    }
    tidy(&mut object["metadata"]);
    tidy(object);
}

/// What is empty is as if it were not there.
pub(crate) fn tidy(object: &mut Value) {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|_, value| !is_empty(value));
    }
}
