use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::observe::WatchedNode;
use crate::observe::fixture::objects;

fn zero() -> ReplicaName {
    "rss-x-0".into()
}

/// A StatefulSet of one member, whose claim has this phase and was made for this node.
fn set(pod: Option<Value>, phase: &str, selected: Option<&str>) -> Objects {
    let mut all = objects();
    let workload = json!({"metadata": {"uid": "w"}, "spec": {"replicas": 1, "selector": {}, "serviceName": "", "template": {}}});
    all.workload = Some(Arc::new(serde_json::from_value(workload).unwrap()));
    let pod = pod.map(|pod| Arc::new(serde_json::from_value(pod).unwrap()));
    all.pods = pod.map(|pod| (zero(), pod)).into_iter().collect();
    let mut claim = json!({"metadata": {"uid": "k0"}, "status": {"phase": phase}});
    if let Some(node) = selected {
        claim["metadata"]["annotations"] = json!({SELECTED_NODE: node});
    }
    all.claims = BTreeMap::from([(zero(), vec![Arc::new(serde_json::from_value(claim).unwrap())])]);
    all.nodes = Some(vec![node("good", "True"), node("bad", "Unknown")]);
    all
}

fn node(name: &str, ready: &str) -> Arc<WatchedNode> {
    let node =
        json!({"metadata": {"name": name}, "status": {"conditions": [{"type": "Ready", "status": ready}]}});
    Arc::new(serde_json::from_value(node).unwrap())
}

fn waiting(reason: &str, node: Option<&str>) -> Value {
    let status = json!({"name": "db", "image": "", "imageID": "", "ready": false, "restartCount": 0,
        "state": {"waiting": {"reason": reason, "message": "it says\nso"}}});
    json!({"metadata": {"uid": "p0"}, "spec": {"nodeName": node, "containers": [{"name": "db"}]},
        "status": {"phase": "Pending", "containerStatuses": [status]}})
}

fn unschedulable() -> Value {
    json!({"metadata": {"uid": "p0"}, "spec": {"containers": [{"name": "db"}]}, "status": {"phase": "Pending",
        "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no room"}]}})
}

/// What is told of the one member where events say this of these objects.
fn told(objects: &Objects, told: &[(&str, &str)]) -> Option<(String, bool)> {
    let told = told.iter().map(|(uid, reason)| ((*uid).to_owned(), Said::new(reason, Some("no quota"))));
    let absences = Absences { told: told.collect(), ..Absences::default() };
    let away = away(objects);
    let absence = absences.of(objects, &zero(), *away.get(&zero())?)?;
    Some((absence.why, absence.recovers))
}

#[test]
fn a_pod_that_is_missing_is_explained_by_the_events_of_its_statefulset() {
    let objects = set(None, "Bound", None);
    assert_eq!(subjects(&objects, &zero(), None), [("w".to_owned(), Subject::StatefulSet)]);
    assert_eq!(told(&objects, &[]), None);
    let expected = Some(("FailedCreate: no quota".to_owned(), true));
    assert_eq!(told(&objects, &[("w", "FailedCreate")]), expected);
}

#[test]
fn a_member_that_runs_leaves_or_has_no_place_is_not_explained() {
    let mut pod = serde_json::to_value(&*objects().pods[&zero()]).unwrap();
    assert!(away(&set(Some(pod.clone()), "Bound", None)).is_empty());
    pod["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    assert!(away(&set(Some(pod), "Bound", None)).is_empty(), "nobody knows yet what becomes of it");
    let mut without_place = set(None, "Bound", None);
    without_place.workload = None;
    assert!(away(&without_place).is_empty());
}

#[test]
fn a_pod_tells_of_itself_first_and_events_tell_only_where_it_says_nothing() {
    let objects = set(Some(waiting("ErrImagePull", Some("good"))), "Bound", None);
    assert_eq!(subjects(&objects, &zero(), objects.pods.get(&zero()).map(AsRef::as_ref)), []);
    assert_eq!(told(&objects, &[("p0", "Failed")]), Some(("ErrImagePull: it says so".to_owned(), true)));
    let objects = set(Some(waiting("ContainerCreating", Some("good"))), "Bound", None);
    let expected = [("p0".to_owned(), Subject::Pod)];
    assert_eq!(subjects(&objects, &zero(), objects.pods.get(&zero()).map(AsRef::as_ref)), expected);
    for (reason, recovers) in [("FailedMount", false), ("FailedCreatePodSandBox", true)] {
        assert_eq!(told(&objects, &[("p0", reason)]), Some((format!("{reason}: no quota"), recovers)));
    }
}

#[test]
fn a_claim_without_a_volume_explains_why_its_pod_has_no_node() {
    let objects = set(Some(unschedulable()), "Pending", None);
    let expected = [("k0".to_owned(), Subject::Claim)];
    assert_eq!(subjects(&objects, &zero(), objects.pods.get(&zero()).map(AsRef::as_ref)), expected);
    assert_eq!(told(&objects, &[]), Some(("Unschedulable: no room".to_owned(), true)));
    let expected = Some(("ProvisioningFailed: no quota".to_owned(), true));
    assert_eq!(told(&objects, &[("k0", "ProvisioningFailed")]), expected);
}

#[test]
fn nobody_promises_that_a_member_recovers_whose_node_or_volume_may_be_lost() {
    let recovers = |objects: &Objects| told(objects, &[]).unwrap().1;
    for (sentence, node, expected) in
        [("its node is well", "good", true), ("silent", "bad", false), ("gone", "x", false)]
    {
        let objects = set(Some(waiting("ErrImagePull", Some(node))), "Bound", None);
        assert_eq!(recovers(&objects), expected, "it has a node: {sentence}");
        let mut objects = set(Some(unschedulable()), "Bound", Some(node));
        assert_eq!(recovers(&objects), expected, "its volume was made for a node: {sentence}");
        objects.nodes = None;
        assert!(!recovers(&objects), "nobody may see the nodes");
    }
    assert!(
        !recovers(&set(Some(unschedulable()), "Bound", None)),
        "nobody knows where its volume can be used"
    );
    assert!(!recovers(&set(Some(unschedulable()), "Lost", None)), "its volume is gone");
    let mut objects = set(Some(waiting("ErrImagePull", Some("bad"))), "Bound", None);
    objects.nodes = None;
    assert!(recovers(&objects), "nobody may see the nodes, and its own node says why it does not run");
    assert!(!recovers(&set(Some(waiting("CrashLoopBackOff", Some("good"))), "Bound", None)));
}

#[test]
fn events_are_read_once_a_member_is_away_for_a_while_and_not_in_every_look() {
    let (mut absences, start) = (Absences::default(), Instant::now());
    assert!(!absences.is_due(start));
    assert!(absences.is_due(start + PATIENCE));
    absences.next = Some(start + PATIENCE + PERIOD);
    assert!(!absences.is_due(start + PERIOD));
    assert!(absences.is_due(start + PATIENCE + PERIOD));
}
