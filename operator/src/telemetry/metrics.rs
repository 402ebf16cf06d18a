//! Counts for Prometheus. Every label is a word of a closed set, or a namespace that the administrator named: never
//! another name, never a text.

use super::process::Process;
use super::requests::RequestCounts;
use super::watches::Watches;
use crate::exec::{Outcome, Purpose};
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

/// What was reconciled, in the words of the same dashboards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A set.
    ReplicatedStatefulSet,
    /// A StatefulCluster.
    StatefulCluster,
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
    controller: &'static str,
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByStep {
    controller: &'static str,
    step: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByLease {
    name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByWatch {
    controller: &'static str,
    namespace: String,
    kind: String,
}

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
    ready: Family<ByWatch, Gauge>,
    /// The watches behind `ready`, which each scrape reads.
    watches: Arc<Mutex<BTreeMap<Kind, Watches>>>,
    /// What each resource holds for at present: the gauge is their sum.
    held: Arc<Mutex<Held>>,
}

/// Words by kind and name of who holds.
type Held = BTreeMap<(Kind, String), Vec<&'static str>>;

// === impl Kind ===

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::ReplicatedStatefulSet => "replicatedstatefulset",
            Self::StatefulCluster => "statefulcluster",
        }
    }

    /// As manifests write it.
    pub(super) fn in_manifests(self) -> &'static str {
        match self {
            Self::ReplicatedStatefulSet => "ReplicatedStatefulSet",
            Self::StatefulCluster => "StatefulCluster",
        }
    }
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
            ready: Family::default(),
            watches: Arc::default(),
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
        let ready = self.ready.clone();
        registry.register("rss_watch_ready", "Whether a kind is listed and watched in a namespace", ready);
        registry.register_collector(Box::new(Process::begun_now()));
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("rss_build", "The running version", build);
    }

    /// Counts a reconcile.
    pub fn reconciled(&self, kind: Kind, result: Reconciled, took: Duration) {
        let controller = kind.as_str();
        let result = match result {
            Reconciled::Success => "success",
            Reconciled::RequeueAfter => "requeue_after",
            Reconciled::Error => "error",
        };
        self.reconciles.get_or_create(&ByResult { controller, result }).inc();
        let by = ByController { controller };
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

    /// Counts a step that was taken, by its stable name.
    pub fn stepped(&self, kind: Kind, step: &'static str) {
        self.steps.get_or_create(&ByStep { controller: kind.as_str(), step }).inc();
    }

    /// Says what a resource (`namespace/name`) waits for now, each by the word of a closed set, in place of what was said
    /// of it before.
    pub fn holding(&self, kind: Kind, of: &str, now: Vec<&'static str>) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let of = (kind, of.to_owned());
        let before = if now.is_empty() { held.remove(&of) } else { held.insert(of, now.clone()) };
        let by = |reason| ByReason { controller: kind.as_str(), reason };
        for reason in now {
            self.holds.get_or_create(&by(reason)).inc();
        }
        for reason in before.unwrap_or_default() {
            self.holds.get_or_create(&by(reason)).dec();
        }
    }

    /// Says whether this process holds a lease.
    pub fn leading(&self, lease: &str, leads: bool) {
        self.leader.get_or_create(&ByLease { name: lease.to_owned() }).set(i64::from(leads));
    }

    /// Reads these watches from now on.
    pub(crate) fn watching(&self, watches: &Watches) {
        let mut all = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(watches.controller(), watches.clone());
    }

    /// All of it, as OpenMetrics text.
    #[must_use]
    pub fn text(&self) -> String {
        let watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        for (controller, watches) in watches.iter() {
            for (namespace, kind, is_ready) in watches.each() {
                let by = ByWatch { controller: controller.as_str(), namespace, kind };
                self.ready.get_or_create(&by).set(i64::from(is_ready));
            }
        }
        drop(watches);
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a String does not fail");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::LostReason;

    const SET: Kind = Kind::ReplicatedStatefulSet;

    #[test]
    fn names_are_those_that_dashboards_know() {
        let metrics = Metrics::default();
        metrics.reconciled(SET, Reconciled::Success, Duration::from_millis(20));
        metrics.executed(Purpose::Status, &Outcome::Lost(LostReason::Deadline), Duration::from_secs(2));
        metrics.stepped(SET, "Recreate");
        metrics.stepped(Kind::StatefulCluster, "CreatePod");
        metrics.leading("rss-operator", true);
        let text = metrics.text();
        for line in [
            r#"controller_runtime_reconcile_total{controller="replicatedstatefulset",result="success"} 1"#,
            r#"controller_runtime_reconcile_time_seconds_count{controller="replicatedstatefulset"} 1"#,
            r#"rss_exec_duration_seconds_count{command="Status",outcome="Deadline"} 1"#,
            r#"rss_steps_total{controller="replicatedstatefulset",step="Recreate"} 1"#,
            r#"rss_steps_total{controller="statefulcluster",step="CreatePod"} 1"#,
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
            metrics.holding(SET, &format!("shop/{why}"), vec!["NotRunning"]);
        }
        for code in [502, 504] {
            let lost = Outcome::Lost(LostReason::without_words(code));
            metrics.executed(Purpose::Status, &lost, Duration::from_secs(1));
        }
        let text = metrics.text();
        for line in [
            r#"rss_exec_duration_seconds_count{command="Status",outcome="NoExitStatus"} 2"#,
            r#"rss_exec_duration_seconds_count{command="Status",outcome="Api"} 2"#,
            r#"rss_holds{controller="replicatedstatefulset",reason="NotRunning"} 2"#,
        ] {
            assert!(text.contains(line), "{line} is missing in\n{text}");
        }
        assert!(!text.contains("failed") && !text.contains("shop"), "{text}");
    }

    #[test]
    fn a_hold_is_counted_while_it_lasts_and_once_for_each_resource() {
        let metrics = Metrics::default();
        let holds = |kind: Kind| {
            let line = format!(r#"rss_holds{{controller="{}",reason="Paused"}} "#, kind.as_str());
            let text = metrics.text();
            text.lines().find_map(|found| found.strip_prefix(&line).map(str::to_owned))
        };
        for of in ["a/one", "a/one", "a/two"] {
            metrics.holding(SET, of, vec!["Paused"]);
        }
        metrics.holding(Kind::StatefulCluster, "a/one", vec!["Paused"]);
        assert_eq!((holds(SET), holds(Kind::StatefulCluster)), (Some("2".into()), Some("1".into())));
        metrics.holding(SET, "a/one", Vec::new());
        metrics.holding(SET, "a/two", Vec::new());
        assert_eq!((holds(SET), holds(Kind::StatefulCluster)), (Some("0".into()), Some("1".into())));
    }

    #[test]
    fn each_watch_is_ready_or_not_at_the_moment_of_the_scrape() {
        let (metrics, watches) = (Metrics::default(), Watches::new(SET));
        metrics.watching(&watches);
        let [shop, gone] = ["shop", "gone"].map(|namespace| watches.add(Some(namespace), "Pod"));
        let line = |namespace: &str, ready: u8| {
            let labels = format!(r#"controller="replicatedstatefulset",namespace="{namespace}",kind="Pod""#);
            format!("rss_watch_ready{{{labels}}} {ready}\n")
        };
        shop.listed();
        gone.failed("failed to list: no (403)".to_owned());
        let text = metrics.text();
        assert!(text.contains(&line("shop", 1)) && text.contains(&line("gone", 0)), "{text}");
        assert!(!text.contains("403"), "{text}");
        gone.listed();
        assert!(metrics.text().contains(&line("gone", 1)));
    }
}
