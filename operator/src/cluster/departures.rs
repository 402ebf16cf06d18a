//! Who left a place that nobody has taken yet, and why: told to people, and nothing is decided by it. Who left before this
//! task began is not known.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::SignedDuration;
use stateful_cluster::Step;
use stateful_cluster::memory::Why;
use stateful_cluster::names::Identity;
use stateful_cluster::plan::Cause;
use stateful_cluster::target::Patience;

use super::pods;

/// Who left, the first of them first.
#[derive(Debug, Default)]
pub(super) struct Departures {
    /// Who stood in the look before.
    standing: BTreeSet<Identity>,
    /// Who was told to go here, and why; without a reason: nobody is to take its place.
    told: BTreeMap<Identity, Option<String>>,
    left: Vec<(Identity, String)>,
}

// === impl Departures ===

impl Departures {
    /// Notes who stands no more. Where no place is free the places of those that left are taken, but of those who keep
    /// theirs.
    pub(super) fn look(
        &mut self,
        pods: &BTreeMap<Identity, Arc<Pod>>,
        is_free: bool,
        keeps: impl Fn(&Identity) -> bool,
    ) {
        let standing = pods.iter().filter(|(_, pod)| pod.metadata.deletion_timestamp.is_none());
        let standing: BTreeSet<_> = standing.map(|(identity, _)| identity.clone()).collect();
        for identity in self.standing.difference(&standing) {
            let why = self.told.remove(identity);
            let why = why.unwrap_or_else(|| Some(deleted(pods.get(identity).map(Arc::as_ref))));
            self.left.extend(why.map(|why| (identity.clone(), why)));
        }
        self.left.retain(|(identity, _)| !standing.contains(identity) && (is_free || keeps(identity)));
        self.standing = standing;
    }

    /// Why a step was done: of who is removed the reason, and of who takes a place whose, and why that one left it.
    pub(super) fn why(
        &mut self,
        step: &Step,
        pods: &BTreeMap<Identity, Arc<Pod>>,
        patience: &Patience,
        keeps: impl Fn(&Identity) -> bool,
    ) -> Option<String> {
        match step {
            Step::DeletePod { identity, cause, .. } => {
                let why = removed(*cause, pods.get(identity).map(Arc::as_ref), patience);
                let is_replaced = *cause != Cause::Size;
                self.told.insert(identity.clone(), is_replaced.then(|| why.clone()));
                Some(why)
            }
            Step::CreatePod { why: Why::Replacement, .. } => {
                let first = self.left.iter().position(|(identity, _)| !keeps(identity))?;
                let (identity, why) = self.left.remove(first);
                Some(format!("{identity}: {why}"))
            }
            _ => None,
        }
    }
}

/// Why we remove a pod.
fn removed(cause: Cause, pod: Option<&Pod>, patience: &Patience) -> String {
    let because = in_brackets(pod.and_then(pods::trouble));
    let node = pod.and_then(pods::node_name).map_or_else(String::new, |node| format!(" {node}"));
    match cause {
        Cause::Size => "there are more than are wanted".to_owned(),
        Cause::Ended => format!("it ended{because}"),
        Cause::Unhealthy => format!("it was not healthy for {}{because}", length(patience.unhealthy)),
        Cause::Stranded => format!("nothing was heard of its node{node} for {}", length(patience.unheard)),
        Cause::Released => "it was given up".to_owned(),
    }
}

/// Somebody else did: Kubernetes may say who.
fn deleted(pod: Option<&Pod>) -> String {
    format!("its pod was deleted{}", in_brackets(pod.and_then(pods::disruption)))
}

fn in_brackets(why: Option<String>) -> String {
    why.map_or_else(String::new, |why| format!(" ({why})"))
}

fn length(seconds: u64) -> String {
    format!("{:#}", SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const PATIENCE: Patience = Patience { unhealthy: 600, unheard: 90, window: 3600, progress: 600 };

    fn pods(all: &[(&str, Value)]) -> BTreeMap<Identity, Arc<Pod>> {
        let pod = |(name, more): &(&str, Value)| {
            let mut pod = json!({"metadata": {"name": name}, "spec": {"nodeName": "n1", "containers": []}});
            pod.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            (Identity::from(*name), Arc::new(serde_json::from_value(pod).unwrap()))
        };
        all.iter().map(pod).collect()
    }

    fn well(names: &[&'static str]) -> BTreeMap<Identity, Arc<Pod>> {
        pods(&names.iter().map(|name| (*name, json!({}))).collect::<Vec<_>>())
    }

    fn replaces() -> Step {
        Step::CreatePod { identity: "db-n".into(), revision: Default::default(), why: Why::Replacement }
    }

    fn removes(cause: Cause) -> Step {
        Step::DeletePod { identity: "db-a".into(), if_pod: "u".into(), cause }
    }

    /// Why the next one is made, where nobody keeps a place.
    fn next(departures: &mut Departures) -> Option<String> {
        departures.why(&replaces(), &BTreeMap::new(), &PATIENCE, |_| false)
    }

    #[test]
    fn who_takes_the_place_of_one_that_was_removed_is_told_whose_and_why() {
        let ill = json!({"status": {"phase": "Pending", "containerStatuses": [{"name": "db", "image": "",
            "imageID": "", "ready": false, "restartCount": 0, "state": {"waiting": {"reason": "ErrImagePull"}}}]}});
        let over = json!({"status": {"phase": "Failed", "reason": "Evicted", "message": "low on memory"}});
        for (cause, pod, expected) in [
            (Cause::Unhealthy, ill, Some("it was not healthy for 10m (ErrImagePull)")),
            (Cause::Ended, over, Some("it ended (Evicted: low on memory)")),
            (Cause::Stranded, json!({}), Some("nothing was heard of its node n1 for 1m 30s")),
            (Cause::Released, json!({}), Some("it was given up")),
            (Cause::Size, json!({}), None),
        ] {
            let (mut departures, stands) = (Departures::default(), pods(&[("db-a", pod)]));
            departures.look(&stands, false, |_| false);
            let why = departures.why(&removes(cause), &stands, &PATIENCE, |_| false).unwrap();
            assert_eq!(why, expected.unwrap_or("there are more than are wanted"));
            departures.look(&stands, false, |_| false);
            assert_eq!(next(&mut departures), None, "{cause:?}: the cache is behind");
            departures.look(&well(&[]), true, |_| false);
            assert_eq!(next(&mut departures), expected.map(|why| format!("db-a: {why}")), "{cause:?}");
            assert_eq!(next(&mut departures), None, "{cause:?}: it is told once");
        }
    }

    #[test]
    fn who_deleted_a_pod_is_told_where_kubernetes_says_so() {
        let condition = json!({"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI",
            "message": "Eviction API: evicting"});
        let leaving = json!({"metadata": {"name": "db-a", "deletionTimestamp": "2026-01-01T00:00:00Z"}});
        let mut evicted = leaving.clone();
        evicted["status"] = json!({"conditions": [condition]});
        for (sentence, after, expected) in [
            ("it is gone", pods(&[]), "its pod was deleted"),
            ("it ends", pods(&[("db-a", leaving)]), "its pod was deleted"),
            (
                "it is evicted",
                pods(&[("db-a", evicted)]),
                "its pod was deleted (EvictionByEvictionAPI: Eviction API: evicting)",
            ),
        ] {
            let mut departures = Departures::default();
            departures.look(&well(&["db-a"]), false, |_| false);
            departures.look(&after, true, |_| false);
            departures.look(&after, true, |_| false);
            assert_eq!(next(&mut departures), Some(format!("db-a: {expected}")), "{sentence}");
            assert_eq!(next(&mut departures), None, "{sentence}: it is noted once");
        }
    }

    #[test]
    fn nobody_is_named_who_keeps_a_place_or_is_there_again_or_whose_place_was_taken_or_who_left_before() {
        let begun = || {
            let mut departures = Departures::default();
            departures.look(&well(&["db-a", "db-b"]), false, |_| false);
            departures.look(&well(&[]), true, |_| false);
            departures
        };
        let keeps = |identity: &Identity| identity.0 == "db-a";
        let told = begun().why(&replaces(), &BTreeMap::new(), &PATIENCE, keeps);
        assert_eq!(told.as_deref(), Some("db-b: its pod was deleted"));
        let mut back = begun();
        back.look(&well(&["db-a"]), true, |_| false);
        assert_eq!(next(&mut back).as_deref(), Some("db-b: its pod was deleted"));
        let mut taken = begun();
        taken.look(&well(&[]), false, keeps);
        assert_eq!(next(&mut taken).as_deref(), Some("db-a: its pod was deleted"), "it was given up since");
        assert_eq!(next(&mut taken), None);
        let mut new = Departures::default();
        let leaves = json!({"metadata": {"name": "db-a", "deletionTimestamp": "2026-01-01T00:00:00Z"}});
        new.look(&pods(&[("db-a", leaves)]), true, |_| false);
        assert_eq!(next(&mut new), None, "somebody may have its place");
    }
}
