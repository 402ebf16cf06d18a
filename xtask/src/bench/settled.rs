//! What the operator asks of the API server while there is nothing to do. The server counts itself:
//! for the time of the measurement the operator's requests have flow schemas of their own.

use std::time::Duration;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::phases::{merge, target};
use crate::demo::place::{MARK, Place};
use crate::progress::Step;

/// Until the recovery's last rounds are over.
const REST: Duration = Duration::from_secs(15);
/// For so long requests are counted.
const TIME: Duration = Duration::from_secs(60);
/// The server takes a new flow schema up within seconds, and a lease is renewed every two.
const TRIES: usize = 60;
const CHANGES: [&str; 5] = ["create", "update", "patch", "delete", "deletecollection"];

/// Requests since the server was started.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counts {
    lease: u64,
    writes: u64,
    reads: u64,
}

/// Count for a minute.
pub(super) fn requests(place: &Place, step: &mut Step) -> Result<Value> {
    place.apply(&flow_schemas(place))?;
    await_counting(place)?;
    std::thread::sleep(REST);
    let before = counts(place)?;
    step.note(|| "counting".to_owned());
    std::thread::sleep(TIME);
    let after = counts(place)?;
    remove(place)?;
    Ok(line(before, after))
}

/// Flow schemas belong to no namespace.
pub(super) fn remove(place: &Place) -> Result<()> {
    let mark = format!("{MARK}={}", place.name);
    place.kubectl(&["delete", "flowschemas", "-l", &mark]).map(drop)
}

fn line(before: Counts, after: Counts) -> Value {
    let since = |count: fn(Counts) -> u64| count(after).saturating_sub(count(before));
    let writes = since(|counts| counts.writes);
    let mut line = json!({
        "bench": "settled",
        "seconds": TIME.as_secs(),
        "writes": writes,
        "reads": since(|counts| counts.reads),
        "leaseRequests": since(|counts| counts.lease),
        "how": "apiserver_flowcontrol_dispatched_requests_total of the operator's service account; exec and watch are not in it",
    });
    // A count of so few is exact as a floating point number.
    #[expect(clippy::cast_precision_loss, reason = "a minute's requests are few")]
    merge(&mut line, Some(target(writes as f64, 1.0)));
    line
}

/// The first that fits counts a request: leases, then what changes anything, then the rest.
fn flow_schemas(place: &Place) -> Vec<Value> {
    let schema = |kind: &str, precedence: u32, groups: &str, resources: &str, verbs: &[&str]| {
        json!({
            "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
            "kind": "FlowSchema",
            "metadata": {"name": name(place, kind), "labels": {MARK: place.name}},
            "spec": {
                // Just before the one that service accounts have by default, at the same level.
                "matchingPrecedence": precedence,
                "priorityLevelConfiguration": {"name": "workload-low"},
                "distinguisherMethod": {"type": "ByUser"},
                "rules": [{
                    "subjects": [{
                        "kind": "ServiceAccount",
                        "serviceAccount": {"namespace": place.system(), "name": "rss-operator"},
                    }],
                    "resourceRules": [{
                        "verbs": verbs,
                        "apiGroups": [groups],
                        "resources": [resources],
                        "namespaces": ["*"],
                        "clusterScope": true,
                    }],
                }],
            },
        })
    };
    vec![
        schema("lease", 8901, "coordination.k8s.io", "leases", &["*"]),
        schema("writes", 8902, "*", "*", &CHANGES),
        schema("reads", 8903, "*", "*", &["*"]),
    ]
}

fn name(place: &Place, kind: &str) -> String {
    format!("{}-{kind}", place.name)
}

/// Leases are renewed all the time: their count shows that counting works.
fn await_counting(place: &Place) -> Result<()> {
    for _ in 0..TRIES {
        if counts(place)?.lease > 0 {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    bail!("the API server does not count the operator's requests")
}

fn counts(place: &Place) -> Result<Counts> {
    let text = place.kubectl(&["get", "--raw", "/metrics"])?;
    let of = |kind| count(&text, &name(place, kind));
    Ok(Counts { lease: of("lease"), writes: of("writes"), reads: of("reads") })
}

/// The sum over all priority levels; none is a count of zero.
fn count(metrics: &str, schema: &str) -> u64 {
    let begin = format!("apiserver_flowcontrol_dispatched_requests_total{{flow_schema=\"{schema}\",");
    let of = metrics.lines().filter(|line| line.starts_with(&begin));
    of.filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_counted_over_its_levels_and_no_other_with_it() {
        let metrics = "\
            # TYPE apiserver_flowcontrol_dispatched_requests_total counter\n\
            apiserver_flowcontrol_dispatched_requests_total{flow_schema=\"x-reads\",priority_level=\"a\"} 3\n\
            apiserver_flowcontrol_dispatched_requests_total{flow_schema=\"x-reads\",priority_level=\"b\"} 4\n\
            apiserver_flowcontrol_dispatched_requests_total{flow_schema=\"x-reads-2\",priority_level=\"b\"} 9\n\
            apiserver_flowcontrol_rejected_requests_total{flow_schema=\"x-reads\",priority_level=\"b\"} 1\n";
        assert_eq!(count(metrics, "x-reads"), 7);
        assert_eq!(count(metrics, "x-writes"), 0);
    }

    #[test]
    fn one_write_of_a_settled_set_is_one_too_many() {
        let counts = |lease, writes, reads| Counts { lease, writes, reads };
        let quiet = line(counts(10, 5, 7), counts(40, 5, 9));
        assert_eq!(
            (&quiet["writes"], &quiet["leaseRequests"], &quiet["met"]),
            (&json!(0), &json!(30), &json!(true))
        );
        assert_eq!(line(counts(0, 5, 0), counts(0, 6, 0))["met"], false);
    }
}
