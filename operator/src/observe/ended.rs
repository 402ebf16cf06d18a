//! Containers that a kubelet reported terminated, also of pods that are gone since.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use k8s_openapi::api::core::v1::{ContainerStateTerminated, Pod};
use planner::names::ContainerId;

use crate::controller::SetKey;

/// Reports kept of each set. A start waits for one report, and that one is among the newest:
/// 64 pods that restart four times each fit.
const KEPT: usize = 256;

/// The reason with which a kubelet says that it does not know what became of a container.
const UNKNOWN: &str = "ContainerStatusUnknown";

/// The reports of all sets, oldest first.
#[derive(Debug, Default)]
pub struct Ended(Mutex<BTreeMap<SetKey, VecDeque<ContainerId>>>);

impl Ended {
    /// Keeps what a pod's status reports as terminated. Called with every state of a pod that the
    /// watch delivers, above all with the last one: a deleted pod cannot be asked any more.
    pub fn note(&self, set: &SetKey, pod: &Pod) {
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for id in terminated(pod) {
            let reports = sets.entry(set.clone()).or_default();
            if !reports.contains(&id) {
                reports.push_back(id);
            }
            if reports.len() > KEPT {
                reports.pop_front();
            }
        }
    }

    /// All that is kept of a set.
    #[must_use]
    pub fn of(&self, set: &SetKey) -> BTreeSet<ContainerId> {
        let sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sets.get(set).into_iter().flatten().cloned().collect()
    }

    /// Forgets a set that is gone.
    pub fn forget(&self, set: &SetKey) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(set);
    }
}

/// The containers that a pod's status reports as terminated, now or before.
fn terminated(pod: &Pod) -> impl Iterator<Item = ContainerId> + '_ {
    let statuses = pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten());
    let states = statuses.flat_map(|status| [status.state.as_ref(), status.last_state.as_ref()]);
    states.flatten().filter_map(|state| state.terminated.as_ref()).filter_map(vouched_for)
}

fn vouched_for(ended: &ContainerStateTerminated) -> Option<ContainerId> {
    let known = ended.reason.as_deref() != Some(UNKNOWN);
    ended.container_id.clone().filter(|id| known && !id.is_empty()).map(ContainerId)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn pod(states: &[(Value, Value)]) -> Pod {
        let statuses: Vec<Value> = states
            .iter()
            .map(|(state, last)| {
                json!({"name": "db", "image": "", "imageID": "", "ready": false, "restartCount": 0,
                    "state": state, "lastState": last})
            })
            .collect();
        serde_json::from_value(
            json!({"metadata": {"name": "rss-x-0"}, "status": {"containerStatuses": statuses}}),
        )
        .unwrap()
    }

    fn ended(id: &str, reason: &str) -> Value {
        json!({"terminated": {"exitCode": 0, "containerID": id, "reason": reason}})
    }

    #[test]
    fn a_report_of_now_or_of_the_run_before_outlives_its_pod() {
        let (all, key) = (Ended::default(), SetKey::new("ns", "x"));
        all.note(&key, &pod(&[(ended("c2", "Completed"), ended("c1", "Error"))]));
        all.note(&key, &pod(&[(json!({"running": {}}), json!({}))]));
        assert_eq!(all.of(&key), BTreeSet::from(["c1".into(), "c2".into()]));
        assert!(all.of(&SetKey::new("ns", "y")).is_empty(), "sets are kept apart");
        all.forget(&key);
        assert!(all.of(&key).is_empty());
    }

    #[test]
    fn a_kubelet_that_does_not_know_reports_nothing() {
        let (all, key) = (Ended::default(), SetKey::new("ns", "x"));
        all.note(&key, &pod(&[(ended("c1", "ContainerStatusUnknown"), ended("", "Error"))]));
        assert!(all.of(&key).is_empty());
    }

    #[test]
    fn the_oldest_reports_make_room() {
        let (all, key) = (Ended::default(), SetKey::new("ns", "x"));
        for number in 0..=KEPT {
            all.note(&key, &pod(&[(ended(&format!("c{number}"), "Error"), json!({}))]));
        }
        let kept = all.of(&key);
        assert_eq!(kept.len(), KEPT);
        assert!(!kept.contains(&ContainerId::from("c0")));
    }
}
