//! What can be done about an answer that is none.

use crate::cluster::place::Place;
use crate::shell;

/// Who has what a person lacks.
pub(super) fn role(verb: &str) -> &'static str {
    if verb == "get" { "the ClusterRole rss-view" } else { "the ClusterRole rss-edit" }
}

/// Who asks is named nowhere.
const NOBODY: &str =
    "there are no credentials for it: log in, or choose a context whose user has some by --context";

/// What to do where a server does not know who asks.
pub(super) fn unknown(place: &Place) -> &'static str {
    if place.has_login() { "log in again, or choose another context by --context" } else { NOBODY }
}

/// What comes before a right, where nobody is known to ask: a proxy may log in, so the right may be missing all the same.
pub(super) fn nobody(place: &Place) -> String {
    if place.has_login() { String::new() } else { format!("{NOBODY}; where a proxy logs in, ") }
}

/// What to do about a status that is no answer.
pub(super) fn cure(place: &Place, code: u16) -> String {
    match code {
        429 => "it is busy: ask again later".to_owned(),
        500.. => format!(
            "ask again later; `kubectl get --raw {}{}` says what ails it, if it is an API server",
            shell::word("/readyz?verbose"),
            place.again()
        ),
        _ => "see that it is the API server of a cluster".to_owned(),
    }
}
