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

/// Apply the example.
pub(crate) fn create(place: &Place) -> Result<()> {
    let file = workspace::root().join("examples/galera/cluster.yaml");
    let mut all = objects(place, &file, place.name)?;
    // By pointer: an index would add what is missing.
    for container in all.iter_mut().filter_map(|object| object.pointer_mut("/spec/pod/containers/0")) {
        set_image(place, container);
    }
    place.apply(&all)
}

/// Wait until every member serves; say from time to time what the operator waits for.
pub(crate) fn wait_ready(place: &Place, step: &mut Step) -> Result<()> {
    let begun = Instant::now();
    loop {
        let set: Value = serde_json::from_str(&place.within(&["get", "rss", SET, "-o", "json"])?)?;
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
    let query = "jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{\"\\n\"}{end}";
    let list = place.within(&["get", "pods", "-l", &format!("app={SET}"), "-o", query])?;
    let pods: BTreeMap<_, _> =
        list.lines().filter_map(|l| l.split_once(' ')).map(|(n, u)| (n.to_owned(), u.to_owned())).collect();
    pods.first_key_value().context("the set has no pods")?;
    Ok(pods)
}

/// Run a statement on one member through its own socket.
pub(crate) fn sql(place: &Place, pod: &str, statement: &str) -> Result<String> {
    let client = ["mariadb", "--no-defaults", "--socket=/run/mysqld/mysqld.sock", "--user=root"];
    let words = [&["exec", pod, "--"], client.as_slice(), &["-BN", "-e", statement]].concat();
    place.within(&words)
}
