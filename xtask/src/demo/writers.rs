//! The client: several writers in one pod. Its log is the list of what was acknowledged; no database
//! is asked for that.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use serde_json::json;

use super::place::Place;
use super::set::SET;

/// The pod.
pub(crate) const POD: &str = "writers";
const SCRIPT: &str = include_str!("writers.sh");
/// Enough to have several writes under way at any time, and few enough to leave the processors to the databases.
const WRITERS: &str = "2";
/// So many rows show that writing works.
const ENOUGH: usize = 20;
const PATIENCE: Duration = Duration::from_secs(60);

/// A row that was acknowledged; times are seconds since the boot of the client's node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Acknowledged {
    /// When its connection was begun.
    pub(crate) began: f64,
    /// When the client knew of its success.
    pub(crate) ended: f64,
    /// Its id.
    pub(crate) id: u64,
}

/// Start the client and wait for its first rows.
pub(crate) fn start(place: &Place) -> Result<()> {
    place.apply(&[json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": POD, "namespace": place.name, "labels": {"app": POD}},
        "spec": {
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 1,
            "containers": [{
                "name": POD,
                "image": place.image("galera:example"),
                "imagePullPolicy": "IfNotPresent",
                "command": ["sh", "-c", SCRIPT],
                "env": [
                    {"name": "SERVICE", "value": SET},
                    {"name": "WRITERS", "value": WRITERS},
                    {"name": "MYSQL_PWD", "valueFrom": {"secretKeyRef": {
                        "name": "galera-account", "key": "password",
                    }}},
                ],
            }],
        },
    })])?;
    let limit = Instant::now() + PATIENCE;
    // The log of a container that has not started yet is an error, too.
    while acknowledged(place).map_or(0, |rows| rows.len()) < ENOUGH {
        ensure!(Instant::now() < limit, "the client wrote no rows within {} s", PATIENCE.as_secs());
        std::thread::sleep(Duration::from_millis(300));
    }
    Ok(())
}

/// Every id in the client's log.
pub(crate) fn acknowledged(place: &Place) -> Result<Vec<u64>> {
    let log = place.within(&["logs", POD])?;
    // The last line may be half written.
    let whole = log.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(|line| Ok(parse(line)?.id)).collect()
}

/// A line of the client's log.
pub(crate) fn parse(line: &str) -> Result<Acknowledged> {
    let words: Vec<_> = line.split(' ').collect();
    let [began, ended, id] = words.as_slice() else { bail!("the client logged: {line}") };
    Ok(Acknowledged { began: began.parse()?, ended: ended.parse()?, id: id.parse()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_id_with_its_times() {
        let row = parse("12.34 12.40 7").unwrap();
        assert_eq!(row, Acknowledged { began: 12.34, ended: 12.40, id: 7 });
        assert!(parse("12.34 7").is_err() && parse("no such host").is_err());
    }
}
