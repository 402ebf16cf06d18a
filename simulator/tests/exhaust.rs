//! The short case of exploration: all that can come of some beginnings, what is nearest to more of them, and
//! walks through worlds of five members. `cargo xtask soak --part exhaust` explores them all to the end.

#![allow(clippy::print_stdout, reason = "the counts are what a person asks of these tests")]

use simulator::{Budget, Explorer, Found, Setting, Start, Tally, Walk, sampled};

const ANYTHING: Budget = Budget { troubles: 1, faults: 1, writes: 1 };

fn good(explored: Result<Tally, Box<Found>>) -> Tally {
    explored.unwrap_or_else(|found| panic!("{found}"))
}

/// Every so many of the beginnings from one on, each explored up to so many states, or to the end.
fn explored(setting: Setting, (first, step): (usize, usize), left: Budget, most: Option<u64>) -> Tally {
    let explorer = Explorer::of(setting, 3);
    let mut sum = Tally::default();
    for start in Start::all(setting).iter().skip(first).step_by(step) {
        println!("{start}");
        sum += good(match most {
            Some(most) => explorer.explore(start, left, most),
            None => explorer.exhaust(start, left),
        });
    }
    println!("{setting:?}: {sum}");
    sum
}

/// Looks are stale, commands late, and their ends come in any order.
#[test]
fn all_that_comes_of_some_beginnings_is_safe_and_ends_well() {
    for setting in [Setting::Equal, Setting::Followed] {
        let sum = explored(setting, (0, 100), Budget::NOTHING, None);
        assert_eq!(sum.unfinished, 0, "{sum}");
        assert!(sum.states > 5000, "{sum}");
    }
}

/// And its operator dies, freezes, or is not answered, once at any moment.
#[test]
fn all_that_comes_of_one_member_hit_and_a_troubled_operator_is_safe_and_ends_well() {
    for setting in [Setting::Equal, Setting::Followed] {
        let explorer = Explorer::of(setting, 3);
        let mut sum = Tally::default();
        for start in Start::all(setting).iter().skip(1).take(14) {
            sum += good(explorer.exhaust(start, Budget::A_TROUBLE));
        }
        println!("{setting:?}: {sum}");
        assert!(sum.states > 5000 && sum.unfinished == 0, "{sum}");
    }
}

/// Who is promoted takes writes at once, and may be gone before the next look.
#[test]
fn what_is_written_before_a_promotion_is_seen_is_owed() {
    let explorer = Explorer::of(Setting::Followed, 3);
    let all = Start::all(Setting::Followed);
    let start = all.iter().find(|start| start.to_string() == "Followed, killed well well");
    let once = Budget { troubles: 0, faults: 1, writes: 1 };
    let sum = good(explorer.explore(start.expect("a primary is lost"), once, 20_000));
    assert!(sum.waiting > 0, "{sum}");
}

#[test]
fn there_are_as_many_beginnings_as_a_soak_is_to_explore() {
    let all: usize =
        [Setting::Equal, Setting::Followed].map(|setting| Start::all(setting).len()).iter().sum();
    assert_eq!(all, 966, "xtask asks for as many (`BEGINNINGS` of its soak)");
}

#[test]
fn what_is_near_to_many_beginnings_is_safe_and_ends_well() {
    for setting in [Setting::Equal, Setting::Followed] {
        let sum = explored(setting, (1, sampled(16, 4)), ANYTHING, Some(60));
        assert!(sum.states > sampled(1000, 5000) && sum.waiting > 0, "{sum}");
    }
}

/// Where no data is lost nobody has to help, whatever the operator meets: what waits for a person there waits needlessly.
#[test]
fn where_no_data_is_lost_nobody_has_to_help_a_troubled_operator() {
    for setting in [Setting::Equal, Setting::Followed] {
        let explorer = Explorer::of(setting, 3);
        for start in Start::all(setting).iter().filter(|start| start.keeps_its_data()) {
            good(explorer.explore(start, Budget::A_TROUBLE, 300));
        }
    }
}

#[test]
fn walks_through_worlds_of_five_end_well() {
    for setting in [Setting::Equal, Setting::Followed] {
        let left = Budget { troubles: 2, faults: 3, writes: 2 };
        let walk = Walk { seed: 1, count: 20, moves: 150, left };
        let sum = good(Explorer::of(setting, 5).walk(walk));
        println!("{setting:?}, from seed {}: {sum}", walk.seed);
        assert!(sum.states > 1000 && sum.waiting > 0, "{sum}");
    }
}
