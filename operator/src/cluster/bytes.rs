//! The bytes of what the API server keeps byte for byte.
//!
//! `data` of a ControllerRevision is such a field, and may not be changed (`ValidateControllerRevisionUpdate` of
//! Kubernetes compares it). The API server is written in Go: what it decodes and encodes again, as when the garbage
//! collector takes the owner away, has the spelling of Go's `encoding/json`, which escapes five characters that need it
//! in HTML only (`HTMLEscape`). In another spelling that would be a change, be refused, and be tried without end.

use k8s_openapi::api::apps::v1::ControllerRevision;
use kube::Client;
use kube::core::{Request, Resource};

use crate::writes::post;

/// Makes a ControllerRevision whose bytes stay the same whoever writes it next.
pub(super) async fn create(
    client: &Client,
    namespace: &str,
    revision: &ControllerRevision,
) -> kube::Result<ControllerRevision> {
    let text = serde_json::to_string(revision).map_err(kube::Error::SerdeError)?;
    let to = Request::new(ControllerRevision::url_path(&(), Some(namespace)));
    let mut request =
        to.create(&post(), as_go_writes(&text).into_bytes()).map_err(kube::Error::BuildRequest)?;
    // The verb by which the client names what it sends, as its own `create` does.
    request.extensions_mut().insert("create");
    client.request(request).await
}

/// JSON with these five characters escaped: they stand only inside strings, where an escape means the same.
fn as_go_writes(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' => text.push_str(r"\u003c"),
            '>' => text.push_str(r"\u003e"),
            '&' => text.push_str(r"\u0026"),
            '\u{2028}' => text.push_str(r"\u2028"),
            '\u{2029}' => text.push_str(r"\u2029"),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn what_go_escapes_is_escaped_and_means_the_same() {
        for (said, written) in [
            ("a > b", r#""a \u003e b""#),
            ("a < b && c", r#""a \u003c b \u0026\u0026 c""#),
            ("\u{2028}\u{2029}", r#""\u2028\u2029""#),
            (r"\u003e", r#""\\u003e""#),
            ("\"\\>\n\u{e9}", "\"\\\"\\\\\\u003e\\n\u{e9}\""),
        ] {
            let escaped = as_go_writes(&json!(said).to_string());
            assert_eq!(escaped, written);
            assert_eq!(serde_json::from_str::<Value>(&escaped).unwrap(), json!(said));
        }
        let nested = json!({"a>b": [{"c": "d&e"}, 1, null], "f": {"<": true}});
        assert_eq!(serde_json::from_str::<Value>(&as_go_writes(&nested.to_string())).unwrap(), nested);
    }
}
