//! What `recovery.mode` makes of the word of a person.

use super::*;

/// `refused.json` with this hold, of a set of this mode, in which a person named the first as seed, or nobody.
fn told(mode: &str, hold: Value, is_named: bool) -> Explained {
    let mut status: Value = serde_json::from_str(include_str!("../recorded/refused.json")).unwrap();
    status["holds"] = json!([hold]);
    if is_named {
        status["memory"]["outage"]["named"] = json!({"claims": ["claim-0"]});
    }
    let mut set = set(status);
    set.spec.recovery = serde_json::from_value(json!({"mode": mode})).unwrap();
    explain(&set, at("2026-01-01T14:09:14Z")).unwrap()
}

fn diverged() -> Value {
    json!({"scope": "set", "reason": "Diverged", "keys": ["AcceptSeed/rss-orders-0/0a"]})
}

fn planned() -> Value {
    json!({"scope": "set", "reason": "PlannedOnly", "message": "planned", "blocker": "rss-orders-0"})
}

#[test]
fn who_names_a_seed_where_nobody_is_started_is_told_that_nobody_is() {
    let but = "; recovery.mode PlanOnly starts nobody, and any other then does so at once";
    for (mode, expected) in [("PlanOnly", but), ("Ask", ""), ("Auto", "")] {
        let told = told(mode, diverged(), false);
        assert_eq!(
            told.unblock[0].means,
            format!("start from rss-orders-0, whatever others hold beyond it{expected}")
        );
    }
}

#[test]
fn another_mode_starts_at_once_whom_a_person_named_and_else_asks() {
    for (is_named, expected) in [
        (
            true,
            "let rss-orders-0 start, as a person named it by AcceptSeed: any other recovery.mode does so at once",
        ),
        (false, "let a person approve what is planned, by another recovery.mode (Auto: it is done at once)"),
    ] {
        let told = told("PlanOnly", planned(), is_named);
        assert_eq!(told.unblock[0].means, expected);
    }
}

#[test]
fn that_a_person_named_the_seed_is_told_while_it_counts() {
    let note = "  note     a person named rss-orders-0 as the seed of this outage (AcceptSeed)\n";
    for is_named in [true, false] {
        let told = told("Auto", diverged(), is_named).to_string();
        assert_eq!(told.contains(note), is_named, "{told}");
    }
}

#[test]
fn one_whose_seed_came_to_nothing_is_named_again_after_a_correction() {
    let means = |change: fn(&mut Value)| -> Vec<String> {
        let mut status: Value = serde_json::from_str(include_str!("../recorded/refused.json")).unwrap();
        change(&mut status);
        let told = recorded(&status.to_string());
        told.unblock
            .iter()
            .filter(|way| way.means.contains("commands.seed"))
            .map(|way| way.means.clone())
            .collect()
    };
    let again = "start from rss-orders-0 once more, after a correction of commands.seed, whatever others hold beyond it";
    assert!(means(|_| {}).is_empty());
    let failed = means(|status| {
        status["memory"]["outage"]["failed"] = json!([{"replica": "rss-orders-0", "why": "exit 1"}]);
    });
    assert_eq!(failed, [again]);
    let beside = means(|status| status["memory"]["holders"][0]["tried"] = json!({"from": null}));
    assert_eq!(beside, [again], "beside members that run its record says so");
}
