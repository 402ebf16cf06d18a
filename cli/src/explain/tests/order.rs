//! Which way on is recommended, and which comes after it.

use super::by_hand::ways;
use super::*;

/// What this tool says of `refused.json`, changed.
fn refused(change: impl Fn(&mut Value)) -> Explained {
    let mut status: Value = serde_json::from_str(include_str!("../recorded/refused.json")).unwrap();
    change(&mut status);
    recorded(&status.to_string())
}

fn means(explained: &Explained) -> Vec<&str> {
    explained.unblock.iter().map(|way| way.means.as_str()).collect()
}

#[test]
fn of_bare_numbers_the_larger_one_is_the_better_seed_though_nobody_can_count_what_is_lost() {
    let told = refused(|status| {
        let held = |status: &mut Value, at: usize, number: u64| {
            status["memory"]["holders"][at]["reading"]["reading"]["at"]["ordinal"] = json!(number);
        };
        held(status, 1, 12);
    });
    let from = |n| format!("start from rss-orders-{n}, whatever others hold beyond it");
    assert_eq!(means(&told), [from(0), from(1), from(2)], "{told}");
}

#[test]
fn to_start_from_what_may_be_half_a_copy_is_never_what_is_recommended() {
    let told = refused(|status| {
        status["memory"]["holders"][2]["joining"] = json!(true);
        status["memory"]["holders"][2]["reading"]["reading"]["at"]["ordinal"] = json!(99);
        let keys = ["AcceptSeed/rss-orders-2/0a", "AcceptLoss/rss-orders-2/0b"];
        status["holds"][0] = json!({"scope": "rss-orders-2", "reason": "JoinerAhead", "keys": keys});
    });
    assert!(means(&told)[0].starts_with("go on without what rss-orders-2 holds"), "{told}");
    assert_eq!(told.unblock[1].loss, Some(Loss::Unknown), "{told}");
}

#[test]
fn what_needs_no_key_comes_before_what_a_person_would_have_to_vouch_for() {
    let keys = [["AssertFenced/p-0/0a"], ["AssertFenced/p-1/0b"]];
    let told = ways(&[("LockBusy", "rss-orders-0", &keys[0]), ("LockBusy", "rss-orders-1", &keys[1])]);
    assert!(
        told[0].starts_with("end the process that uses the volume of rss-orders-0, rss-orders-1"),
        "{told:?}"
    );
}

#[test]
fn keys_of_several_holds_stand_in_the_order_of_what_they_cost_and_not_of_the_holds() {
    let told = refused(|status| {
        let hold = |key: &str| json!({"scope": "set", "reason": "SeedRefused", "keys": [key]});
        status["holds"] = json!([hold("AcceptSeed/rss-orders-2/0a"), hold("AcceptSeed/rss-orders-1/0b")]);
    });
    assert!(means(&told)[0].starts_with("start from rss-orders-1,"), "{told}");
}

#[test]
fn the_way_out_of_a_plan_that_nobody_may_do_is_another_mode() {
    let status = json!({"observedGeneration": 2, "conditions": [said("Stalled", "True", "PlannedOnly", "")],
        "holds": [{"scope": "set", "reason": "PlannedOnly", "message": "planned"}]});
    let told = explain(&set(status), at("2026-01-01T12:05:10Z")).unwrap();
    let [way] = &told.unblock[..] else { panic!("{told}") };
    assert!(way.means.contains("another recovery.mode"), "{}", way.means);
    assert_eq!(
        way.command.as_deref(),
        Some(r#"kubectl patch rss orders -n shop --type=merge -p '{"spec":{"recovery":{"mode":"Ask"}}}'"#)
    );
}
