//! Deletion: at once, or once everybody let go.

use hyper::StatusCode;
use serde_json::{Value, json};

use crate::answer::{Answer, conflict, success, unsupported};
use crate::decide::Effect;
use crate::kind::{Kind, OF_CONTROLLERS};
use crate::request::Request;

/// What a pod is given where neither it nor who deletes it says.
const GRACE: u64 = 30;
/// When, is of no meaning where time is virtual.
pub(crate) const LONG_AGO: &str = "2026-01-01T00:00:00Z";

/// What a deletion does.
pub(crate) fn removed(found: &Value, request: &Request, kind: Kind) -> Result<Effect, Answer> {
    let meant = &request.sent["preconditions"];
    for field in ["uid", "resourceVersion"] {
        if !meant[field].is_null() && meant[field] != found["metadata"][field] {
            return Err(conflict("the precondition failed"));
        }
    }
    let path = request.place.path.clone();
    let mut object = found.clone();
    match request.sent["propagationPolicy"].as_str() {
        None | Some("Background") => {}
        Some("Orphan") => add_finalizer(&mut object, "orphan"),
        Some(other) => return Err(unsupported(&format!("deletion in {other}"))),
    }
    let is_held = !finalizers(&object).is_empty();
    let grace = grace(found, &request.sent, kind);
    if is_held || grace > 0 {
        mark(&mut object, grace);
        return Ok(Effect::Put { code: StatusCode::OK, path, object, is_scale: false });
    }
    if kind.is_graceful {
        mark(&mut object, 0);
        let (told, marked) = (object.clone(), Some(object));
        return Ok(Effect::Remove { path, told, marked, is_told_gone: true });
    }
    let told = if kind.told_at_removal { object } else { success() };
    Ok(Effect::Remove { path, told, marked: None, is_told_gone: kind.told_at_removal })
}

/// A grace period only ever gets shorter.
fn grace(found: &Value, sent: &Value, kind: Kind) -> u64 {
    let is_placed = found["spec"]["nodeName"].as_str().is_some_and(|node| !node.is_empty());
    let is_over = matches!(found["status"]["phase"].as_str(), Some("Failed" | "Succeeded"));
    if !kind.is_graceful || !is_placed || is_over {
        return 0;
    }
    let own = found["spec"]["terminationGracePeriodSeconds"].as_u64().unwrap_or(GRACE);
    let wanted = sent["gracePeriodSeconds"].as_u64().unwrap_or(own);
    found["metadata"]["deletionGracePeriodSeconds"].as_u64().map_or(wanted, |left| left.min(wanted))
}

fn mark(object: &mut Value, grace: u64) {
    let metadata = &mut object["metadata"];
    if metadata["deletionTimestamp"].is_null() {
        metadata["deletionTimestamp"] = json!(LONG_AGO);
        if let Some(generation) = metadata["generation"].as_u64() {
            metadata["generation"] = json!(generation + 1);
        }
    }
    metadata["deletionGracePeriodSeconds"] = json!(grace);
}

pub(crate) fn finalizers(object: &Value) -> Vec<String> {
    let all = object["metadata"]["finalizers"].as_array().into_iter().flatten();
    all.filter_map(Value::as_str).map(str::to_owned).collect()
}

pub(crate) fn add_finalizer(object: &mut Value, finalizer: &str) {
    let mut all = finalizers(object);
    if !all.iter().any(|known| known == finalizer) {
        all.push(finalizer.to_owned());
    }
    object["metadata"]["finalizers"] = json!(all);
}

/// It was to go, and nothing holds it any more.
pub(crate) fn may_go(object: &Value) -> bool {
    let metadata = &object["metadata"];
    let is_over = metadata["deletionGracePeriodSeconds"].as_u64().unwrap_or(0) == 0;
    !metadata["deletionTimestamp"].is_null() && is_over && finalizers(object).is_empty()
}

/// The same object, once the cluster's own controllers are done with it; None: they had nothing to do with it.
pub(crate) fn let_go(object: &Value) -> Option<Value> {
    if object["metadata"]["deletionTimestamp"].is_null() {
        return None;
    }
    let all = finalizers(object);
    let left: Vec<_> = all.iter().filter(|one| !OF_CONTROLLERS.contains(&one.as_str())).cloned().collect();
    let mut object = object.clone();
    object["metadata"]["finalizers"] = json!(left);
    (left.len() < all.len()).then_some(object)
}
