//! New objects.

use hyper::StatusCode;
use serde_json::{Value, json};

use crate::answer::{Answer, unsupported};
use crate::apply;
use crate::change::tidy;
use crate::decide::Effect;
use crate::kind::Kind;
use crate::removal::{LONG_AGO, add_finalizer};
use crate::request::Request;

/// A new object.
pub(crate) fn created(request: &Request, kind: Kind, uid: String) -> Result<Effect, Answer> {
    let name = request.sent["metadata"]["name"].as_str().unwrap_or_default();
    if name.is_empty() || !request.sent["metadata"]["generateName"].is_null() {
        return Err(unsupported("an object without a name of its own"));
    }
    if request.sent["metadata"]["resourceVersion"].as_str().is_some_and(|version| !version.is_empty()) {
        return Err(unsupported("a new object with a version"));
    }
    let mut object = request.sent.clone();
    born(&mut object, request, kind, uid);
    apply::updated(None, &mut object, request);
    Ok(new(request.place.named(name), object))
}

/// It is answered as one that was made.
pub(crate) fn new(path: String, object: Value) -> Effect {
    Effect::Put { code: StatusCode::CREATED, path, object, is_scale: false }
}

/// What every object has, whoever made it.
pub(crate) fn born(object: &mut Value, request: &Request, kind: Kind, uid: String) {
    let metadata = &mut object["metadata"];
    metadata["uid"] = json!(uid);
    metadata["creationTimestamp"] = json!(LONG_AGO);
    if let Some(namespace) = &request.place.namespace {
        metadata["namespace"] = json!(namespace);
    }
    if kind.has_generation {
        metadata["generation"] = json!(1);
    }
    if let Some(fields) = metadata.as_object_mut() {
        ["deletionTimestamp", "deletionGracePeriodSeconds"]
            .iter()
            .for_each(|field| drop(fields.remove(*field)));
    }
    if kind.has_status
        && let Some(fields) = object.as_object_mut()
    {
        fields.remove("status");
    }
    if let Some(finalizer) = kind.finalizer {
        add_finalizer(object, finalizer);
    }
    tidy(&mut object["metadata"]);
    tidy(object);
}
