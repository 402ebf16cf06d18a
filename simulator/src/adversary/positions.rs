//! Any position, of any kind, and what is no position at all.

use crate::chance::Chance;
use planner::decision::Judgement;
use planner::position::{History, Interval, LONGEST, Position};
use planner::record::Reading;
use std::collections::BTreeMap;

/// Sources that the application names, and some that it does not.
const SOURCES: [&str; 6] = ["l1", "l2", "l3", "largest-integer", "elsewhere", ""];

/// What is said of somebody's output: another one's position, or one of nobody.
pub(super) fn any_reading(chance: &mut Chance, honest: &[Judgement]) -> Judgement {
    if !honest.is_empty() && chance.one_in(4) {
        return honest[chance.index(honest.len())].clone();
    }
    let reading = match chance.below(10) {
        0 => Reading::Empty,
        1 => Reading::Unreadable("it will not say".to_owned()),
        2..=5 => Reading::At(Position::Ordinal(number(chance))),
        _ => Reading::At(Position::History(history(chance))),
    };
    Judgement { reading, facts: vec![("told".to_owned(), number(chance).to_string())] }
}

fn history(chance: &mut Chance) -> History {
    let sources = chance.below(4);
    let named = |chance: &mut Chance| match chance.below(40) {
        0 => "l".repeat(LONGEST + 1),
        _ => SOURCES[chance.index(SOURCES.len())].to_owned(),
    };
    let held: BTreeMap<String, Vec<Interval>> =
        (0..sources).map(|_| (named(chance), intervals(chance))).collect();
    History(held)
}

/// Some in order, and some reversed, one over the other, or without end.
fn intervals(chance: &mut Chance) -> Vec<Interval> {
    (0..chance.below(4))
        .map(|_| match chance.below(3) {
            0 => Interval { first: 0, last: number(chance) },
            1 => Interval { first: 1, last: number(chance) },
            _ => Interval { first: number(chance), last: number(chance) },
        })
        .collect()
}

fn number(chance: &mut Chance) -> u64 {
    match chance.below(8) {
        0 => 0,
        1 => u64::MAX,
        2 => u64::MAX - 1,
        3 => chance.below(1000),
        _ => chance.below(20),
    }
}
