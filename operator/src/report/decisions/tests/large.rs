//! Records of members with histories as large as may be.

use super::*;
use planner::position::{History, Interval};

/// As many intervals as a history may have, with numbers as long as they get.
const FULL: u64 = 4096;

/// A history of so many intervals, that ends so far below the largest number.
fn history(intervals: u64, below: u64) -> Position {
    let last = |n| u64::MAX - below - 4 * n;
    let interval = |n| Interval { first: last(n) - 1, last: last(n) };
    Position::History(History([("source".to_owned(), (0..intervals).rev().map(interval).collect())].into()))
}

/// A seed among three that hold so much, and an order of three that hold as much and not the same; another one by `round`.
fn decided(intervals: u64, round: u64) -> (Vec<Record>, Vec<Record>) {
    let judge = Judge::builtin(LargestInteger { monotonic: true });
    let policy = judge.decider.decisions().unwrap();
    let candidate = |ordinal| Candidate {
        replica: name(ordinal),
        ordinal,
        position: Some(history(intervals, 0)),
        created_at: Some(round),
        facts: Vec::new(),
    };
    let candidates = [0, 1, 2].map(candidate);
    policy.seed(&candidates);
    let seed = judge.decider.take_records();
    let apart = [0, 1, 2].map(|n| {
        let below = if round.is_multiple_of(2) { n } else { 2 - n };
        let position = history(intervals, u64::from(below));
        Candidate { position: Some(position), ..candidate(n) }
    });
    policy.primaries(&apart);
    (seed, judge.decider.take_records())
}

fn bytes(kept: &[Decision]) -> usize {
    kept.iter().map(|one| one.0.to_string().len()).sum()
}

#[test]
fn every_seed_is_recorded_whole_however_much_its_candidates_hold() {
    let mut kept = Vec::new();
    for (round, intervals) in [FULL, 1200, FULL, 1200, 1].into_iter().enumerate() {
        let (seed, order) = decided(intervals, round as u64);
        kept = told(&Plan::default(), &order, told(&seeding(), &seed, kept));
        assert!(bytes(&kept) < (128 << 10) + 256 * 1024, "{} bytes", bytes(&kept));
        let newest = kept.iter().rev().find(|one| one.0["interface"] == "seed@0.1.0").unwrap();
        let read = Record::deserialize(&*newest.0).unwrap();
        assert_eq!(read.question, seed[0].question, "it can be put again");
        assert_eq!(read.cut, None);
        let order = kept.iter().rev().find(|one| one.0["interface"] == "primaries@0.1.0");
        assert!(order.is_some(), "what was decided last of another kind is there too");
    }
}

#[test]
fn a_large_order_is_cut_before_an_older_one_is_dropped_and_is_not_written_again() {
    let mut kept = Vec::new();
    for round in 0..3 {
        kept = told(&Plan::default(), &decided(1200, round).1, kept);
    }
    assert_eq!(kept.len(), 3, "{}", bytes(&kept));
    assert!(kept.iter().all(|one| one.0["cut"].is_u64() && one.0["answer"]["ordering"].is_array()));
    assert_eq!(told(&Plan::default(), &decided(1200, 2).1, kept.clone()), kept);
}

#[test]
fn large_seeds_drive_out_old_ones_and_nothing_else() {
    let mut kept = told(&Plan::default(), &asked(&[], &[9, 3]), Vec::new());
    for round in 0..5 {
        let mut records = asked(&[round], &[]);
        records[0].settings.insert("text".to_owned(), "x".repeat(15_000).into());
        kept = told(&seeding(), &records, kept);
    }
    assert_eq!(interfaces(&kept), ["primaries@0.1.0", "seed@0.1.0", "seed@0.1.0", "seed@0.1.0"]);
}
