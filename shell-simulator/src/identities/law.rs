//! What must never be, whatever befalls the cluster and whoever of the operators dies.

mod budget;
mod owned;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use api_server::Store;
use serde_json::Value;

use super::kubelets::Kubelets;
use super::object::{
    self, cluster_of, has_failed, identity, is_leaving, is_of_a_set, mounts, name, node_of, released, uid,
};

use budget::Places;

/// For so long a size that was asked for before may still be acted on: requests of then may land yet.
const BEHIND: u64 = 200_000;

/// The laws, and what they are asked about.
#[derive(Default)]
pub(crate) struct Law {
    /// Every identity that a pod was ever made for, with the pod's UID. A restored API server knows less.
    made: BTreeMap<String, String>,
    /// Whose each claim is that was ever mounted, by the claim's UID.
    mounted: BTreeMap<String, String>,
    /// The sizes that were asked for, and until when.
    sizes: Vec<(u64, u64)>,
    places: Places,
    /// More may be alive than are asked for: a request came much later than any can.
    pub(super) crowded: bool,
    breaches: Vec<String>,
}

impl Law {
    /// From now on so many are asked for.
    pub(crate) fn want(&mut self, now: u64, replicas: u64) {
        if self.sizes.last().is_some_and(|(size, _)| *size == replicas) {
            return;
        }
        self.forgets_places(now, replicas);
        if let Some((_, until)) = self.sizes.last_mut() {
            *until = now + BEHIND;
        }
        self.sizes.push((replicas, u64::MAX));
    }

    /// A pod is made.
    pub(super) fn born(&mut self, now: u64, pod: &Value, store: &Store, kubelets: &Kubelets) {
        let of = identity(pod);
        let before = self.made.insert(of.to_owned(), uid(pod).to_owned());
        if let Some(given_up) = cluster_of(pod, store).and_then(released) {
            return self.placed(now, pod, before.is_some(), &given_up, store);
        }
        if let Some(before) = before {
            self.broken(format!("the identity {of} is given to {} and was {before}'s", uid(pod)));
        }
        self.takes_a_place(now, pod, store);
        let may_run = |pod: &Value| {
            let is_silent = |node| kubelets.is_unheard(node, now, store);
            let is_lost = is_leaving(pod) && node_of(pod).is_some_and(is_silent);
            !has_failed(pod) && !is_lost
        };
        let alive = object::pods(store).iter().filter(|(_, pod)| may_run(pod)).count() as u64 + 1;
        let most = self.most(now) + 1;
        if alive > most && !self.crowded {
            self.broken(format!("{alive} are alive with {of}, of {most} at most"));
        }
    }

    /// The largest size that may be acted on.
    fn most(&self, now: u64) -> u64 {
        let sizes = self.sizes.iter().filter(|(_, until)| *until >= now).map(|(size, _)| *size);
        sizes.max().unwrap_or(0)
    }

    /// A pod is to be started with a claim.
    pub(crate) fn mounts(&mut self, pod: &Value, claim: &Value, store: &Store) {
        let of = identity(pod).to_owned();
        let before = self.mounted.insert(uid(claim).to_owned(), of.clone());
        if before.as_ref().is_some_and(|before| *before != of) || identity(claim) != of {
            self.broken(format!("the claim {} is mounted by {of} and was {before:?}'s", name(claim)));
        }
        if let Some(given_up) = cluster_of(pod, store).and_then(released) {
            return self.comes_back(pod, &given_up);
        }
        if claim["metadata"]["annotations"]["enge.me/pod-uid"] != uid(pod) {
            self.broken(format!("the claim {} was made for another pod than {}", name(claim), uid(pod)));
        }
    }

    /// An operator deletes a pod. A set repairs its members by that, and brings templates to them: when it may is what its
    /// audit asks of each plan.
    pub(super) fn ended(&mut self, pod: &Value, sent: &Value, store: &Store) {
        if sent["preconditions"]["uid"] != uid(pod) {
            self.broken(format!("{} is deleted whoever it is", name(pod)));
        }
        let cluster = cluster_of(pod, store);
        if cluster.is_some_and(is_of_a_set) {
            return;
        }
        if let Some(given_up) = cluster.and_then(released) {
            self.goes(pod, &given_up);
        }
        if !sent["gracePeriodSeconds"].is_null() {
            self.broken(format!("{} is deleted by force", name(pod)));
        }
    }

    /// An operator deletes a claim.
    pub(super) fn emptied(&mut self, claim: &Value, sent: &Value, store: &Store) {
        if sent["preconditions"]["uid"] != uid(claim) {
            self.broken(format!("{} is deleted whichever it is", name(claim)));
        }
        let cluster = cluster_of(claim, store).cloned().unwrap_or_default();
        if cluster["spec"]["persistentVolumeClaimRetentionPolicy"]["whenScaled"] != "Delete" {
            self.broken(format!("{} is deleted and was to stay", name(claim)));
        }
        if store.of("pods").any(|(_, pod)| mounts(pod).contains(&name(claim))) {
            self.broken(format!("{} is deleted and is mounted", name(claim)));
        }
    }

    fn broken(&mut self, what: String) {
        self.breaches.push(what);
    }

    /// Every law that was broken.
    pub(crate) fn breaches(&self) -> &[String] {
        &self.breaches
    }

    /// How many identities took the place of others: more than there ever were places.
    pub(crate) fn replaced(&self) -> u64 {
        let places = self.sizes.iter().map(|(size, _)| *size).max().unwrap_or(0);
        (self.made.len() as u64).saturating_sub(places)
    }

    /// How many identities were ever given to a pod.
    pub(super) fn made(&self) -> usize {
        self.made.len()
    }
}
