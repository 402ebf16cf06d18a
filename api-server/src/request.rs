//! What is asked for.

use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use serde_json::Value;

use crate::answer::{Answer, failure};
use crate::place::Place;

/// A write.
#[derive(Clone, Debug)]
pub struct Request {
    /// What shall be done.
    pub verb: Verb,
    /// To what.
    pub place: Place,
    /// What was sent.
    pub sent: Value,
    /// Whose the fields are that it writes.
    pub manager: String,
    /// An apply takes fields from others.
    pub force: bool,
}

/// What a write asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// A new object.
    Create,
    /// An object shall go.
    Delete,
    /// The whole object, or the whole of a part of it.
    Replace,
    /// A list of operations.
    JsonPatch,
    /// What is sent is laid over the object; what is null goes.
    Merge,
    /// The same, and lists whose items have keys are merged by them.
    Strategic,
    /// Server-side apply.
    Apply,
}

/// As the API server calls who does not say who it is; truly that is the beginning of the user agent.
const NOBODY: &str = "unknown";

impl Request {
    /// From the head of a request, and its body, which is read as JSON also where YAML could be sent. None: it is a read.
    ///
    /// # Errors
    /// The body is not what such a request has: it is refused, with this answer.
    pub fn of(head: &Parts, body: &[u8]) -> Result<Option<Self>, Answer> {
        let content =
            head.headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let query = head.uri.query().unwrap_or_default();
        let Some(verb) = Verb::of(&head.method, content) else { return Ok(None) };
        // Only a deletion may say nothing.
        let body = if verb == Verb::Delete && body.is_empty() { b"{}" } else { body };
        let sent = serde_json::from_slice(body).ok().filter(|sent| verb.takes(sent));
        let sent = sent.ok_or_else(|| failure(StatusCode::BAD_REQUEST, "BadRequest"))?;
        Ok(Some(Self::new(verb, Place::of(head.uri.path(), query), query, sent)))
    }

    /// What stands behind the question mark says who writes.
    #[must_use]
    pub fn new(verb: Verb, place: Place, query: &str, sent: Value) -> Self {
        let said = |key: &str| query.split('&').find_map(|part| part.strip_prefix(key));
        let manager = said("fieldManager=").unwrap_or(NOBODY).to_owned();
        Self { verb, place, sent, manager, force: said("force=") == Some("true") }
    }
}

impl Verb {
    /// None: it is a read.
    #[must_use]
    pub fn of(method: &Method, content: &str) -> Option<Self> {
        Some(match (method.as_str(), content) {
            ("GET", _) => return None,
            ("POST", _) => Self::Create,
            ("DELETE", _) => Self::Delete,
            ("PUT", _) => Self::Replace,
            (_, "application/json-patch+json") => Self::JsonPatch,
            (_, "application/merge-patch+json") => Self::Merge,
            (_, "application/strategic-merge-patch+json") => Self::Strategic,
            _ => Self::Apply,
        })
    }

    fn takes(self, sent: &Value) -> bool {
        if self == Self::JsonPatch { sent.is_array() } else { sent.is_object() }
    }

    /// For logs of writes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::Replace => "replace",
            Self::JsonPatch => "json-patch",
            Self::Merge => "merge",
            Self::Strategic => "strategic",
            Self::Apply => "apply",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code with which it is refused, if it is; else what was sent.
    fn read(method: &str, content: &str, body: &str) -> Result<Option<Value>, u16> {
        let head = hyper::Request::builder().method(method).uri("/api/v1/namespaces/a/pods/p");
        let (head, ()) = head.header("content-type", content).body(()).expect("a request").into_parts();
        let request = Request::of(&head, body.as_bytes()).map_err(|(code, _)| code.as_u16())?;
        Ok(request.map(|request| request.sent))
    }

    #[test]
    fn a_body_that_is_not_what_the_request_needs_is_refused_and_a_deletion_may_have_none() {
        let (object, list) = (Value::Object(Default::default()), Value::Array(Vec::new()));
        let (json, merge, patch) =
            ("application/json", "application/merge-patch+json", "application/json-patch+json");
        for (method, content, body, expected) in [
            ("GET", json, "{", Ok(None)),
            ("DELETE", json, "", Ok(Some(object.clone()))),
            ("DELETE", json, "{", Err(400)),
            ("POST", json, "", Err(400)),
            ("POST", json, "{}", Ok(Some(object.clone()))),
            ("POST", json, "null", Err(400)),
            ("PUT", json, "kind: Pod", Err(400)),
            ("PUT", json, "[]", Err(400)),
            ("PATCH", merge, "{} {}", Err(400)),
            ("PATCH", merge, "{}", Ok(Some(object))),
            ("PATCH", patch, "{}", Err(400)),
            ("PATCH", patch, "[]", Ok(Some(list))),
        ] {
            assert_eq!(read(method, content, body), expected, "{method} {content} {body:?}");
        }
    }
}
