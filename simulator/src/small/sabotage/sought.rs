//! What is sought otherwise than in every order near a beginning: by policies that lie, to the end, by walks of chance.

use super::{NOTHING, found};
use crate::operator::Decide;
use crate::sabotage::fair;
use crate::sabotage::vetoes::{without_a_veto_of_leaders, without_a_veto_of_seeds};
use crate::small::{Explorer, Rules, Setting, Start, Walk};

#[test]
fn who_checks_no_answer_is_found_out_by_a_policy_that_lies_alone() {
    let cases: [(Setting, Decide, &str); 2] = [
        (Setting::Equal, without_a_veto_of_seeds, "it seeds at"),
        (Setting::Followed, without_a_veto_of_leaders, "which is no running primary"),
    ];
    for (setting, decide, words) in cases {
        let found =
            |lies| found(setting, NOTHING, |rules| (rules.decide, rules.lies) = (decide, lies), &[words]);
        assert!(found(true).is_some(), "{words}");
        assert_eq!(found(false), None, "an honest one proposes nothing of that kind");
    }
}

/// Of all that comes of a beginning, and not only of what is near.
#[test]
fn to_the_end_a_fault_is_found_too() {
    let rules = Rules { audited: false, decide: fair, ..Rules::of(Setting::Equal, 3) };
    let explorer = Explorer::with(Setting::Equal, rules);
    let found = Start::all(Setting::Equal).iter().any(|start| {
        let found = explorer.exhaust(start, NOTHING).err();
        found.is_some_and(|found| found.what.contains("begins without write"))
    });
    assert!(found, "some data is worth more");
}

#[test]
fn walks_through_worlds_of_five_find_a_fault_too() {
    let rules = Rules { audited: false, decide: fair, ..Rules::of(Setting::Equal, 5) };
    let explorer = Explorer::with(Setting::Equal, rules);
    let found = (1..200).any(|seed| {
        let found = explorer.walk(Walk { seed, count: 1, moves: 60, left: NOTHING }).err();
        found.is_some_and(|found| found.what.contains("begins without write"))
    });
    assert!(found, "some data is worth more");
}
