//! What `approve` and `seed` take and tell, beside the key itself.

use super::*;

#[test]
fn a_hash_is_taken_out_of_the_whole_key_as_the_status_shows_it_if_that_is_of_the_same() {
    let (kubeconfig, written) = writable(asking());
    for (words, code) in [
        (&["approve", "orders", "--plan", "Approve/x-1/7f3a9c01d2e4"][..], 0),
        (&["approve", "orders", "--plan", "Approve/x-0/7f3a9c01d2e4"], 1),
        (&["approve", "orders", "--plan", "AcceptSeed/x-1/22bb22bb22bb"], 2),
        (&["seed", "orders", "x-1", "--facts", "AcceptSeed/x-1/22bb22bb22bb"], 0),
        (&["seed", "orders", "x-1", "--facts", "AcceptSeed/x-0/11aa11aa11aa"], 1),
    ] {
        let told = ask(&kubeconfig, words);
        assert_eq!(told.code, Some(code), "{words:?}: {}", told.err);
    }
    assert_eq!(written.lock().unwrap().len(), 2);
}

#[test]
fn what_is_no_hash_is_told_as_that_on_the_command_line() {
    let (kubeconfig, written) = writable(asking());
    for bad in ["", "xyz", "7f3a"] {
        for words in [&["approve", "orders", "--plan", bad][..], &["seed", "orders", "x-1", "--facts", bad]] {
            let told = ask(&kubeconfig, words);
            assert_eq!(told.code, Some(2), "{words:?}");
            assert!(told.err.contains("write the 12 hexadecimal digits (0-9 and a-f)"), "{}", told.err);
        }
    }
    assert_eq!(*written.lock().unwrap(), Vec::<Value>::new());
}

#[test]
fn programs_are_told_the_kind_of_what_was_shown_or_given_and_people_of_which_set_it_is() {
    let kubeconfig = api_server(asking());
    for (words, kind) in [
        (&["approve", "orders"][..], "Approval"),
        (&["approve", "orders", "--plan", "7f3a9c01d2e4"], "Approval"),
        (&["seed", "orders", "x-1"], "SeedChoice"),
    ] {
        let told = ask(&kubeconfig, &[words, &["-o", "json"]].concat()).json();
        let named = ["apiVersion", "kind", "namespace", "name"].map(|name| told[name].clone());
        assert_eq!(named, ["cli.clusterlabs.org/v1alpha1", kind, "db", "orders"]);
        let first = |words: &[&str]| ask(&kubeconfig, words).out.lines().next().map(str::to_owned);
        let heading = first(words);
        assert!(heading.as_ref().is_some_and(|line| line.starts_with("db/orders: ")), "{heading:?}");
        assert_eq!(heading, first(&["explain", "orders"]));
    }
}

#[test]
fn who_names_a_seed_where_nobody_is_started_is_told_so_when_it_is_given() {
    let mut set = asking();
    set["spec"]["recovery"] = json!({"mode": "PlanOnly"});
    let told = ask(&api_server(set), &["seed", "orders", "x-1", "--facts", "22bb22bb22bb"]);
    assert_eq!(told.code, Some(0), "{}", told.err);
    assert!(told.out.contains("given: AcceptSeed/x-1/22bb22bb22bb;"), "{}", told.out);
    assert!(told.out.contains("beyond it; recovery.mode PlanOnly starts nobody"), "{}", told.out);
}

#[test]
fn nothing_is_allowed_of_a_set_that_the_operator_cannot_look_at() {
    let mut set = asking();
    set["status"]["conditions"] = json!([{"type": "Stalled", "status": "True", "reason": "ObservationFailed",
        "message": "forbidden", "lastTransitionTime": "2026-01-01T00:00:00Z"}]);
    let (kubeconfig, written) = writable(set);
    for words in [&["approve", "orders", "--plan", "7f3a9c01d2e4"][..], &["seed", "orders", "x-1"]] {
        let told = ask(&kubeconfig, words);
        assert_eq!(told.code, Some(1), "{words:?}");
        assert!(told.err.contains("the operator cannot look at orders, and uses no key"), "{}", told.err);
    }
    assert_eq!(*written.lock().unwrap(), Vec::<Value>::new());
}
