//! Commands that give keys.

use super::by_hand::{Told, hold};
use super::*;

/// A set with these holds, explained while the operator goes on, or while only a person can help.
fn waiting(holds: &[Told<'_>], is_stalled: bool) -> Explained {
    let holds: Vec<Value> = holds.iter().map(hold).collect();
    let stalled = said("Stalled", if is_stalled { "True" } else { "False" }, "", "");
    let status = json!({"observedGeneration": 2, "conditions": [stalled], "holds": holds});
    explain(&set(status), at("2026-01-01T12:05:10Z")).unwrap()
}

fn commands(explained: &Explained) -> Vec<&str> {
    explained.unblock.iter().filter_map(|way| way.command.as_deref()).collect()
}

fn annotated(keys: &str) -> String {
    format!("kubectl annotate --overwrite rss orders -n shop clusterlabs.org/allow='{keys}'")
}

#[test]
fn a_key_that_has_a_command_of_its_own_is_given_by_that_which_withdraws_no_other() {
    let keys = ["AcceptSeed/rss-orders-0/0a", "AcceptSeed/rss-orders-1/1b", "Approve/rss-orders-1/2c"];
    let told = waiting(&[("Diverged", "rss-orders-0", &keys)], true);
    assert_eq!(
        commands(&told),
        [
            "kubectl rss seed orders rss-orders-0 -n shop --facts 0a",
            "kubectl rss seed orders rss-orders-1 -n shop --facts 1b",
            "kubectl rss approve orders -n shop --plan 2c",
        ]
    );
    assert!(!told.to_string().contains("each annotation"), "{told}");
}

#[test]
fn keys_about_several_members_stand_in_one_line_and_what_replaces_another_is_said_to() {
    let (one, two) = (["AcceptLoss/rss-orders-1/0a"], ["AcceptLoss/rss-orders-2/0b"]);
    let holds: [Told<'_>; 3] = [
        ("Unread", "rss-orders-1", &one),
        ("Unread", "rss-orders-2", &two),
        ("LostData", "rss-orders-2", &two),
    ];
    let all = format!("{},{}", one[0], two[0]);
    for is_stalled in [false, true] {
        let holds = if is_stalled { holds.map(|(_, who, keys)| ("LostData", who, keys)) } else { holds };
        let told = waiting(&holds, is_stalled);
        let mut expected = [annotated(one[0]), annotated(two[0]), annotated(&all)];
        // Where only a person can help all of it is needed; else one may do.
        expected.rotate_right(usize::from(is_stalled));
        assert_eq!(commands(&told), expected);
        assert!(told.to_string().contains("each annotation takes the place of the one before"), "{told}");
    }
    let told = waiting(&holds[..1], false);
    assert_eq!(commands(&told), [annotated(one[0])]);
    assert!(!told.to_string().contains("each annotation"), "{told}");
}

#[test]
fn where_only_a_person_can_help_the_keys_that_are_needed_come_before_those_for_what_comes_by_itself() {
    let (open, lost) = (["AssertFenced/p-0/0a"], ["AcceptLoss/rss-orders-1/0b"]);
    let told = waiting(&[("StartOpen", "rss-orders-0", &open), ("LostData", "rss-orders-1", &lost)], true);
    assert_eq!(commands(&told), [annotated(lost[0]), annotated(open[0])], "{told}");
}

#[test]
fn of_keys_that_exclude_each_other_no_line_gives_several() {
    let (one, two) = (["AcceptSeed/rss-orders-1/0a"], ["AcceptSeed/rss-orders-2/0b"]);
    let either = ["AcceptLoss/rss-orders-1/1a", "AcceptLoss/rss-orders-2/1b"];
    for (reasons, keys) in [
        (["SeedRefused", "NoneOfEpoch"], [&one[..], &two[..]]),
        (["Diverged"; 2], [&either[..], &either[..]]),
    ] {
        let told =
            waiting(&[(reasons[0], "rss-orders-1", keys[0]), (reasons[1], "rss-orders-2", keys[1])], true);
        assert!(commands(&told).iter().all(|command| !command.contains(',')), "{told}");
        assert_eq!(commands(&told).len(), 2, "{told}");
    }
}

#[test]
fn what_a_member_holds_that_is_no_part_of_the_epoch_is_compared_before_it_is_given_up() {
    let mut status: Value = serde_json::from_str(include_str!("../recorded/replaced.json")).unwrap();
    let holders = status["memory"]["holders"].as_array_mut().unwrap();
    holders.remove(1);
    let joiner = &mut holders[1];
    (joiner["joining"], joiner["reading"]["reading"]) = (json!(true), json!({"at": {"ordinal": 70}}));
    status["holds"][0]["reason"] = json!("JoinerAhead");
    let told = recorded(&status.to_string()).to_string();
    let costs = "go on without what rss-orders-1 holds, even if it comes back (this cannot be undone); loses changes, their number is not known";
    assert!(told.contains(costs), "{told}");
}
