//! What is sought otherwise than in every order near a beginning: by policies that lie, to the end, by walks of chance.

use super::found;
use crate::operator::Decide;
use crate::sabotage::fair;
use crate::sabotage::vetoes::{without_a_veto_of_leaders, without_a_veto_of_seeds};
use crate::small::{Budget, Explorer, Found, Rules, Setting, Start, Walk};

#[test]
fn who_checks_no_answer_is_found_out_by_a_policy_that_lies_alone() {
    let cases: [(Setting, Decide, &str); 2] = [
        (Setting::Equal, without_a_veto_of_seeds, "it seeds at"),
        (Setting::Followed, without_a_veto_of_leaders, "which is no running primary"),
    ];
    for (setting, decide, words) in cases {
        let found = |lies| {
            found(setting, Budget::NOTHING, |rules| (rules.decide, rules.lies) = (decide, lies), &[words])
        };
        assert!(found(true).is_some(), "{words}");
        assert_eq!(found(false), None, "an honest one proposes nothing of that kind");
    }
}

/// Sets whose planner finds all data worth the same.
fn of_a_fair_planner(members: u32) -> Explorer {
    Explorer::with(
        Setting::Equal,
        Rules { audited: false, decide: fair, ..Rules::of(Setting::Equal, members) },
    )
}

fn loses_some<T>(explored: Result<T, Box<Found>>) -> bool {
    explored.is_err_and(|found| found.what.contains("begins without write"))
}

/// Of all that comes of a beginning, and not only of what is near.
#[test]
fn to_the_end_a_fault_is_found_too() {
    let explorer = of_a_fair_planner(3);
    let all = Start::all(Setting::Equal);
    let found = all.iter().any(|start| loses_some(explorer.exhaust(start, Budget::NOTHING)));
    assert!(found, "some data is worth more");
}

#[test]
fn walks_through_worlds_of_five_find_a_fault_too() {
    let explorer = of_a_fair_planner(5);
    let walk = |seed| Walk { seed, count: 1, moves: 60, left: Budget::NOTHING };
    let found = (1..200).any(|seed| loses_some(explorer.walk(walk(seed))));
    assert!(found, "some data is worth more");
}
