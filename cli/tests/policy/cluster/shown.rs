//! What a person is shown of the data before a key is given.

use super::*;

const DIVERGED: &str = include_str!("../../../src/explain/recorded/diverged.json");
const MISSING: &str = include_str!("../../../src/explain/recorded/missing.json");

/// A set with the status that an operator wrote, and these holds.
fn of_status(recorded: &str, holds: Option<Value>) -> PathBuf {
    let mut set = set();
    set["status"] = serde_json::from_str(recorded).unwrap();
    if let Some(holds) = holds {
        set["status"]["holds"] = holds;
    }
    api_server(set)
}

#[test]
fn who_names_a_seed_is_shown_what_each_replica_holds_and_what_would_be_lost_in_the_words_of_explain() {
    let kubeconfig = of_status(DIVERGED, None);
    let seed = ["seed", "orders", "rss-orders-1"];
    let shown = ask(&kubeconfig, &seed);
    let explained = ask(&kubeconfig, &["explain", "orders"]).out;
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    // How long it is so differs from one call to the next.
    let row = |text: &str, name: &str| {
        let line = text.lines().map(words).find(|words| words.first().is_some_and(|word| word == name));
        line.map(|words| words.into_iter().enumerate().filter(|(at, _)| *at != 2).collect::<Vec<_>>())
    };
    for name in ["REPLICA", "rss-orders-0", "rss-orders-1", "rss-orders-2"] {
        assert!(row(&shown.out, name).is_some(), "{}{}", shown.out, shown.err);
        assert_eq!(row(&shown.out, name), row(&explained, name));
    }
    assert!(shown.out.contains("costs  loses at least 2 transactions"), "{}", shown.out);
    let given = ask(&kubeconfig, &[&seed[..], &["--facts", "7f3a9c01d2e1"]].concat());
    assert_eq!((given.code, row(&given.out, "rss-orders-0").is_some()), (Some(0), true), "{}", given.out);
    let json = ask(&kubeconfig, &[&seed[..], &["-o", "json"]].concat()).json();
    assert_eq!(json["members"][0]["verdict"]["is"], "parted");
}

#[test]
fn who_approves_a_plan_is_shown_what_it_would_leave_behind() {
    let planned = json!([{"scope": "set", "reason": "AwaitsApproval", "message": "planned",
        "keys": ["Approve/rss-orders-0/7f3a9c01d2e4"]}]);
    let kubeconfig = of_status(MISSING, Some(planned));
    let shown = ask(&kubeconfig, &["approve", "orders"]);
    for told in [
        "why      rss-orders-2 was last known at 8812 (while it ran), beyond 8790 of rss-orders-0",
        "at least 8812",
        "costs  loses at least 22 transactions",
    ] {
        assert!(shown.out.contains(told), "{told}: {}{}", shown.out, shown.err);
    }
    let json = ask(&kubeconfig, &["approve", "orders", "-o", "json"]).json();
    assert_eq!(json["missing"][0]["replica"], "rss-orders-2");
}

#[test]
fn who_names_one_that_was_read_while_it_ran_is_told_what_was_read_and_why_that_does_not_count() {
    let kubeconfig = of_status(MISSING, None);
    let told = ask(&kubeconfig, &["seed", "orders", "rss-orders-2"]);
    let expected =
        "nor of any other; rss-orders-2 was last known at 8812 (while it ran), and only what was read since";
    assert!(told.err.contains(expected), "{}", told.err);
    let told = ask(&kubeconfig, &["seed", "orders", "rss-orders-0"]);
    assert!(!told.err.contains("last known"), "what was read of that one stands: {}", told.err);
}
