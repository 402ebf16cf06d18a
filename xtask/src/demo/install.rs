//! The operator, installed as `deploy/` describes it.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::cut::Others;
use super::place::Place;
use crate::registry::Registry;
use crate::workspace;

/// A definition is served at once; a busy server takes a moment.
const SERVED_WITHIN: Duration = Duration::from_secs(30);
/// The lease of one that went without giving it back ends before that.
const LEADS_WITHIN: Duration = Duration::from_secs(60);

/// The definitions, as files of `deploy/` and by name.
const DEFINITIONS: [(&str, &str); 2] =
    [("crd", "replicatedstatefulsets.clusterlabs.org"), ("crd-stateful-cluster", "statefulclusters.enge.me")];

/// What is applied, of `deploy/`, after the definitions of the resources.
const MANIFESTS: [&str; 8] = [
    "service-account",
    "cluster-role",
    "cluster-role-binding",
    "stateful-cluster-role",
    "stateful-cluster-role-binding",
    "policies-role",
    "policies-role-binding",
    "deployment",
];

/// Install it and wait until it answers. It looks after the demonstration's namespace alone, so that
/// other sets of the cluster stay with whoever looks after them, and fetches policies from this registry.
pub(crate) fn operator(place: &Place, registry: Option<&Registry>) -> Result<()> {
    let deploy = workspace::root().join("deploy");
    for (file, name) in DEFINITIONS {
        let definition = deploy.join(format!("{file}.yaml")).display().to_string();
        place.kubectl(&["apply", "--server-side", "--force-conflicts", "-f", &definition])?;
        await_served(place, name)?;
    }

    let (mut all, system) = (Vec::new(), place.system());
    for file in MANIFESTS {
        all.extend(objects(place, &deploy.join(format!("{file}.yaml")), &system)?);
    }
    for object in &mut all {
        fit(place, object, registry);
    }
    if let Some(registry) = registry {
        let mut authority = registry.authority();
        authority["metadata"]["namespace"] = json!(system);
        all.insert(0, authority);
    }
    // The lease and events in its own namespace, and a lease is all that it needs there.
    place.apply(&all)?;
    let words = ["--namespace", &system, "rollout", "status", "deployment/rss-operator", "--timeout=120s"];
    place.kubectl(&words).map(drop).with_context(|| why_not(place))
}

/// Kubectl's own wait takes it for an error that a definition made just now has no conditions at all.
fn await_served(place: &Place, definition: &str) -> Result<()> {
    let limit = Instant::now() + SERVED_WITHIN;
    let words = ["get", "customresourcedefinition", definition, "-o", "json"];
    while !is_served(&serde_json::from_str(&place.kubectl(&words)?)?) {
        ensure!(Instant::now() < limit, "the API server does not serve {definition}");
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(())
}

fn is_served(definition: &Value) -> bool {
    let established = |condition: &Value| condition["type"] == "Established" && condition["status"] == "True";
    definition["status"]["conditions"].as_array().is_some_and(|all| all.iter().any(established))
}

/// Take it away and leave the sets as they are; returns when the last of its processes has gone.
pub(crate) fn take_away(place: &Place) -> Result<()> {
    let system = place.system();
    place.kubectl(&["--namespace", &system, "scale", "deployment/rss-operator", "--replicas=0"])?;
    let label = "app.kubernetes.io/name=rss-operator";
    let gone = ["wait", "--for=delete", "pods", "-l", label, "--timeout=60s"];
    place.kubectl(&[&["--namespace", system.as_str()], gone.as_slice()].concat()).map(drop)
}

/// Replace its pods by new ones; returns when one of those leads.
pub(crate) fn restart(place: &Place) -> Result<()> {
    let system = place.system();
    let within = |words: &[&str]| place.kubectl(&[&["--namespace", system.as_str()], words].concat());
    let before = pods(place)?.pods;
    within(&["rollout", "restart", "deployment/rss-operator"])?;
    within(&["rollout", "status", "deployment/rss-operator", "--timeout=120s"])?;
    let limit = Instant::now() + LEADS_WITHIN;
    loop {
        let leaders = within(&["get", "leases", "-o", "jsonpath={.items[*].spec.holderIdentity}"])?;
        let pods = pods(place)?.pods;
        let mut new = pods.keys().filter(|pod| !before.contains_key(*pod));
        if new.any(|pod| leaders.split(' ').any(|leader| leader.starts_with(pod.as_str()))) {
            return Ok(());
        }
        ensure!(Instant::now() < limit, "no new operator leads; the lease is held by {leaders:?}");
        std::thread::sleep(Duration::from_millis(300));
    }
}

/// Its pods, as they go in a power cut; their Deployment makes new ones.
pub(crate) fn pods(place: &Place) -> Result<Others> {
    let namespace = place.system();
    let pods = place.pods(&namespace, "app.kubernetes.io/name=rss-operator")?;
    Ok(Others { namespace, deployment: "rss-operator", program: "rss-operator", stay_away: false, pods })
}

/// The objects of a manifest, in `namespace` where they name none.
pub(crate) fn objects(place: &Place, file: &Path, namespace: &str) -> Result<Vec<Value>> {
    let file = file.display().to_string();
    let words = ["--namespace", namespace, "create", "--dry-run=client", "-o", "json", "-f", &file];
    let text = place.kubectl(&words)?;
    let objects = serde_json::Deserializer::from_str(&text).into_iter();
    objects.collect::<Result<_, _>>().with_context(|| format!("failed to read {file}"))
}

fn fit(place: &Place, object: &mut Value, registry: Option<&Registry>) {
    let kind = object["kind"].as_str().unwrap_or_default().to_owned();
    let rights = |name: &Value| json!(place.rights(name.as_str().unwrap_or_default()));
    if kind.starts_with("ClusterRole") {
        object["metadata"]["name"] = rights(&object["metadata"]["name"]);
    }
    if kind == "ClusterRoleBinding" {
        object["roleRef"]["name"] = rights(&object["roleRef"]["name"]);
        object["subjects"][0]["namespace"] = json!(place.system());
    }
    if kind == "Deployment" {
        let container = &mut object["spec"]["template"]["spec"]["containers"][0];
        set_image(place, container);
        if let Some(arguments) = container["args"].as_array_mut() {
            arguments.push(json!(format!("--namespace={}", place.name)));
        }
        if let Some(registry) = registry {
            registry.let_in(object);
        }
    }
}

/// Complete the image's name with what the user's cluster calls it.
pub(crate) fn set_image(place: &Place, container: &mut Value) {
    if let Some(image) = container["image"].as_str() {
        container["image"] = json!(place.image(image));
    }
}

/// What the pods and the log say, for an error that must tell why.
fn why_not(place: &Place) -> String {
    let system = place.system();
    let say = |words: &[&str]| {
        let answer = place.kubectl(&[&["--namespace", &system], words].concat());
        answer.unwrap_or_else(|error| format!("{error:#}\n"))
    };
    format!(
        "the operator did not start\n{}{}",
        say(&["get", "pods"]),
        say(&["logs", "deployment/rss-operator", "--tail=10"])
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::place::RIGHTS;

    #[test]
    fn a_definition_is_served_once_it_is_established_and_one_without_conditions_is_not() {
        let definition = |conditions: Value| json!({"status": {"conditions": conditions}});
        assert!(!is_served(&json!({})) && !is_served(&definition(Value::Null)));
        assert!(!is_served(&definition(json!([{"type": "NamesAccepted", "status": "True"}]))));
        assert!(!is_served(&definition(json!([{"type": "Established", "status": "False"}]))));
        assert!(is_served(&definition(json!([{"type": "Established", "status": "True"}]))));
    }

    #[test]
    fn rights_of_the_whole_cluster_are_known_by_their_names_and_can_be_removed_again() {
        for file in MANIFESTS {
            let text =
                std::fs::read_to_string(workspace::root().join(format!("deploy/{file}.yaml"))).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            if lines.iter().any(|line| line.starts_with("kind: ClusterRole")) {
                let known = |line: &&str| RIGHTS.iter().any(|name| **line == format!("  name: {name}"));
                assert!(lines.iter().any(known), "{file}");
            }
        }
    }
}
