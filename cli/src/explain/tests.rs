use super::*;
use serde_json::{Value, json};

fn set(status: Value) -> ReplicatedStatefulSet {
    let command = |name: &str| json!({"command": [name]});
    let commands: Value = ["sequence", "seed", "primary", "status", "stop"]
        .into_iter()
        .map(|name| (name.to_owned(), command(name)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let pod = json!({"commands": commands, "containers": [{"name": "a", "image": "a"}]});
    serde_json::from_value(json!({
        "apiVersion": "clusterlabs.org/v1alpha1",
        "kind": "ReplicatedStatefulSet",
        "metadata": {"name": "orders", "namespace": "shop", "generation": 2},
        "spec": {"replicas": 3, "servicePorts": [], "pod": pod},
        "status": status,
    }))
    .unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn said(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "message": message,
           "lastTransitionTime": "2026-01-01T12:00:00Z"})
}

fn blocked() -> Value {
    json!({
        "observedGeneration": 2, "ready": "0/3", "phase": "Failed", "reason": "LostData",
        "policy": {"name": "galera", "version": "0.1.0", "configMap": {"name": "galera-1", "key": "policy.wasm"}},
        "conditions": [
            said("Ready", "False", "NoMemberServes", ""),
            said("Stalled", "True", "LostData", "rss-orders-2 held data"),
        ],
        "replicaStates": [
            {"name": "rss-orders-0", "appState": "Stopped", "reading": "17", "since": "2026-01-01T12:00:10Z"},
            {"name": "rss-orders-2"},
        ],
        "holds": [{
            "scope": "rss-orders-2", "reason": "LostData", "message": "rss-orders-2 held data",
            "since": "2026-01-01T12:00:20Z", "keys": ["AcceptLoss/rss-orders-2/7f3a9c01d2e4"],
        }],
    })
}

#[test]
fn a_set_that_waits_for_a_person_says_for_whom_since_when_and_which_command_ends_it() {
    let explained = explain(&set(blocked()), at("2026-01-01T12:05:10Z")).unwrap();
    assert_eq!(explained.standing(), Standing::Blocked);
    let expected = "\
shop/orders: 0/3 members serve, not ready for 5m10s · BLOCKED: needs a person · Failed, LostData
  policy   galera 0.1.0, ConfigMap galera-1, key policy.wasm
  REPLICA       STATE           FOR  POSITION
  rss-orders-0  Stopped        5m0s  17
  rss-orders-2  no pod               -
  waits    LostData for 4m50s: rss-orders-2 held data
  allow    to go on without what rss-orders-2 holds:
           kubectl annotate --overwrite rss orders -n shop clusterlabs.org/allow='AcceptLoss/rss-orders-2/7f3a9c01d2e4'
";
    assert_eq!(explained.to_string(), expected);
    let json = serde_json::to_value(&explained).unwrap();
    assert_eq!(json["waits"][0]["choices"][0]["key"], "AcceptLoss/rss-orders-2/7f3a9c01d2e4");
}

#[test]
fn nobody_is_tempted_to_allow_what_will_most_likely_end_by_itself() {
    let mut status = blocked();
    status["conditions"] = json!([said("Ready", "False", "NoMemberServes", "")]);
    let offers = |now: &str| explain(&set(status.clone()), at(now)).unwrap().to_string().contains("allow");
    assert!(!offers("2026-01-01T12:01:19Z"));
    assert!(offers("2026-01-01T12:01:20Z"));
}

#[test]
fn ready_working_and_refused_differ() {
    let standing = |conditions: Value| {
        let status = json!({"observedGeneration": 2, "conditions": conditions});
        explain(&set(status), at("2026-01-01T12:05:10Z")).unwrap().standing()
    };
    assert_eq!(standing(json!([said("Ready", "True", "AllMembersServe", "")])), Standing::Ready);
    assert_eq!(standing(json!([said("Ready", "False", "SomeMembersServe", "")])), Standing::Working);
    let both = json!([said("Ready", "True", "AllMembersServe", ""), said("Stalled", "True", "Errant", "")]);
    assert_eq!(standing(both), Standing::Blocked);
    assert_eq!(standing(json!([said("Accepted", "False", "InvalidSpec", "")])), Standing::Blocked);
}

#[test]
fn what_no_hold_says_is_told_from_the_conditions() {
    let status = json!({"observedGeneration": 1, "conditions": [
        said("Accepted", "False", "InvalidSpec", "spec.replicas: too many"),
        said("PolicyReady", "True", "PolicyReady", ""),
        said("PolicyStale", "True", "DoesNotConform", "the one before goes on"),
        said("Stalled", "True", "ChildrenFailed", "Service x"),
    ]});
    let notes = explain(&set(status), at("2026-01-01T12:05:10Z")).unwrap().notes;
    assert_eq!(
        notes[1..],
        [
            "Accepted=False InvalidSpec: spec.replicas: too many",
            "PolicyStale=True DoesNotConform: the one before goes on",
            "Stalled=True ChildrenFailed: Service x",
        ]
    );
    assert!(notes[0].contains("newest change"));
}

#[test]
fn a_set_that_no_operator_has_seen_is_said_to_be_so() {
    for status in [json!({"observedGeneration": -1}), json!({})] {
        let error = explain(&set(status), at("2026-01-01T12:05:10Z")).unwrap_err().to_string();
        assert!(error.contains("no operator has looked at shop/orders"), "{error}");
    }
}

#[test]
fn every_kind_of_key_says_what_it_means() {
    for kind in KeyKind::ALL {
        let key = Key { kind, subject: "x-1".into(), facts: "0a".into() };
        assert_ne!(means(&key.text()), "unknown to this tool");
    }
    assert_eq!(means("Later/x/1"), "unknown to this tool");
}
