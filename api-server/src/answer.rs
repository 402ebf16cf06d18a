//! What is answered.

use hyper::StatusCode;
use serde_json::{Value, json};

use crate::kept::Kept;

/// A code and what stands in the body.
pub type Answer = (StatusCode, Kept);

/// A refusal, as the API server tells it.
#[must_use]
pub fn failure(code: StatusCode, reason: &str) -> Answer {
    told(code, reason, reason, &[])
}

/// There is no such object.
#[must_use]
pub fn not_found() -> Answer {
    failure(StatusCode::NOT_FOUND, "NotFound")
}

/// It is not the object, or not the version, that was meant.
pub(crate) fn conflict(why: &str) -> Answer {
    told(StatusCode::CONFLICT, "Conflict", why, &[])
}

/// A field that cannot be so.
pub(crate) fn invalid(field: &str) -> Answer {
    told(StatusCode::UNPROCESSABLE_ENTITY, "Invalid", "it cannot be so", &[field])
}

/// Something that these rules do not know.
pub(crate) fn unsupported(what: &str) -> Answer {
    told(StatusCode::NOT_IMPLEMENTED, "NotImplemented", what, &[])
}

/// What is gone at once and is not told as an object.
pub(crate) fn success() -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"})
}

fn told(code: StatusCode, reason: &str, message: &str, fields: &[&str]) -> Answer {
    let mut body = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "reason": reason, "message": message, "code": code.as_u16()});
    if !fields.is_empty() {
        let causes: Vec<Value> = fields.iter().map(|field| json!({"field": field})).collect();
        body["details"] = json!({"causes": causes});
    }
    (code, body.into())
}
