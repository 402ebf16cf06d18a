mod by_hand;
mod causes;
mod given_up;
mod headline;
mod keys;
mod mode;
mod offered;
mod order;
mod read_before;
mod unseen;

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

/// Of a set that the environment leads to.
fn explain(set: &ReplicatedStatefulSet, now: Timestamp) -> Result<Explained> {
    super::explain(set, now, "")
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

/// Statuses as the operator writes them, and what is told of each at ten past two.
const RECORDED: [(&str, Standing, &str, &str); 8] = [
    (
        "missing",
        Standing::Working,
        include_str!("recorded/missing.json"),
        include_str!("recorded/missing.txt"),
    ),
    ("chosen", Standing::Working, include_str!("recorded/chosen.json"), include_str!("recorded/chosen.txt")),
    (
        "diverged",
        Standing::Blocked,
        include_str!("recorded/diverged.json"),
        include_str!("recorded/diverged.txt"),
    ),
    (
        "refused",
        Standing::Blocked,
        include_str!("recorded/refused.json"),
        include_str!("recorded/refused.txt"),
    ),
    ("lost", Standing::Blocked, include_str!("recorded/lost.json"), include_str!("recorded/lost.txt")),
    (
        "replaced",
        Standing::Blocked,
        include_str!("recorded/replaced.json"),
        include_str!("recorded/replaced.txt"),
    ),
    ("healthy", Standing::Ready, include_str!("recorded/healthy.json"), include_str!("recorded/healthy.txt")),
    ("later", Standing::Working, include_str!("recorded/later.json"), include_str!("recorded/later.txt")),
];

fn recorded(json: &str) -> Explained {
    explain(&set(serde_json::from_str(json).unwrap()), at("2026-01-01T14:09:14Z")).unwrap()
}

#[test]
fn what_is_known_of_each_set_is_told_with_positions_compared_and_one_way_on_first() {
    for (name, standing, status, expected) in RECORDED {
        let explained = recorded(status);
        assert_eq!(explained.standing(), standing, "{name}");
        let told = explained.to_string();
        assert_eq!(told, expected, "{name}:\n{told}");
    }
}

#[test]
fn nobody_is_tempted_to_allow_what_will_most_likely_end_by_itself() {
    let mut status = blocked();
    status["conditions"] = json!([said("Ready", "False", "NoMemberServes", "")]);
    for (key, command) in [
        ("AcceptLoss/rss-orders-2/7f3a9c01d2e4", "kubectl annotate "),
        ("AcceptSeed/rss-orders-2/7f3a9c01d2e4", "kubectl rss seed "),
        ("Approve/rss-orders-2/7f3a9c01d2e4", "kubectl rss approve "),
        ("Later/rss-orders-2/7f3a9c01d2e4", "a key that this tool does not know"),
    ] {
        status["holds"][0]["keys"] = json!([key]);
        let offers =
            |now: &str| explain(&set(status.clone()), at(now)).unwrap().to_string().contains(command);
        assert!(!offers("2026-01-01T12:01:19Z"), "{key}");
        assert!(offers("2026-01-01T12:01:20Z"), "{key}");
    }
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
fn a_hold_that_lasts_is_shown_as_one_that_a_person_ends_before_any_key() {
    let waiting = || {
        let mut status = blocked();
        status["conditions"] = json!([said("Ready", "False", "NoMemberServes", "")]);
        status
    };
    let shown = |reason: &str, now: &str| {
        let mut status = waiting();
        status["holds"][0]["reason"] = json!(reason);
        let explained = explain(&set(status), at(now)).unwrap();
        (explained.standing(), explained.unblock[0].clone())
    };
    let (standing, way) = shown("Unread", "2026-01-01T12:10:19Z");
    assert_eq!((standing, way.automatic), (Standing::Working, true));
    let (standing, way) = shown("Unread", "2026-01-01T12:10:20Z");
    assert_eq!((standing, way.automatic, way.key), (Standing::Blocked, false, None), "{}", way.means);
    let (standing, way) = shown("Unheard", "2026-01-01T13:00:00Z");
    assert_eq!((standing, way.automatic), (Standing::Working, true));
    let mut two = waiting();
    let first = two["holds"][0].clone();
    let mut cause = first.clone();
    (cause["reason"], cause["keys"]) = (json!("Unheard"), json!([]));
    two["holds"][0]["reason"] = json!("Unread");
    two["holds"].as_array_mut().unwrap().push(cause);
    let explained = explain(&set(two), at("2026-01-01T13:00:00Z")).unwrap();
    assert_eq!(explained.standing(), Standing::Working, "another hold is the cause");
}

#[test]
fn what_no_hold_says_is_told_from_the_conditions() {
    let status = json!({"observedGeneration": 1, "conditions": [
        said("Accepted", "False", "InvalidSpec", "spec.replicas: too many"),
        said("PolicyReady", "True", "PolicyNotKept", "galera decides and is not kept"),
        said("CandidateReady", "True", "CandidateAsked", ""),
        said("PolicyStale", "True", "DoesNotConform", "the one before goes on"),
        said("Stalled", "True", "ChildrenFailed", "Service x"),
    ]});
    let notes = explain(&set(status), at("2026-01-01T12:05:10Z")).unwrap().notes;
    assert_eq!(
        notes[1..],
        [
            "Accepted=False InvalidSpec: spec.replicas: too many",
            "PolicyReady=True PolicyNotKept: galera decides and is not kept",
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
fn programs_are_told_the_same_in_a_shape_that_has_a_version() {
    let told = |json: &str| serde_json::to_value(recorded(json)).unwrap();
    let missing = told(include_str!("recorded/missing.json"));
    assert_eq!(
        (&missing["apiVersion"], &missing["kind"]),
        (&json!("cli.clusterlabs.org/v1alpha1"), &json!("Explanation"))
    );
    let which = "be9916a8-0b9d-11f0-a3f1-3f0d5f8f7c11:8791-8812";
    let lost = json!({"atLeast": {"transactions": 22, "which": which}});
    assert_eq!(missing["missing"][0]["loss"], lost);
    assert_eq!((&missing["unblock"][0]["automatic"], &missing["unblock"][1]["loss"]), (&json!(true), &lost));
    assert_eq!(
        missing["members"][1]["verdict"],
        json!({"is": "behind", "of": "rss-orders-0", "lacks": {"transactions": 79,
            "which": "be9916a8-0b9d-11f0-a3f1-3f0d5f8f7c11:8712-8790"}})
    );
    let chosen = told(include_str!("recorded/chosen.json"));
    assert_eq!(chosen["seed"]["proposed"], "rss-orders-0");
    assert_eq!(chosen["seed"]["notOffered"][0]["beside"]["behindBy"]["transactions"], 22);
}

#[test]
fn a_choice_of_an_earlier_outage_is_not_told_as_one_of_this() {
    let mut status: Value = serde_json::from_str(include_str!("recorded/chosen.json")).unwrap();
    let has_seed = |status: &Value| recorded(&status.to_string()).seed.is_some();
    assert!(has_seed(&status));
    status["decisions"][0]["at"] = json!("2026-01-01T14:02:10Z");
    assert!(!has_seed(&status), "the outage began a second later");
}

#[test]
fn numbers_of_different_outages_or_readers_are_not_compared() {
    for (field, value) in [("outage", json!(1)), ("reader", json!("another"))] {
        let mut status: Value = serde_json::from_str(include_str!("recorded/refused.json")).unwrap();
        status["memory"]["holders"][2]["reading"][field] = value;
        let told = recorded(&status.to_string()).to_string();
        assert!(told.contains("cannot be compared with rss-orders-0"), "{told}");
    }
    let mut status: Value = serde_json::from_str(include_str!("recorded/refused.json")).unwrap();
    status["memory"]["holders"][2]["reading"]["outage"] = json!(1);
    let told = recorded(&status.to_string()).to_string();
    assert!(
        told.contains("rss-orders-2 was not offered: no position of it from that outage is kept; it was last known at 9 (stands)\n"),
        "{told}"
    );
}

#[test]
fn the_screen_of_the_documentation_is_what_is_told() {
    let screen = recorded(include_str!("recorded/missing.json")).to_string();
    assert!(include_str!("../../../docs/explain.md").contains(&screen), "{screen}");
}

#[test]
fn a_set_that_never_served_has_no_outage() {
    let mut status: Value = serde_json::from_str(include_str!("recorded/chosen.json")).unwrap();
    status["memory"]["epoch"] = json!({"number": 0});
    let told = recorded(&status.to_string()).to_string();
    assert!(told.contains("not ready for 7m3s") && !told.contains("outage for"), "{told}");
}

#[test]
fn what_a_member_said_while_it_ran_on_a_quiet_day_is_told_of_it_when_it_is_missing() {
    let mut status: Value = serde_json::from_str(include_str!("recorded/missing.json")).unwrap();
    let mut records = status["memory"]["holders"].as_array_mut().unwrap().iter_mut();
    let record = records.find(|record| record["replica"] == "rss-orders-2").unwrap();
    let taken = record.as_object_mut().unwrap().remove("running").unwrap();
    let holder = record["holder"].clone();
    let told = |starts: u64| {
        let mut status = status.clone();
        let heard = json!({"said": {"reading": taken["reading"]}});
        status["memory"]["rehearsals"] = json!({"rss-orders-2":
            {"holder": holder, "starts": starts, "container": "c", "attempt": "a", "heard": heard}});
        recorded(&status.to_string()).to_string()
    };
    assert_eq!(told(1), include_str!("recorded/missing.txt"));
    assert!(told(0).contains("last known at 5000 (before its start)"), "something was started on it since");
}
