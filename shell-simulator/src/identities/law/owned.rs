//! The laws of a StatefulCluster whose owner decides who goes: an identity is that of its claims, whichever pod it has.

use std::collections::BTreeSet;

use api_server::Store;
use serde_json::Value;

use super::{Law, has_failed, identity, name};
use crate::identities::object::{claims, pods};

impl Law {
    /// A pod is made: of an identity that has a place, or of a new one if there is a place for it.
    pub(super) fn placed(&mut self, now: u64, pod: &Value, is_known: bool, given_up: &[&str], store: &Store) {
        let of = identity(pod);
        let (pods, claims) = (pods(store), claims(store));
        let there = pods.iter().chain(&claims).map(|(_, object)| identity(object));
        let placed: BTreeSet<_> = there.filter(|other| *other != of && !given_up.contains(other)).collect();
        let most = self.most(now);
        if is_known && given_up.contains(&of) {
            self.broken(format!("{of} is made again and was given up"));
        }
        if !is_known && placed.len() as u64 >= most {
            self.broken(format!("{of} is made, and {placed:?} have all {most} places"));
        }
    }

    /// A pod gets its claims.
    pub(super) fn comes_back(&mut self, pod: &Value, given_up: &[&str]) {
        if given_up.contains(&identity(pod)) {
            self.broken(format!("{} mounts its claims and was given up", name(pod)));
        }
    }

    /// An operator deletes a pod.
    pub(super) fn goes(&mut self, pod: &Value, given_up: &[&str]) {
        if !has_failed(pod) && !given_up.contains(&identity(pod)) {
            self.broken(format!("{} is deleted and was not given up", name(pod)));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::identities::kubelets::Kubelets;
    use crate::identities::object::CLUSTER_PATH;

    fn object(of: &str) -> Value {
        json!({"metadata": {"name": of, "uid": format!("{of}-uid"),
            "labels": {"enge.me/identity": of, "enge.me/statefulcluster": "db"}}})
    }

    /// The laws that something breaks where two are wanted, these have claims, and these were given up.
    fn broken(claims: &[&str], given_up: &[&str], what: impl FnOnce(&mut Law, &Store)) -> String {
        broken_of(&json!([]), claims, given_up, what)
    }

    /// The same, of one that these own.
    fn broken_of(
        owners: &Value,
        claims: &[&str],
        given_up: &[&str],
        what: impl FnOnce(&mut Law, &Store),
    ) -> String {
        let (mut law, mut store) = (Law::default(), Store::default());
        let spec = json!({"replacement": {"released": given_up}});
        store.put(CLUSTER_PATH, json!({"metadata": {"name": "db", "ownerReferences": owners}, "spec": spec}));
        for of in claims {
            store.put(&format!("/api/v1/namespaces/shop/persistentvolumeclaims/data-{of}"), object(of));
        }
        law.want(0, 2);
        what(&mut law, &store);
        law.breaches().join("; ")
    }

    #[test]
    fn a_pod_is_made_of_who_has_a_place_or_where_there_is_one() {
        let born = |claims: &[&str], given_up: &[&str], times: usize| {
            broken(claims, given_up, |law, store| {
                (0..times).for_each(|_| law.born(0, &object("db-c"), store, &Kubelets::default()));
            })
        };
        assert_eq!(born(&["db-a"], &[], 2), "", "there is a place, and then it is its own");
        assert_eq!(born(&["db-a", "db-b"], &["db-b"], 1), "", "one was given up");
        assert_eq!(
            born(&["db-a", "db-b"], &[], 1),
            "db-c is made, and {\"db-a\", \"db-b\"} have all 2 places"
        );
        assert_eq!(born(&["db-a"], &["db-c"], 2), "db-c is made again and was given up");
    }

    #[test]
    fn a_set_may_delete_the_pods_of_its_members_and_only_those_that_it_looked_at() {
        let owners = json!([{"controller": true, "kind": "ReplicatedStatefulSet", "name": "x"}]);
        let deleted = |uid: &str| {
            let sent = json!({"preconditions": {"uid": uid}, "gracePeriodSeconds": 1});
            broken_of(&owners, &[], &[], |law, store| law.ended(&object("db-a"), &sent, store))
        };
        assert_eq!(deleted("db-a-uid"), "");
        assert_eq!(deleted("another"), "db-a is deleted whoever it is");
    }

    #[test]
    fn who_was_given_up_mounts_nothing_and_nobody_else_is_deleted() {
        let told = |given_up: &[&str]| {
            let mounts = broken(&[], given_up, |law, store| {
                law.mounts(&object("db-a"), &object("db-a"), store);
            });
            let sent = json!({"preconditions": {"uid": "db-a-uid"}});
            let ends = broken(&[], given_up, |law, store| law.ended(&object("db-a"), &sent, store));
            [mounts, ends]
        };
        assert_eq!(told(&["db-a"]), ["db-a mounts its claims and was given up", ""]);
        assert_eq!(told(&["db-b"]), ["", "db-a is deleted and was not given up"]);
    }
}
