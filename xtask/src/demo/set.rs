//! The three databases: the example as it stands.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::install::{objects, set_image};
use super::place::Place;
use super::seen;
use crate::progress::Step;
use crate::workspace;

/// The resource, and the label of its pods.
pub(crate) const SET: &str = "galera";
/// Of images, schedules and the first member's new database.
const PATIENCE: Duration = Duration::from_secs(300);

/// Apply the example, with this `spec.policy`.
pub(crate) fn create(place: &Place, policy: Option<&Value>) -> Result<()> {
    let mut all = example(place, policy)?;
    // By pointer: an index would add what is missing.
    for container in all.iter_mut().filter_map(|object| object.pointer_mut("/spec/pod/containers/0")) {
        set_image(place, container);
    }
    place.apply(&all)
}

/// The example, with this `spec.policy` in the place of its own; without one the operator's own decides.
pub(crate) fn example(place: &Place, policy: Option<&Value>) -> Result<Vec<Value>> {
    let mut all = objects(place, &workspace::root().join("examples/galera/cluster.yaml"), place.name)?;
    for set in all.iter_mut().filter(|object| object["kind"] == "ReplicatedStatefulSet") {
        let spec = set["spec"].as_object_mut().context("the example has a specification")?;
        match policy {
            Some(policy) => spec.insert("policy".to_owned(), policy.clone()),
            None => spec.remove("policy"),
        };
    }
    Ok(all)
}

/// A resource as it is now.
pub(crate) fn get(place: &Place, name: &str) -> Result<Value> {
    Ok(serde_json::from_str(&place.within(&["get", "rss", name, "-o", "json"])?)?)
}

/// Wait until every member serves; say from time to time what the operator waits for.
pub(crate) fn wait_ready(place: &Place, step: &mut Step) -> Result<()> {
    let begun = Instant::now();
    loop {
        let set = get(place, SET)?;
        if seen::is_ready(&set) {
            return Ok(());
        }
        step.note(|| seen::operator(&set));
        if begun.elapsed() > PATIENCE {
            bail!("the set is not Ready after {} s: {}", PATIENCE.as_secs(), seen::operator(&set));
        }
        std::thread::sleep(Duration::from_millis(300));
    }
}

/// The members' pods by name, each with its UID.
pub(crate) fn pods(place: &Place) -> Result<BTreeMap<String, String>> {
    let pods = place.pods(place.name, &format!("app={SET}"))?;
    pods.first_key_value().context("the set has no pods")?;
    Ok(pods)
}

/// Run a statement on one member through its own socket.
pub(crate) fn sql(place: &Place, pod: &str, statement: &str) -> Result<String> {
    let client = ["mariadb", "--no-defaults", "--socket=/run/mysqld/mysqld.sock", "--user=root"];
    let words = [&["exec", pod, "--"], client.as_slice(), &["-BN", "-e", statement]].concat();
    place.within(&words)
}
