//! What was read in an outage and is read as something else by now.

use super::*;

/// `refused.json`, whose third is not part of it, with a first of which this is read by now.
fn emptied(change: impl Fn(&mut Value)) -> String {
    let mut status: Value = serde_json::from_str(include_str!("../recorded/refused.json")).unwrap();
    status["memory"]["holders"][0]["reading"]["reading"] = json!("empty");
    let hold = json!({"scope": "rss-orders-0", "reason": "LostData", "message": "",
        "keys": ["AcceptLoss/rss-orders-0/7f3a9c01d2e4"]});
    status["holds"] = json!([hold]);
    change(&mut status);
    recorded(&status.to_string()).to_string()
}

#[test]
fn what_the_policy_was_told_of_a_member_before_it_lost_its_data_is_what_is_known_of_it() {
    let told = emptied(|_| {});
    let why = "why      rss-orders-0 was last known at 17 (earlier in this outage), not beyond 17 of rss-orders-1; whether it \
               got further is not known\n";
    assert!(told.contains(why), "{told}");
    assert!(told.contains("(this cannot be undone); nothing is lost that was ever read:\n"), "{told}");
}

#[test]
fn what_was_told_in_the_outage_counts_where_it_is_more_than_what_it_held_while_it_ran() {
    for (running, known) in [(12, "17 (earlier in this outage)"), (19, "19 (while it ran)")] {
        let told = emptied(|status| {
            let record = &mut status["memory"]["holders"][0];
            record["running"] = record["reading"].clone();
            record["running"]["reading"] = json!({"at": {"ordinal": running}});
        });
        assert!(told.contains(&format!("rss-orders-0 was last known at {known}")), "{told}");
    }
}

#[test]
fn what_was_told_before_the_outage_or_of_other_data_or_to_another_policy_is_not() {
    let changes: [fn(&mut Value); 3] = [
        |status| status["decisions"][0]["at"] = json!("2026-01-01T14:02:10Z"),
        |status| status["replicaStates"][0]["holder"] = json!("claim claim-9"),
        |status| status["policy"]["digest"] = json!(format!("sha256:{}", "ab".repeat(32))),
    ];
    for change in changes {
        let told = emptied(change);
        assert!(told.contains(" stands now: what it held cannot be told\n"), "{told}");
        assert!(!told.contains("earlier in this outage"), "{told}");
    }
}
