//! What is asked for.

use hyper::Method;
use hyper::http::request::Parts;
use serde_json::Value;

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
    /// From the head of a request, and its body. None: it is a read.
    #[must_use]
    pub fn of(head: &Parts, sent: Value) -> Option<Self> {
        let content =
            head.headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let query = head.uri.query().unwrap_or_default();
        let verb = Verb::of(&head.method, content)?;
        Some(Self::new(verb, Place::of(head.uri.path(), query), query, sent))
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
