//! A StatefulCluster that has the name by which a set was asked for.

use serde_json::Value;

use super::failure::quoted;
use crate::shell::word;

/// Where else to look, as the rest of a sentence; `words` are what commands have behind a name. None: the answer has none.
pub(super) fn told(answer: &str, name: &str, words: &str) -> Option<String> {
    let found: Value = serde_json::from_str(answer).ok()?;
    (found["kind"] == "StatefulCluster").then(|| {
        format!(
            "a StatefulCluster has that name: `kubectl describe stcl {name}{words}`{}",
            owned(&found, words)
        )
    })
}

/// Whose it is, if it is somebody's.
fn owned(found: &Value, words: &str) -> String {
    let mut owners = found["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    let Some(owner) = owners.find(|owner| owner["controller"] == true) else { return String::new() };
    let [kind, name] = ["kind", "name"].map(|field| owner[field].as_str().unwrap_or_default());
    match kind {
        "ReplicatedStatefulSet" => format!(
            "; it is of the ReplicatedStatefulSet {}: `kubectl rss explain {}{words}`",
            quoted(name),
            word(&quoted(name))
        ),
        _ => format!("; it is of the {} {}", quoted(kind), quoted(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_stateful_cluster_of_the_name_is_pointed_to_with_whose_it_is() {
        let of = |kind: &str, controller: bool| json!([{"kind": kind, "name": "orders", "controller": controller}]);
        let there = "a StatefulCluster has that name: `kubectl describe stcl rss-orders -n shop`";
        for (owners, rest) in [
            (Value::Null, ""),
            (of("ReplicatedStatefulSet", false), ""),
            (
                of("ReplicatedStatefulSet", true),
                "; it is of the ReplicatedStatefulSet orders: `kubectl rss explain orders -n shop`",
            ),
            (of("Database", true), "; it is of the Database orders"),
        ] {
            let answer = json!({"kind": "StatefulCluster", "metadata": {"name": "rss-orders", "ownerReferences": owners}});
            let expected = format!("{there}{rest}");
            assert_eq!(told(&answer.to_string(), "rss-orders", " -n shop"), Some(expected), "{owners}");
        }
        for other in ["", "{}", r#"{"kind": "Status"}"#] {
            assert_eq!(told(other, "rss-orders", " -n shop"), None, "{other}");
        }
    }
}
