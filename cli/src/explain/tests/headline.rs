//! The first line, and what stands below it where there is nothing to tell.

use super::*;

#[test]
fn a_paused_set_is_said_to_be_paused_and_one_word_is_not_said_twice() {
    for (paused, ready, phase, reason, expected) in [
        (true, "False", "Paused", "Paused", "2/3 members serve, not ready for 5m10s · paused · Paused"),
        (true, "True", "Paused", "Paused", "2/3 members serve · ready, paused · Paused"),
        (
            false,
            "False",
            "Creating",
            "Creating",
            "2/3 members serve, not ready for 5m10s · at work, or waiting · Creating",
        ),
        (false, "True", "Running", "AllMembersServe", "2/3 members serve · ready · Running, AllMembersServe"),
    ] {
        let status = json!({"observedGeneration": 2, "ready": "2/3", "phase": phase, "reason": reason,
            "controlPaused": paused, "conditions": [said("Ready", ready, "", "")]});
        let told = explain(&set(status), at("2026-01-01T12:05:10Z")).unwrap();
        assert_eq!(told.to_string().lines().next().unwrap(), format!("shop/orders: {expected}"));
        assert_eq!(json!(told)["paused"], paused);
    }
}

#[test]
fn where_no_member_is_wanted_none_is_missing() {
    let mut status: Value = serde_json::from_str(include_str!("../recorded/chosen.json")).unwrap();
    (status["ready"], status["replicaStates"], status["holds"]) = (json!("0/0"), json!([]), json!([]));
    status["conditions"] =
        json!([said("Ready", "True", "StoppedBySpec", ""), said("Available", "False", "", "")]);
    let told = |replicas: i32| {
        let mut set = set(status.clone());
        set.spec.replicas = replicas;
        explain(&set, at("2026-01-01T14:09:14Z")).unwrap()
    };
    let stopped = told(0);
    assert_eq!(json!(stopped)["outage"], Value::Null);
    assert!(stopped.to_string().starts_with("shop/orders: 0/0 members serve · ready · "), "{stopped}");
    assert!(!stopped.to_string().contains("why      "), "{stopped}");
    assert!(told(3).to_string().contains("total outage"), "{}", told(3));
}

#[test]
fn a_table_without_rows_has_no_heading() {
    let status =
        json!({"observedGeneration": 2, "conditions": [said("Accepted", "False", "InvalidSpec", "")]});
    let told = explain(&set(status), at("2026-01-01T12:05:10Z")).unwrap().to_string();
    assert!(!told.contains("REPLICA"), "{told}");
}
