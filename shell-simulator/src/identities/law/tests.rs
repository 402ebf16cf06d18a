//! Each law finds what breaks it, and nothing where nothing does.

use serde_json::json;

use super::super::kubelets::Power;
use super::super::object::CLUSTER_PATH;
use super::*;

const CLAIM: &str = "/api/v1/namespaces/shop/persistentvolumeclaims/data-db-a";
const POD: &str = "/api/v1/namespaces/shop/pods/db-a";

fn pod(of: &str, uid: &str) -> Value {
    json!({"metadata": {"name": of, "uid": uid, "labels": {"enge.me/identity": of, "enge.me/statefulcluster": "db"}},
        "spec": {"volumes": [{"persistentVolumeClaim": {"claimName": format!("data-{of}")}}]}})
}

fn claim(of: &str, uid: &str, made_for: &str) -> Value {
    json!({"metadata": {"name": format!("data-{of}"), "uid": uid, "labels": {"enge.me/identity": of, "enge.me/statefulcluster": "db"},
        "annotations": {"enge.me/pod-uid": made_for}}})
}

/// The laws that something breaks in a cluster of two pods with this policy.
fn broken(retention: &str, what: impl FnOnce(&mut Law, &mut Store)) -> String {
    let (mut law, mut store) = (Law::default(), Store::default());
    let spec = json!({"persistentVolumeClaimRetentionPolicy": {"whenScaled": retention}});
    store.put(CLUSTER_PATH, json!({"metadata": {"name": "db"}, "spec": spec}));
    law.want(0, 2);
    what(&mut law, &mut store);
    law.breaches().join("; ")
}

#[test]
fn an_identity_is_a_pods_once() {
    let made = |all: [(&str, &str); 2]| {
        broken("Delete", |law, store| {
            for (of, uid) in all {
                law.born(0, &pod(of, uid), store, &Kubelets::default());
            }
        })
    };
    assert_eq!(made([("db-a", "1"), ("db-b", "2")]), "");
    assert_eq!(made([("db-a", "1"), ("db-a", "2")]), "the identity db-a is given to 2 and was 1's");
}

#[test]
fn one_more_than_are_asked_for_is_alive_at_most_and_fewer_are_asked_for_only_after_a_while() {
    let alive = |now: u64, standing: usize| {
        broken("Delete", |law, store| {
            law.want(1, 1);
            for number in 0..standing {
                store.put(&format!("{POD}{number}"), pod("db-a", &number.to_string()));
            }
            law.born(now, &pod("db-b", "b"), store, &Kubelets::default());
        })
    };
    assert_eq!((alive(BEHIND, 2), alive(BEHIND + 2, 1)), (String::new(), String::new()));
    assert_eq!(alive(BEHIND, 3), "4 are alive with db-b, of 3 at most");
    assert_eq!(alive(BEHIND + 2, 2), "3 are alive with db-b, of 2 at most");
}

#[test]
fn a_claim_is_mounted_by_the_pod_that_it_was_made_for() {
    let mounted = |claim: Value| broken("Delete", |law, store| law.mounts(&pod("db-a", "1"), &claim, store));
    assert_eq!(mounted(claim("db-a", "k", "1")), "");
    assert_eq!(mounted(claim("db-a", "k", "0")), "the claim data-db-a was made for another pod than 1");
    assert_eq!(mounted(claim("db-b", "k", "1")), "the claim data-db-b is mounted by db-a and was None's");
    let twice = broken("Delete", |law, store| {
        law.mounts(&pod("db-a", "1"), &claim("db-a", "k", "1"), store);
        law.mounts(&pod("db-b", "2"), &claim("db-b", "k", "2"), store);
    });
    assert_eq!(twice, "the claim data-db-b is mounted by db-b and was Some(\"db-a\")'s");
}

#[test]
fn a_pod_is_deleted_by_its_uid_and_never_by_force() {
    let ended = |sent: Value| broken("Delete", |law, store| law.ended(&pod("db-a", "1"), &sent, store));
    assert_eq!(ended(json!({"preconditions": {"uid": "1"}})), "");
    assert_eq!(ended(json!({})), "db-a is deleted whoever it is");
    let forced = json!({"preconditions": {"uid": "1"}, "gracePeriodSeconds": 0});
    assert_eq!(ended(forced), "db-a is deleted by force");
}

#[test]
fn a_claim_is_deleted_by_its_uid_where_that_is_the_policy_and_nobody_mounts_it() {
    let emptied = |retention: &str, uid: &str, is_mounted: bool| {
        broken(retention, |law, store| {
            store.put(CLAIM, claim("db-a", "k", "1"));
            if is_mounted {
                store.put(POD, pod("db-a", "1"));
            }
            law.emptied(&claim("db-a", "k", "1"), &json!({"preconditions": {"uid": uid}}), store);
        })
    };
    assert_eq!(emptied("Delete", "k", false), "");
    assert_eq!(emptied("Delete", "l", false), "data-db-a is deleted whichever it is");
    assert_eq!(emptied("Retain", "k", false), "data-db-a is deleted and was to stay");
    assert_eq!(emptied("Delete", "k", true), "data-db-a is deleted and is mounted");
}

#[test]
fn who_was_told_to_end_counts_until_nothing_is_heard_of_its_node_and_again_once_that_reports() {
    let alive = |power: Option<Power>, reports: &str| {
        broken("Delete", |law, store| {
            let mut kubelets = Kubelets::default();
            let node = kubelets.add_node(store);
            let mut leaving = pod("db-a", "0");
            leaving["metadata"]["deletionTimestamp"] = json!(object::LONG_AGO);
            leaving["spec"]["nodeName"] = json!(node);
            for number in 0..3 {
                store.put(&format!("{POD}{number}"), leaving.clone());
            }
            kubelets.turn(&node, power);
            store.put(&object::node_path(&node), json!({"status": {"conditions": object::ready(reports)}}));
            law.born(1, &pod("db-b", "b"), store, &kubelets);
        })
    };
    assert_eq!(alive(Some(Power::On), "True"), "4 are alive with db-b, of 3 at most");
    assert_eq!(alive(None, "True"), "", "it is none any more");
    assert_eq!(alive(Some(Power::Off), "True"), "", "it is not told yet");
    assert_eq!(alive(Some(Power::On), "Unknown"), "", "it has power again, and nobody knows");
}
