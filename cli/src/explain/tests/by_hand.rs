//! What a person does with his own hands about several holds.

use super::*;

/// A reason, whom it is about, and the keys that open it.
pub(super) type Told<'a> = (&'a str, &'a str, &'a [&'a str]);

pub(super) fn hold((reason, blocker, keys): &Told<'_>) -> Value {
    let since = "2026-01-01T12:00:20Z";
    json!({"scope": "set", "reason": reason, "blocker": blocker, "since": since, "keys": keys})
}

/// What ends the waiting of a set with these holds.
pub(super) fn ways(holds: &[Told<'_>]) -> Vec<String> {
    let holds: Vec<Value> = holds.iter().map(hold).collect();
    let stalled = said("Stalled", "True", "OtherWorkload", "");
    let status = json!({"observedGeneration": 2, "conditions": [stalled], "holds": holds});
    let explained = explain(&set(status), at("2026-01-01T12:05:10Z")).unwrap();
    explained.unblock.into_iter().map(|way| way.means).collect()
}

#[test]
fn what_the_other_workload_left_is_all_to_be_deleted_and_not_any_of_it() {
    let left = ["claim data-rss-orders-0", "claim data-rss-orders-1", "pod rss-orders-0"];
    assert_eq!(
        ways(&left.map(|what| ("OtherWorkload", what, &[][..]))),
        ["make the set on its other workload again, or, if nobody needs it, delete all that this left: \
             claim data-rss-orders-0, claim data-rss-orders-1, pod rss-orders-0"]
    );
}

#[test]
fn what_is_done_by_hand_stands_once_for_each_reason_and_keys_stand_by_themselves() {
    let keys = [["AssertFenced/p-0/0a"], ["AssertFenced/p-1/0b"]];
    let told = ways(&[
        ("LockBusy", "rss-orders-0", &keys[0]),
        ("OtherWorkload", "pod rss-orders-x", &[]),
        ("LockBusy", "rss-orders-1", &keys[1]),
    ]);
    let by_hand = |what: &str| told.iter().filter(|means| means.starts_with(what)).collect::<Vec<_>>();
    assert_eq!(
        by_hand("end the process"),
        ["end the process that uses the volume of rss-orders-0, rss-orders-1"]
    );
    assert_eq!(by_hand("make the set").len(), 1, "{told:?}");
    assert_eq!(by_hand("vouch that nothing").len(), 3, "each alone, and both at once: {told:?}");
}

/// What is told of a set at this second of the minute in which it began to wait.
fn told_at(second: &str, conditions: Value, holds: &[Told<'_>]) -> String {
    let holds: Vec<Value> = holds.iter().map(hold).collect();
    let status = json!({"observedGeneration": 2, "conditions": conditions, "holds": holds});
    explain(&set(status), at(&format!("2026-01-01T12:00:{second}Z"))).unwrap().to_string()
}

#[test]
fn why_children_cannot_be_made_is_told_beside_the_hold_for_them_and_the_specification_is_to_be_corrected() {
    let stalled = said("Stalled", "True", "ChildrenFailed", "spec.accessModes: Unsupported value");
    let told = told_at("25", json!([stalled]), &[("WorkloadPending", "set", &[])]);
    assert!(told.contains("Stalled=True ChildrenFailed: spec.accessModes: Unsupported value"), "{told}");
    assert!(told.contains("unblock  (a) correct the specification:"), "{told}");
}

#[test]
fn who_paused_a_set_is_told_at_once_how_to_let_it_go_on_and_keys_are_not_told_so_early() {
    let told = told_at(
        "25",
        json!([]),
        &[("Paused", "set", &[]), ("StartOpen", "rss-orders-0", &["AssertFenced/p-0/0a"])],
    );
    assert!(told.contains("let the operator work") && !told.contains("annotate"), "{told}");
}

#[test]
fn what_several_rules_wait_for_is_told_once() {
    let twice =
        [("PolicyUnavailable", "set", &[][..]), ("NoPrimary", "set", &[]), ("PolicyUnavailable", "set", &[])];
    let told = told_at("25", json!([]), &twice);
    assert_eq!(told.matches("waits    PolicyUnavailable").count(), 1, "{told}");
    assert_eq!(told.matches("the policy can be asked").count(), 1, "{told}");
}

#[test]
fn members_are_told_by_their_number_whatever_the_order_of_the_holds() {
    let told = ways(&[
        ("NotRunning", "rss-orders-10", &[][..]),
        ("NotRunning", "rss-orders-2", &[]),
        ("LockBusy", "rss-orders-10", &[]),
        ("LockBusy", "rss-orders-2", &[]),
    ]);
    assert_eq!(
        told,
        [
            "end the process that uses the volume of rss-orders-2, rss-orders-10",
            "once rss-orders-2 has a running container; rss-orders-10 has a running container",
        ]
    );
}

#[test]
fn keys_for_several_members_stand_in_the_order_of_their_numbers() {
    let keys = [["AcceptLoss/rss-orders-10/0a"], ["AcceptLoss/rss-orders-2/0b"]];
    let told = ways(&[("LostData", "rss-orders-10", &keys[0]), ("LostData", "rss-orders-2", &keys[1])]);
    let lost =
        |n| format!("go on without what rss-orders-{n} holds, even if it comes back (this cannot be undone)");
    assert_eq!(told[0], format!("{}, and {}", lost(2), lost(10)));
}
