//! A policy from a registry of the local cluster: how long it takes until it decides, and that a restart of the operator
//! asks the registry for nothing.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::phases::{median, merge, rounded, target};
use crate::cluster::Cluster;
use crate::demo::place::{Place, Where};
use crate::demo::seen::condition;
use crate::demo::set;
use crate::demo::source::{self, Source};
use crate::demo::streams::{Seen, Streams};
use crate::demo::{decider, install};
use crate::policies;
use crate::progress::Progress;
use crate::registry::Registry;

/// Of a run, where there is a registry.
pub(super) const STEPS: usize = 4;
/// Paused, so that nothing but its policy is brought for it.
const SET: &str = "puller";
/// Seconds from the change of the resource to the policy that decides.
const MOST_SECONDS: f64 = 0.3;
const PULLS: usize = 5;
const PATIENCE: Duration = Duration::from_secs(60);

/// A registry, and what a set names of it.
pub(super) struct Pull<'a> {
    place: &'a Place,
    cluster: &'a Cluster,
    registry: Registry,
    policy: Value,
}

// === impl Pull ===

impl<'a> Pull<'a> {
    /// Start a registry and push a policy to it. None in a cluster of the user's own, whose registry nobody here knows.
    pub(super) fn prepare(place: &'a Place, progress: &mut Progress) -> Result<Option<Self>> {
        let Where::Local { cluster, .. } = &place.cluster else { return Ok(None) };
        progress.step("build a policy", |step| policies::write_one(source::POLICY, step))?;
        let filled = progress.step("push it to a registry in the cluster", |step| {
            let source = Source::start(place, step)?;
            let policy = source.fill(place)?;
            Ok(source.registry().cloned().zip(Some(policy)))
        })?;
        Ok(filled.map(|(registry, policy)| Self { place, cluster, registry, policy }))
    }

    /// For the operator, who shall trust it.
    pub(super) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The two lines.
    pub(super) fn lines(&self, progress: &mut Progress) -> Result<[Value; 2]> {
        let pulled = progress.step("pull a policy", |_| {
            self.create()?;
            self.cold()
        })?;
        let restarted = progress.step("restart the operator", |_| self.restart())?;
        self.place.within(&["delete", "rss", SET])?;
        Ok([pulled, restarted])
    }

    /// A set by whose policy nobody is asked.
    fn create(&self) -> Result<()> {
        let mut all = set::example(self.place, None)?;
        all.retain(|object| object["kind"] == "ReplicatedStatefulSet");
        for set in &mut all {
            set["metadata"]["name"] = json!(SET);
            set["spec"]["paused"] = json!(true);
        }
        self.place.apply(&all)?;
        let begun = Instant::now();
        while !is_builtin(&set::get(self.place, SET)?) {
            ensure!(begun.elapsed() < PATIENCE, "the operator does not look at a set");
            std::thread::sleep(Duration::from_millis(300));
        }
        Ok(())
    }

    /// Pulls, each after the operator's own policy has decided meanwhile, so that nothing of the one before is left.
    fn cold(&self) -> Result<Value> {
        let (before, mut seconds) = (self.requests()?, Vec::new());
        for number in 1..=PULLS {
            seconds.push(rounded(self.change(&self.policy, is_pulled)?.as_secs_f64()));
            if number < PULLS {
                self.change(&Value::Null, is_builtin)?;
            }
        }
        let middle = median(&seconds).context("nothing was pulled")?;
        let mut line = json!({
            "bench": "pull",
            "seconds": seconds,
            "median": middle,
            "registryRequests": self.requests_since(before)?,
            "how": "from a watch's news that spec.policy names the image to its news that PolicyReady is True by it: \
                fetched, compiled and tried anew each time; the set is paused and has no members",
        });
        merge(&mut line, Some(target(middle, MOST_SECONDS)));
        Ok(line)
    }

    /// From one kind of news to the other, both of one watch.
    fn change(&self, policy: &Value, is_done: fn(&Value) -> bool) -> Result<Duration> {
        let streams = Streams::of_set(self.place, SET)?;
        streams.settle(Duration::from_secs(1));
        patch(self.place, &json!({"spec": {"policy": policy}}))?;
        let (end, mut changed) = (Instant::now() + PATIENCE, None);
        while let Some((at, seen)) = streams.next(end) {
            let Seen::Set(set) = seen else { continue };
            if set["spec"]["policy"] == *policy {
                let since = *changed.get_or_insert(at);
                if is_done(&set) {
                    return Ok(at - since);
                }
            }
        }
        bail!("the policy did not change within {} s", PATIENCE.as_secs())
    }

    /// One that has looked at the set has loaded its policy.
    fn restart(&self) -> Result<Value> {
        decider::wait_kept(self.place, SET)?;
        let before = self.requests()?;
        ensure!(before > 0, "the registry's log does not tell who asked");
        install::restart(self.place)?;
        patch(self.place, &json!({"spec": {"reconcileInterval": "6s"}}))?;
        let begun = Instant::now();
        while !is_pulled(&set::get(self.place, SET)?) {
            ensure!(begun.elapsed() < PATIENCE, "the operator did not take its policy up again");
            std::thread::sleep(Duration::from_millis(300));
        }
        let asked = self.requests_since(before)?;
        let mut line = json!({
            "bench": "restart",
            "registryRequests": asked,
            "how": "the registry's log of accesses, from before the operator's pods were replaced until the next one \
                decides by the policy and has seen a change of the set",
        });
        #[expect(clippy::cast_precision_loss, reason = "so few are exact as a floating point number")]
        merge(&mut line, Some(target(asked as f64, 1.0)));
        Ok(line)
    }

    fn requests(&self) -> Result<usize> {
        self.registry.requests(self.cluster)
    }

    fn requests_since(&self, before: usize) -> Result<usize> {
        self.requests()?.checked_sub(before).context("the registry's log began anew")
    }
}

/// Whether a policy from a registry decides, as whoever saw the resource last says.
fn is_pulled(set: &Value) -> bool {
    set["status"]["observedGeneration"] == set["metadata"]["generation"]
        && condition(set, "PolicyReady").is_some_and(|ready| ready["status"] == "True")
        && set["status"]["policy"]["imageDigest"].is_string()
}

/// Whether the operator's own policy decides, as whoever saw the resource last says.
fn is_builtin(set: &Value) -> bool {
    set["status"]["policy"]["builtin"].is_string()
}

fn patch(place: &Place, change: &Value) -> Result<()> {
    place.within(&["patch", "rss", SET, "--type=merge", "--patch", &change.to_string()]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decided_before_is_not_what_was_pulled() {
        let set = |policy: Value, observed: i64| {
            let conditions = json!([{"type": "PolicyReady", "status": "True"}]);
            let status = json!({"observedGeneration": observed, "conditions": conditions, "policy": policy});
            json!({"metadata": {"generation": 2}, "status": status})
        };
        let pulled = json!({"imageDigest": "sha256:m"});
        assert!(is_pulled(&set(pulled.clone(), 2)) && !is_pulled(&set(pulled, 1)));
        assert!(!is_pulled(&set(json!({"builtin": "largest-integer"}), 2)));
    }
}
