//! The operator's memory while sets use different policies.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::bench::footprint;
use crate::bench::phases::merge;
use crate::demo::place::Place;
use crate::demo::seen::condition;
use crate::demo::set;
use crate::policies;

/// The largest of this repository.
const POLICIES: [&str; 3] = ["galera", "largest-integer", "mysql"];
const KEY: &str = "policy.wasm";
const PATIENCE: Duration = Duration::from_secs(60);

/// The line: what is resident once a set decides by each of three policies. The sets are paused and have no members.
///
/// # Errors
/// If one of them is not taken.
pub(in crate::bench) fn memory(place: &Place) -> Result<Value> {
    for policy in POLICIES {
        create(place, policy)?;
    }
    let begun = Instant::now();
    for policy in POLICIES {
        while !decides(&set::get(place, &name(policy))?) {
            ensure!(begun.elapsed() < PATIENCE, "policy {policy} is not taken by the operator");
            std::thread::sleep(Duration::from_millis(300));
        }
    }
    let mut line = footprint::memory(place)?;
    merge(&mut line, Some(json!({"bench": "policyMemory", "policies": POLICIES})));
    Ok(line)
}

/// What a set and its ConfigMap are called.
fn name(policy: &str) -> String {
    format!("uses-{policy}")
}

fn create(place: &Place, policy: &str) -> Result<()> {
    let name = name(policy);
    let file = format!("--from-file={KEY}={}", policies::component(policy).display());
    place.within(&["create", "configmap", &name, &file])?;
    let source = json!({"configMap": {"name": name, "key": KEY}});
    let mut all = set::example(place, Some(&source))?;
    all.retain(|object| object["kind"] == "ReplicatedStatefulSet");
    for set in &mut all {
        set["metadata"]["name"] = json!(name);
        set["spec"]["paused"] = json!(true);
    }
    place.apply(&all)
}

/// Whether the component decides, as the operator says.
fn decides(set: &Value) -> bool {
    condition(set, "PolicyReady").is_some_and(|ready| ready["status"] == "True")
        && set["status"]["policy"]["digest"].is_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operators_own_policy_is_not_one_that_is_in_use() {
        let set = |policy: Value, status: &str| {
            let conditions = json!([{"type": "PolicyReady", "status": status}]);
            json!({"status": {"conditions": conditions, "policy": policy}})
        };
        assert!(decides(&set(json!({"digest": "sha256:m"}), "True")));
        assert!(!decides(&set(json!({"builtin": "largest-integer"}), "True")));
        assert!(!decides(&set(json!({"digest": "sha256:m"}), "False")));
    }
}
