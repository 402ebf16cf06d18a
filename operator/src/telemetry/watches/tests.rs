//! Tables of answers.

use super::*;

const WHY: &str = "failed to list: pods is forbidden (403 Forbidden)";

fn sets() -> Watches {
    Watches::new(Kind::ReplicatedStatefulSet)
}

#[test]
fn a_namespace_is_ready_once_each_of_its_kinds_was_listed() {
    let watches = sets();
    let [pods, claims] = ["Pod", "PersistentVolumeClaim"].map(|kind| watches.add(Some("shop"), kind));
    let other = watches.add(Some("gone"), "Pod");
    other.failed(WHY.into());
    assert!(watches.keeps_waiting());
    pods.listed();
    assert!(!watches.is_ready("shop") && watches.keeps_waiting(), "claims were not listed");
    claims.listed();
    assert!(watches.is_ready("shop") && !watches.keeps_waiting());
    assert!(!watches.is_ready("gone") && !watches.is_ready("unwatched"));
    other.listed();
    assert!(watches.is_ready("gone") && watches.missing().is_empty());
}

#[test]
fn the_operator_waits_for_an_answer_and_not_for_a_namespace_that_refuses_unless_all_do() {
    let watches = sets();
    let [a, b] = ["a", "b"].map(|namespace| watches.add(Some(namespace), "Pod"));
    a.listed();
    assert!(watches.keeps_waiting(), "b did not answer yet");
    b.failed(WHY.into());
    assert!(!watches.keeps_waiting());
    let watches = sets();
    watches.add(Some("a"), "Pod").failed(WHY.into());
    assert!(watches.keeps_waiting(), "all refuse");
}

#[test]
fn a_watch_of_all_namespaces_is_that_of_each() {
    let watches = sets();
    watches.add(None, "Pod").listed();
    assert!(watches.is_ready("shop") && watches.is_current("any"));
}

#[test]
fn a_full_cache_stays_ready_when_its_watch_fails_and_is_not_current_until_it_is_answered() {
    let watches = sets();
    let pods = watches.add(Some("shop"), "Pod");
    pods.answered();
    assert!(!watches.is_ready("shop"), "nothing was listed");
    pods.listed();
    pods.failed(WHY.into());
    assert!(watches.is_ready("shop") && !watches.is_current("shop") && pods.is_stale());
    let line = watches.missing()[0].to_string();
    assert_eq!(line, format!("namespace shop: the caches may be out of date (Pod: {WHY})"));
    pods.answered();
    assert!(watches.is_current("shop") && !pods.is_stale() && watches.missing().is_empty());
}

#[test]
fn a_line_names_namespace_kinds_and_the_error_of_the_api_server() {
    let watches = sets();
    for kind in ["Pod", "Service"] {
        watches.add(Some("gone"), kind).failed(WHY.into());
    }
    let [missing] = watches.missing().try_into().unwrap();
    assert_eq!(
        missing.to_string(),
        format!(
            "namespace gone: the operator looks after no ReplicatedStatefulSet there (Pod, Service: {WHY})"
        )
    );
}

#[test]
fn stateful_clusters_that_no_namespace_shows_are_not_reported() {
    let watches = Watches::new(Kind::StatefulCluster);
    let there = watches.add(Some("shop"), "StatefulCluster");
    watches.add(Some("gone"), "StatefulCluster").failed(WHY.into());
    assert!(watches.missing().is_empty() && watches.each().is_empty());
    there.listed();
    let [missing] = watches.missing().try_into().unwrap();
    assert_eq!((missing.namespace.as_str(), watches.each().len()), ("gone", 2));
}
