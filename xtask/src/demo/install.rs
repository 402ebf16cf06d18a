//! The operator, installed as `deploy/` describes it.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::place::{NAMESPACE, Place, RIGHTS, SYSTEM};
use crate::workspace;

/// Install it and wait until it answers. It looks after the demonstration's namespace alone, so that
/// other sets of the cluster stay with whoever looks after them.
pub(super) fn operator(place: &Place) -> Result<()> {
    let deploy = workspace::root().join("deploy");
    let definition = deploy.join("crd.yaml").display().to_string();
    place.kubectl(&["apply", "--server-side", "--force-conflicts", "-f", &definition])?;
    let name = "customresourcedefinition/replicatedstatefulsets.clusterlabs.org";
    // A definition made just now has no conditions at all, and waiting for a condition is an error then.
    let served = r#"--for=jsonpath={.status.conditions[?(@.type=="Established")].status}=True"#;
    place.kubectl(&["wait", served, "--timeout=30s", name])?;

    let mut all = Vec::new();
    for file in ["service-account", "cluster-role", "cluster-role-binding", "deployment"] {
        all.extend(objects(place, &deploy.join(format!("{file}.yaml")), SYSTEM)?);
    }
    for object in &mut all {
        fit(place, object);
    }
    // The lease and events in its own namespace, and a lease is all that it needs there.
    place.apply(&all)?;
    let words = ["--namespace", SYSTEM, "rollout", "status", "deployment/rss-operator", "--timeout=120s"];
    place.kubectl(&words).map(drop).with_context(|| why_not(place))
}

/// The objects of a manifest, in `namespace` where they name none.
pub(super) fn objects(place: &Place, file: &Path, namespace: &str) -> Result<Vec<Value>> {
    let file = file.display().to_string();
    let words = ["--namespace", namespace, "create", "--dry-run=client", "-o", "json", "-f", &file];
    let text = place.kubectl(&words)?;
    let objects = serde_json::Deserializer::from_str(&text).into_iter();
    objects.collect::<Result<_, _>>().with_context(|| format!("failed to read {file}"))
}

fn fit(place: &Place, object: &mut Value) {
    let kind = object["kind"].as_str().unwrap_or_default().to_owned();
    if kind.starts_with("ClusterRole") {
        object["metadata"]["name"] = json!(RIGHTS);
    }
    if kind == "ClusterRoleBinding" {
        object["roleRef"]["name"] = json!(RIGHTS);
        object["subjects"][0]["namespace"] = json!(SYSTEM);
    }
    if kind == "Deployment" {
        let container = &mut object["spec"]["template"]["spec"]["containers"][0];
        set_image(place, container);
        if let Some(arguments) = container["args"].as_array_mut() {
            arguments.push(json!(format!("--namespace={NAMESPACE}")));
        }
    }
}

/// Complete the image's name with what the user's cluster calls it.
pub(super) fn set_image(place: &Place, container: &mut Value) {
    if let Some(image) = container["image"].as_str() {
        container["image"] = json!(place.image(image));
    }
}

/// What the pods and the log say, for an error that must tell why.
fn why_not(place: &Place) -> String {
    let say = |words: &[&str]| {
        let answer = place.kubectl(&[&["--namespace", SYSTEM], words].concat());
        answer.unwrap_or_else(|error| format!("{error:#}\n"))
    };
    format!(
        "the operator did not start\n{}{}",
        say(&["get", "pods"]),
        say(&["logs", "deployment/rss-operator", "--tail=10"])
    )
}
