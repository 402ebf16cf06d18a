//! What is told of those whom the policy was not asked about.

use super::*;

#[test]
fn of_one_that_was_not_offered_it_is_told_what_was_read_before_and_why_that_does_not_count() {
    let mut status: Value = serde_json::from_str(include_str!("../recorded/refused.json")).unwrap();
    let record = &mut status["memory"]["holders"][2];
    record["running"] = record["reading"].take();
    record.as_object_mut().unwrap().remove("reading");
    let told = recorded(&status.to_string()).to_string();
    let expected = "rss-orders-2 was not offered: no position of it from that outage is kept; it was last known at 9 \
                    (while it ran), and may hold more\n";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn of_one_that_was_tried_as_seed_before_that_is_told() {
    let mut status: Value = serde_json::from_str(include_str!("../recorded/refused.json")).unwrap();
    status["memory"]["outage"]["failed"] = json!([{"replica": "rss-orders-2", "why": "exit 1"}]);
    let told = recorded(&status.to_string()).to_string();
    assert!(told.contains("rss-orders-2 was not offered: last read at 9, it was tried as seed\n"), "{told}");
}
