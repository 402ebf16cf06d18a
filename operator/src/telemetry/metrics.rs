//! Counts for Prometheus. Every label is a word of a closed set: never a name, never a text.

use super::process::Process;
use super::requests::RequestCounts;
use crate::exec::{Outcome, Purpose};
use crate::report::words::step_name;
use planner::plan::{Hold, Step};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// From one look of a small set (its execs take some 50 ms) to one that waited for a slow API server.
const RECONCILE_BUCKETS: [f64; 9] = [0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

/// From a shell that answers at once to the default timeout of a command, ten minutes.
const EXEC_BUCKETS: [f64; 10] = [0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 15.0, 60.0, 300.0, 600.0];

/// How a reconcile went, in the words that dashboards know from controller-runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reconciled {
    /// Nothing to do but wait for a change.
    Success,
    /// Done, and to be looked at again after a while.
    RequeueAfter,
    /// It failed.
    Error,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByResult {
    controller: &'static str,
    result: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByController {
    controller: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByExec {
    command: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByReason {
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByStep {
    step: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByLease {
    name: String,
}

const CONTROLLER: &str = "replicatedstatefulset";

/// All counts of this process; clones share them.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Arc<Registry>,
    reconciles: Family<ByResult, Counter>,
    reconcile_time: Family<ByController, Histogram, fn() -> Histogram>,
    execs: Family<ByExec, Histogram, fn() -> Histogram>,
    holds: Family<ByReason, Gauge>,
    steps: Family<ByStep, Counter>,
    leader: Family<ByLease, Gauge>,
    requests: RequestCounts,
    /// What each set holds for at present: the gauge is their sum.
    held: Arc<Mutex<BTreeMap<String, Vec<&'static str>>>>,
}

// === impl Metrics ===

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::default();
        let mut metrics = Self {
            registry: Arc::default(),
            reconciles: Family::default(),
            reconcile_time: Family::new_with_constructor(|| Histogram::new(RECONCILE_BUCKETS)),
            execs: Family::new_with_constructor(|| Histogram::new(EXEC_BUCKETS)),
            holds: Family::default(),
            steps: Family::default(),
            leader: Family::default(),
            requests: RequestCounts::default(),
            held: Arc::default(),
        };
        metrics.register(&mut registry);
        metrics.registry = Arc::new(registry);
        metrics
    }
}

impl Metrics {
    /// The encoder appends `_total` to counters and `_info` to infos by itself.
    fn register(&self, registry: &mut Registry) {
        let reconciles = self.reconciles.clone();
        registry.register("controller_runtime_reconcile", "Reconciles, by result", reconciles);
        let time = self.reconcile_time.clone();
        registry.register("controller_runtime_reconcile_time_seconds", "How long reconciles took", time);
        let execs = self.execs.clone();
        registry.register("rss_exec_duration_seconds", "How long commands in containers took", execs);
        registry.register("rss_holds", "What waits at present, by reason", self.holds.clone());
        registry.register("rss_steps", "Steps taken", self.steps.clone());
        let leader = self.leader.clone();
        registry.register("leader_election_master_status", "Whether this process leads", leader);
        self.requests.register(registry);
        registry.register_collector(Box::new(Process::begun_now()));
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("rss_build", "The running version", build);
    }

    /// Counts a reconcile.
    pub fn reconciled(&self, result: Reconciled, took: Duration) {
        let result = match result {
            Reconciled::Success => "success",
            Reconciled::RequeueAfter => "requeue_after",
            Reconciled::Error => "error",
        };
        self.reconciles.get_or_create(&ByResult { controller: CONTROLLER, result }).inc();
        let by = ByController { controller: CONTROLLER };
        self.reconcile_time.get_or_create(&by).observe(took.as_secs_f64());
    }

    /// Counts a command that was run in a container.
    pub fn executed(&self, purpose: Purpose, outcome: &Outcome, took: Duration) {
        let outcome = match outcome {
            Outcome::Ended(_) => "Ended",
            Outcome::Lost(why) => why.as_str(),
        };
        let by = ByExec { command: purpose.as_str(), outcome };
        self.execs.get_or_create(&by).observe(took.as_secs_f64());
    }

    /// Counts a request to the API server; no code: no answer came.
    pub fn requested(&self, method: &str, code: Option<u16>, took: Duration) {
        self.requests.add(method, code, took);
    }

    /// Counts a step that was taken.
    pub fn stepped(&self, step: &Step) {
        let step = step_name(step);
        self.steps.get_or_create(&ByStep { step }).inc();
    }

    /// Says what a set (`namespace/name`) waits for now, in place of what was said of it before.
    pub fn holding(&self, set: &str, holds: &[Hold]) {
        let now: Vec<&'static str> = holds.iter().map(|hold| hold.reason.name()).collect();
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let before = if now.is_empty() { held.remove(set) } else { held.insert(set.to_owned(), now.clone()) };
        for reason in now {
            self.holds.get_or_create(&ByReason { reason }).inc();
        }
        for reason in before.unwrap_or_default() {
            self.holds.get_or_create(&ByReason { reason }).dec();
        }
    }

    /// Says whether this process holds a lease.
    pub fn leading(&self, lease: &str, leads: bool) {
        self.leader.get_or_create(&ByLease { name: lease.to_owned() }).set(i64::from(leads));
    }

    /// All of it, as OpenMetrics text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a String does not fail");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::LostReason;
    use planner::hold::{Reason, Scope};

    fn paused() -> Hold {
        Hold { scope: Scope::Set, reason: Reason::Paused, keys: Vec::new() }
    }

    #[test]
    fn names_are_those_that_dashboards_know() {
        let metrics = Metrics::default();
        metrics.reconciled(Reconciled::Success, Duration::from_millis(20));
        metrics.executed(Purpose::Status, &Outcome::Lost(LostReason::Deadline), Duration::from_secs(2));
        metrics.stepped(&Step::Recreate);
        metrics.leading("rss-operator", true);
        let text = metrics.text();
        for line in [
            r#"controller_runtime_reconcile_total{controller="replicatedstatefulset",result="success"} 1"#,
            r#"controller_runtime_reconcile_time_seconds_count{controller="replicatedstatefulset"} 1"#,
            r#"rss_exec_duration_seconds_count{command="Status",outcome="Deadline"} 1"#,
            r#"rss_steps_total{step="Recreate"} 1"#,
            r#"leader_election_master_status{name="rss-operator"} 1"#,
            r#"rss_build_info{version="#,
        ] {
            assert!(text.contains(line), "{line} is missing in\n{text}");
        }
    }

    #[test]
    fn no_name_and_no_text_of_an_error_becomes_a_label() {
        let metrics = Metrics::default();
        for why in ["exec 1 failed", "exec 2 failed"] {
            let lost = Outcome::Lost(LostReason::NoExitStatus(why.to_owned()));
            metrics.executed(Purpose::Status, &lost, Duration::from_secs(1));
            let reason = Reason::NotRunning("x-0".into(), why.to_owned());
            let hold = Hold { scope: Scope::Replica("x-0".into()), reason, keys: Vec::new() };
            metrics.holding(&format!("shop/{why}"), &[hold]);
        }
        for code in [502, 504] {
            let lost = Outcome::Lost(LostReason::Api(code));
            metrics.executed(Purpose::Status, &lost, Duration::from_secs(1));
        }
        let text = metrics.text();
        for line in [
            r#"rss_exec_duration_seconds_count{command="Status",outcome="NoExitStatus"} 2"#,
            r#"rss_exec_duration_seconds_count{command="Status",outcome="Api"} 2"#,
            r#"rss_holds{reason="NotRunning"} 2"#,
        ] {
            assert!(text.contains(line), "{line} is missing in\n{text}");
        }
        assert!(!text.contains("failed") && !text.contains("x-0") && !text.contains("shop"), "{text}");
    }

    #[test]
    fn a_hold_is_counted_while_it_lasts_and_once_for_each_set() {
        let metrics = Metrics::default();
        metrics.holding("a/one", &[paused()]);
        metrics.holding("a/one", &[paused()]);
        metrics.holding("a/two", &[paused()]);
        assert!(metrics.text().contains(r#"rss_holds{reason="Paused"} 2"#));
        metrics.holding("a/one", &[]);
        metrics.holding("a/two", &[]);
        assert!(metrics.text().contains(r#"rss_holds{reason="Paused"} 0"#));
    }
}
