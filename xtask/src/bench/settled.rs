//! What the operator asks of the API server while there is nothing to do. The server counts itself:
//! for the time of the measurement the operator's requests have flow schemas of their own.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::phases::{merge, target};
use crate::demo::place::{MARK, Place};
use crate::demo::set::{self, SET};
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
    execs: u64,
}

/// Count for a minute.
pub(super) fn requests(place: &Place, step: &mut Step) -> Result<Value> {
    let by_interval = execs_by_interval(&set::get(place, SET)?)?;
    place.apply(&flow_schemas(place))?;
    await_counting(place)?;
    std::thread::sleep(REST);
    let before = counts(place)?;
    step.note(|| "counting".to_owned());
    std::thread::sleep(TIME);
    let after = counts(place)?;
    remove(place)?;
    Ok(line(before, after, by_interval))
}

/// Flow schemas belong to no namespace.
pub(super) fn remove(place: &Place) -> Result<()> {
    let mark = format!("{MARK}={}", place.name);
    place.kubectl(&["delete", "flowschemas", "-l", &mark]).map(drop)
}

/// How many execs the interval of a set asks for in the time of the measurement: one for each member and look.
fn execs_by_interval(set: &Value) -> Result<u64> {
    let spec = &set["spec"];
    let seconds = || spec["reconcileInterval"].as_str()?.strip_suffix('s')?.parse::<u64>().ok();
    let looks = seconds().and_then(|seconds| TIME.as_secs().checked_div(seconds));
    let looks =
        looks.context("the set has no spec.reconcileInterval in whole seconds: write it as \"5s\"")?;
    let members = spec["replicas"].as_u64().context("the set has no number in spec.replicas: write one")?;
    Ok(members * looks)
}

fn line(before: Counts, after: Counts, execs_by_interval: u64) -> Value {
    let since = |count: fn(Counts) -> u64| count(after).saturating_sub(count(before));
    let writes = since(|counts| counts.writes);
    let mut line = json!({
        "bench": "settled",
        "seconds": TIME.as_secs(),
        "writes": writes,
        "reads": since(|counts| counts.reads),
        "leaseRequests": since(|counts| counts.lease),
        "execs": since(|counts| counts.execs),
        "execsByInterval": execs_by_interval,
        "how": "apiserver_flowcontrol_dispatched_requests_total of the operator's service account, which has neither \
            execs nor watches; execs are apiserver_request_total of pods/exec, of all clients",
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

/// The operator renews its lease and runs commands in containers all the time: their counts show that counting works.
fn await_counting(place: &Place) -> Result<()> {
    for _ in 0..TRIES {
        let counts = counts(place)?;
        if counts.lease > 0 && counts.execs > 0 {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    bail!("the API server does not count the operator's requests")
}

fn counts(place: &Place) -> Result<Counts> {
    let text = place.kubectl(&["get", "--raw", "/metrics"])?;
    let of = |kind| count(&text, &name(place, kind));
    Ok(Counts { lease: of("lease"), writes: of("writes"), reads: of("reads"), execs: execs(&text) })
}

/// The requests that a flow schema took, at all priority levels.
fn count(metrics: &str, schema: &str) -> u64 {
    let begin = format!("apiserver_flowcontrol_dispatched_requests_total{{flow_schema=\"{schema}\",");
    sum(metrics, |line| line.starts_with(&begin))
}

/// The requests for a command in a container, whatever their code and verb. Flow control does not count them.
fn execs(metrics: &str) -> u64 {
    sum(metrics, |line| {
        line.starts_with("apiserver_request_total{")
            && line.contains(",resource=\"pods\",")
            && line.contains(",subresource=\"exec\",")
    })
}

/// Without such a line the sum is zero.
fn sum(metrics: &str, is_counted: impl Fn(&str) -> bool) -> u64 {
    let lines = metrics.lines().filter(|line| is_counted(line));
    lines.filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok()).sum()
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
        let counts = |lease, writes, reads| Counts { lease, writes, reads, execs: 0 };
        let quiet = line(counts(10, 5, 7), counts(40, 5, 9), 0);
        assert_eq!(
            (&quiet["writes"], &quiet["leaseRequests"], &quiet["met"]),
            (&json!(0), &json!(30), &json!(true))
        );
        assert_eq!(line(counts(0, 5, 0), counts(0, 6, 0), 0)["met"], false);
    }

    #[test]
    fn execs_are_counted_over_their_codes_and_no_other_request_with_them() {
        let metrics = "\
            apiserver_request_total{code=\"0\",group=\"\",resource=\"pods\",scope=\"resource\",subresource=\"exec\",verb=\"GET\"} 3\n\
            apiserver_request_total{code=\"101\",group=\"\",resource=\"pods\",scope=\"resource\",subresource=\"exec\",verb=\"POST\"} 4\n\
            apiserver_request_total{code=\"200\",group=\"\",resource=\"pods\",scope=\"resource\",subresource=\"log\",verb=\"GET\"} 9\n\
            apiserver_request_total{code=\"200\",group=\"\",resource=\"pods\",scope=\"resource\",subresource=\"\",verb=\"GET\"} 9\n\
            apiserver_longrunning_requests{group=\"\",resource=\"pods\",scope=\"resource\",subresource=\"exec\",verb=\"GET\"} 9\n";
        assert_eq!(execs(metrics), 7);
        assert_eq!(execs(""), 0);
    }

    #[test]
    fn the_line_has_the_execs_of_the_time_beside_those_of_the_interval() {
        let counts = |execs| Counts { lease: 0, writes: 0, reads: 0, execs };
        let line = line(counts(100), counts(374), 36);
        assert_eq!((&line["execs"], &line["execsByInterval"]), (&json!(274), &json!(36)));
    }

    #[test]
    fn an_interval_asks_for_one_exec_of_each_member_at_each_look() {
        let execs = |interval: Value| {
            execs_by_interval(&json!({"spec": {"replicas": 3, "reconcileInterval": interval}})).ok()
        };
        for (interval, expected) in [
            (json!("5s"), Some(36)),
            (json!("10s"), Some(18)),
            (json!("0s"), None),
            (json!("1m"), None),
            (json!(null), None),
        ] {
            assert_eq!(execs(interval.clone()), expected, "{interval}");
        }
    }
}
