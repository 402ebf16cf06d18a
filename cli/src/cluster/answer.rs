//! What an answer has of a set, or what it is instead.

use std::fmt::{self, Display, Formatter};

use operator::api::ReplicatedStatefulSet;
use serde_json::Value;

/// The kind that is asked for.
const KIND: &str = "ReplicatedStatefulSet";

/// Why there is no set to be had of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is something else: what.
    Other(String),
    /// It is one, of which this tool cannot read a field.
    Field { path: String, why: String, name: String },
}

/// The set in an answer.
///
/// # Errors
/// If there is none, or one that this tool cannot read.
pub(super) fn read(text: &str) -> Result<ReplicatedStatefulSet, Unread> {
    let other = |what: &str| Err(Unread::Other(what.to_owned()));
    let whole = match serde_json::from_str::<Value>(text) {
        Ok(whole) => whole,
        Err(_) if text.trim().is_empty() => return other("it is empty"),
        Err(_) if text.trim_start().starts_with('<') => {
            return other("it is a page for a browser (HTML), as of a login or of a proxy");
        }
        Err(error) => return other(&format!("it is no JSON: {error}")),
    };
    match whole["kind"].as_str() {
        Some(KIND) => {}
        Some(kind) => return other(&format!("it is of the kind {kind}")),
        None => return other("it is of no kind"),
    }
    let name = whole["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    // Of the text itself: numbers stay whole.
    serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(text)).map_err(|error| {
        let (path, why) = (error.path().to_string(), error.inner().to_string());
        Unread::Field { path, why, name }
    })
}

// === impl Unread ===

impl Display for Unread {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(what) => f.write_str(what),
            Self::Field { path, why, .. } => write!(f, "{path}: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_set_is_told_for_what_it_is() {
        for (text, what) in [
            (" \n", "it is empty"),
            ("<!DOCTYPE html>", "it is a page for a browser"),
            ("hello", "it is no JSON: expected value at line 1 column 1"),
            ("{}", "it is of no kind"),
            (r#"{"kind": "PodList"}"#, "it is of the kind PodList"),
        ] {
            let Unread::Other(told) = read(text).unwrap_err() else { panic!("{text}") };
            assert!(told.starts_with(what), "{told}");
        }
    }
}
