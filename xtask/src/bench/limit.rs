//! The limit: what a script takes that knows all the answers. The same pods, with nobody who looks
//! after them; nothing is asked twice, written down, or made sure of.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;

use anyhow::{Context, Result, anyhow, ensure};

use crate::demo::place::Place;

/// The service of the members among themselves.
const PEERS: &str = "galera-svc";
/// The label by which the client service finds members.
const ACTIVE: &str = "rss-active-member=true";
/// Each command leaves the marks that the operator's leave, so that both are measured alike.
const READ: &str = "cd /run/rss && mkdir limit-read && sequence.sh && echo 0 >limit-read/rc";
const START: &str = "cd /run/rss && mkdir limit-start && exec >limit-start/log 2>&1 </dev/null && \
    \"$@\" && echo 0 >limit-start/rc";

/// Bring the databases back, each told by `running` as soon as its container runs: read every position
/// at once, start the newest, and let the others join one after the other.
pub(super) fn bring_back(place: &Place, members: usize, running: &Receiver<String>) -> Result<()> {
    let positions = positions(place, members, running)?;
    let seed = newest(&positions).context("there are no members")?.to_owned();
    let mut started = Vec::new();
    let joiners = positions.into_keys().filter(|pod| *pod != seed);
    for pod in std::iter::once(seed.clone()).chain(joiners) {
        let mut words = vec!["exec", &pod, "--", "sh", "-c", START, "start"];
        words.push(if started.is_empty() { "seed.sh" } else { "primary.sh" });
        words.extend(started.iter().map(String::as_str));
        place.within(&words)?;
        place.within(&["label", "--overwrite", "pod", &pod, ACTIVE])?;
        started.push(format!("{pod}.{PEERS}"));
    }
    Ok(())
}

fn positions(place: &Place, members: usize, running: &Receiver<String>) -> Result<BTreeMap<String, u64>> {
    std::thread::scope(|scope| {
        let mut readers = Vec::new();
        for pod in running.iter().take(members) {
            let name = pod.clone();
            readers.push((pod, scope.spawn(move || position(place, &name))));
        }
        ensure!(readers.len() == members, "not every container came back");
        let read = readers.into_iter().map(|(pod, reader)| {
            let position = reader.join().map_err(|_| anyhow!("a thread panicked"))?;
            position.map(|position| (pod, position))
        });
        read.collect()
    })
}

fn position(place: &Place, pod: &str) -> Result<u64> {
    let said = place.within(&["exec", pod, "--", "sh", "-c", READ])?;
    said.trim().parse().with_context(|| format!("the position of {pod}: {said}"))
}

/// Of equal ones the first by name.
fn newest(positions: &BTreeMap<String, u64>) -> Option<&str> {
    positions.iter().rev().max_by_key(|(_, position)| **position).map(|(pod, _)| pod.as_str())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_newest_seeds_and_of_equal_ones_the_first() {
        let newest = |positions: [u64; 3]| {
            let names = ["a", "b", "c"].map(str::to_owned);
            super::newest(&names.into_iter().zip(positions).collect()).map(str::to_owned)
        };
        assert_eq!(newest([7, 7, 7]).as_deref(), Some("a"));
        assert_eq!(newest([6, 7, 7]).as_deref(), Some("b"));
        assert_eq!(newest([6, 7, 8]).as_deref(), Some("c"));
    }
}
