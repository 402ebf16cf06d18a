//! Policies that answer anything: what holds all the same, and that it goes on when another takes their place.

#![allow(clippy::print_stdout, reason = "the counts are what a person asks of these tests")]

use simulator::{Budget, Explorer, Setting, Start, Tally, sampled, simulate_by, tell_with_adversary};

#[test]
fn sets_whose_policy_answers_anything_break_no_law_and_go_on_with_another() {
    let report = simulate_by(tell_with_adversary, 1, sampled(200, 400), 1);
    let failure = report.failure.map(|failure| failure.to_string());
    assert!(failure.is_none(), "{}", failure.unwrap_or_default());
}

fn near(explorer: &Explorer, start: &Start, left: Budget, most: u64) -> Tally {
    explorer.explore(start, left, most).unwrap_or_else(|found| panic!("{start}\n{found}"))
}

/// Every answer to each question of each look, near some of the beginnings; afterwards an honest policy decides.
#[test]
fn all_that_any_answer_leads_to_is_safe_and_ends_well() {
    for setting in [Setting::Equal, Setting::Followed] {
        let explorer = Explorer::of(setting, 3).misled();
        for left in [Budget::NOTHING, Budget::A_TROUBLE] {
            let mut sum = Tally::default();
            for start in Start::all(setting).iter().skip(17).step_by(60) {
                sum += near(&explorer, start, left, sampled(400, 1500));
            }
            println!("{setting:?}, {left:?}: {sum}");
            assert!(sum.lies > 100, "{sum}");
        }
    }
}

/// Where no data is lost nobody has to help, whatever was answered before.
#[test]
fn where_an_honest_policy_needs_no_person_none_is_needed_after_one_that_lies() {
    for setting in [Setting::Equal, Setting::Followed] {
        let explorer = Explorer::of(setting, 3).misled();
        let mut sum = Tally::default();
        for start in Start::all(setting).iter().filter(|start| start.keeps_its_data()).step_by(9) {
            let tally = near(&explorer, start, Budget::NOTHING, sampled(300, 1000));
            assert_eq!(tally.waiting, 0, "{start}: {tally}");
            sum += tally;
        }
        println!("{setting:?}: {sum}");
        assert!(sum.lies > 100, "{sum}");
    }
}
