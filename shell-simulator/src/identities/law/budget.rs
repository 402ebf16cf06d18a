//! The law of the budget: within a window no more identities take the place of others than the resource says.

use std::collections::BTreeSet;

use api_server::Store;
use operator::api::Span;
use serde_json::Value;

use super::{BEHIND, Law};
use crate::identities::object::{cluster_of, identity, is_leaving, pods};

/// Whom others took the place of.
#[derive(Default)]
pub(super) struct Places {
    /// So many were made for the size: only those beyond it are made for it again.
    filled: u64,
    /// When an identity took the place of another one.
    taken: Vec<u64>,
    /// Until then somebody may be made for another size, or for another template, who takes nobody's place.
    turns_until: u64,
}

impl Law {
    /// Another size or another template is asked for.
    pub(crate) fn turn(&mut self, now: u64) {
        self.places.turns_until = now + BEHIND;
    }

    /// Pods of more than one template stand: those of the newer one take nobody's place.
    pub(crate) fn sees_templates(&mut self, now: u64, store: &Store) {
        let pods = pods(store);
        let standing = pods.iter().filter(|(_, pod)| !is_leaving(pod));
        if standing.map(|(_, pod)| template(pod)).collect::<BTreeSet<_>>().len() > 1 {
            self.turn(now);
        }
    }

    /// So many are asked for from now on.
    pub(super) fn forgets_places(&mut self, now: u64, replicas: u64) {
        self.places.filled = self.places.filled.min(replicas);
        self.turn(now);
    }

    /// A snapshot was restored: who was replaced since is not in it, and counts in no budget.
    pub(crate) fn forgets_budget(&mut self, now: u64) {
        self.places.taken.clear();
        self.turn(now);
    }

    /// A pod is made, of an identity that nobody had.
    pub(super) fn takes_a_place(&mut self, now: u64, pod: &Value, store: &Store) {
        let Some(cluster) = cluster_of(pod, store) else { return };
        let size = cluster["spec"]["replicas"].as_u64().unwrap_or(0);
        let pods = pods(store);
        let standing: Vec<_> = pods.iter().filter(|(_, pod)| !is_leaving(pod)).collect();
        let count = standing.len() as u64;
        let places = &mut self.places;
        places.filled = places.filled.max(count).min(size);
        let is_other = standing.iter().any(|(_, other)| template(other) != template(pod));
        if count < places.filled && !is_other && now >= places.turns_until {
            places.taken.push(now);
        }
        places.filled = places.filled.max(count + 1).min(size);
        let replacement = &cluster["spec"]["replacement"];
        let (budget, window) = (replacement["budget"].as_u64().unwrap_or(3), window(replacement));
        // The operator counts from when it decides, and what it sends may land as much later as any request.
        let is_within = |at: &&u64| **at + window > now + BEHIND;
        let taken = places.taken.iter().filter(is_within).count() as u64;
        if taken > budget && !self.crowded {
            let of = identity(pod);
            self.broken(format!(
                "{taken} took the place of others within a window with {of}, of {budget} at most"
            ));
        }
    }
}

/// What of a pod's template it cannot change and live.
fn template(pod: &Value) -> &str {
    let label = pod["metadata"]["labels"]["controller-revision-hash"].as_str().unwrap_or_default();
    label.split_once('-').map_or(label, |(lasting, _)| lasting)
}

/// In milliseconds; an hour where it is left out.
fn window(replacement: &Value) -> u64 {
    let given = serde_json::from_value::<Span>(replacement["window"].clone()).ok();
    let length = given.and_then(|span| span.duration().ok());
    length.map_or(3_600_000, |length| length.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::identities::kubelets::Kubelets;
    use crate::identities::object::CLUSTER_PATH;

    const MINUTE: u64 = 60_000;

    fn pod(of: &str, template: &str) -> Value {
        json!({"metadata": {"name": of, "uid": of, "labels": {"enge.me/identity": of,
            "enge.me/statefulcluster": "db", "controller-revision-hash": format!("{template}-1")}}})
    }

    /// What is broken where one pod of two stands, two were made, and others of this template are made at these minutes.
    fn broken(template: &str, at: &[u64], before: impl FnOnce(&mut Law)) -> String {
        let (mut law, mut store) = (Law::default(), Store::default());
        let replacement = json!({"budget": 1, "window": "1h"});
        store.put(
            CLUSTER_PATH,
            json!({"metadata": {"name": "db"}, "spec": {"replicas": 2, "replacement": replacement}}),
        );
        law.want(0, 2);
        store.put("/api/v1/namespaces/shop/pods/db-a", pod("db-a", "a"));
        law.born(0, &pod("db-b", "a"), &store, &Kubelets::default());
        before(&mut law);
        for minute in at {
            law.born(minute * MINUTE, &pod(&format!("db-{minute}"), template), &store, &Kubelets::default());
        }
        law.breaches().join("; ")
    }

    #[test]
    fn no_more_take_the_place_of_others_within_a_window_than_the_budget_says() {
        let of = |at: &[u64]| broken("a", at, |_| {});
        assert_eq!(of(&[10]), "");
        assert_eq!(of(&[10, 67]), "", "as late as a request may be");
        assert_eq!(of(&[10, 70, 127]), "");
        assert_eq!(of(&[10, 60]), "2 took the place of others within a window with db-60, of 1 at most");
    }

    #[test]
    fn who_is_made_for_another_template_or_size_takes_nobodys_place() {
        assert_eq!(broken("b", &[10, 20, 30], |_| {}), "");
        assert_eq!(broken("a", &[10, 12], |law| law.turn(9 * MINUTE)), "");
        assert_eq!(broken("a", &[10, 12, 30], |law| law.forgets_places(9 * MINUTE, 1)), "");
        assert_ne!(broken("a", &[20, 30], |law| law.turn(9 * MINUTE)), "", "the turn is over");
    }
}
