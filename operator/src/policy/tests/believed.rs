//! Answers that come, and are not believed.

use super::*;
use crate::policy::belief::Nonsense;
use crate::policy::guest::Image;
use crate::policy::limits;
use planner::position::Interval;
use serde_json::json;

fn said(image: Image) -> Result<serde_json::Value, Failure> {
    answer(&Guest::sequence(image), &output(0, "1")).map(|answer| json!(answer))
}

fn nonsense(image: Image) -> Nonsense {
    match said(image) {
        Err(Failure::Nonsense(nonsense)) => nonsense,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_policy_says_comes_out_as_it_was_said() {
    let why = "nothing there";
    assert_eq!(said(Image::empty()), Ok(json!({"reading": "empty", "why": why})));
    assert_eq!(said(Image::unreadable()), Ok(json!({"reading": "unreadable", "why": why})));
    let at = |position: serde_json::Value, facts: serde_json::Value| {
        Ok(json!({"reading": {"at": {"position": position, "facts": facts}}, "why": why}))
    };
    let largest = Image::ordinal(u64::MAX).facts(&[("safe", "1"), ("b", "")]);
    assert_eq!(said(largest), at(json!({"ordinal": u64::MAX}), json!({"b": "", "safe": "1"})));
    let history = Image::history(&[("b", &[(0, 7)]), ("a", &[(1, 3), (5, u64::MAX)])]);
    let expected = json!({"history": {
        "a": [{"first": 1, "last": 3}, {"first": 5, "last": u64::MAX}],
        "b": [{"first": 0, "last": 7}],
    }});
    assert_eq!(said(history), at(expected, json!({})));
}

#[test]
fn intervals_that_are_no_set_are_not_believed() {
    let of = |intervals: &[(u64, u64)]| nonsense(Image::history(&[("a", intervals)]));
    let reversed = Nonsense::Reversed { of: "a".into(), interval: Interval { first: 9, last: 8 } };
    assert_eq!(of(&[(9, 8)]), reversed);
    for intervals in [
        [(1, 5), (5, 9)],
        [(1, 5), (6, 9)],
        [(1, 9), (3, 4)],
        [(7, 9), (1, 3)],
        [(1, 2), (1, 2)],
        [(0, u64::MAX), (0, 1)],
        [(0, u64::MAX), (1, 2)],
    ] {
        assert_eq!(of(&intervals), Nonsense::NotApart("a".into()), "{intervals:?}");
    }
}

#[test]
fn a_source_has_one_name_of_a_sane_length() {
    let twice = Image::history(&[("a", &[(1, 2)]), ("a", &[(3, 4)])]);
    assert_eq!(nonsense(twice), Nonsense::SourceTwice("a".into()));
    assert_eq!(nonsense(Image::history(&[("", &[(1, 2)])])), Nonsense::SourceName(0));
    assert!(said(Image::history(&[(&"x".repeat(256), &[(1, 2)])])).is_ok());
    assert_eq!(nonsense(Image::history(&[(&"x".repeat(257), &[(1, 2)])])), Nonsense::SourceName(257));
}

#[test]
fn a_history_of_too_many_intervals_or_bytes_is_not_believed() {
    // Zeros, as many as the list is said to have.
    let zeros = |length: usize| {
        let body = format!(
            "(i32.store offset=8 (i32.load (i32.const 1040)) (i32.const 0x20000))
             (i32.store offset=12 (i32.load (i32.const 1040)) (i32.const {length}))"
        );
        let guest = Guest::sequence(Image::history(&[("a", &[(1, 2)])])).pages(256).body(&body);
        failure(&guest, &output(0, "1"))
    };
    for intervals in [limits::INTERVALS + 1, 60_000] {
        assert_eq!(zeros(intervals), Nonsense::Intervals(intervals).into());
    }
    assert_eq!(zeros(limits::INTERVALS), Nonsense::NotApart("a".into()).into());
    assert!(matches!(zeros(1_000_000), Failure::Malformed(_)));
    let name = "x".repeat(limits::SOURCE);
    let far = u64::MAX / 2;
    let long: Vec<(u64, u64)> = (0..1700).map(|n| (far + 3 * n + 1, far + 3 * n + 2)).collect();
    let nonsense = nonsense(Image::history(&[(&name, &long)]));
    assert!(matches!(nonsense, Nonsense::Length(length) if length > limits::HISTORY), "{nonsense}");
}

#[test]
fn facts_are_few_and_short_and_each_is_there_once() {
    let names: Vec<String> = (0..17).map(|n| format!("f{n}")).collect();
    let facts = |count: usize| names[..count].iter().map(|name| (name.as_str(), "1")).collect::<Vec<_>>();
    assert!(said(Image::ordinal(1).facts(&facts(16))).is_ok());
    assert_eq!(nonsense(Image::ordinal(1).facts(&facts(17))), Nonsense::Facts);
    assert_eq!(nonsense(Image::ordinal(1).facts(&[("a", "1"), ("a", "1")])), Nonsense::Facts);
    let long = "x".repeat(257);
    assert_eq!(nonsense(Image::ordinal(1).facts(&[("a", &long)])), Nonsense::Facts);
    assert_eq!(nonsense(Image::ordinal(1).facts(&[(&long, "1")])), Nonsense::Facts);
}

#[test]
fn of_a_command_that_failed_or_was_cut_only_that_it_is_unreadable_is_believed() {
    let cut = || {
        let Question::Sequence(mut input) = output(0, "1") else { panic!() };
        input.output.truncated = true;
        Question::Sequence(input)
    };
    for image in [Image::ordinal(1), Image::empty(), Image::history(&[])] {
        let guest = Guest::sequence(image);
        assert_eq!(failure(&guest, &output(1, "1")), Nonsense::OfFailure(1).into());
        assert_eq!(failure(&guest, &output(-1, "1")), Nonsense::OfFailure(-1).into());
        assert_eq!(failure(&guest, &cut()), Nonsense::OfCut.into());
    }
    assert!(answer(&Guest::sequence(Image::unreadable()), &output(1, "1")).is_ok());
    assert!(answer(&Guest::sequence(Image::unreadable()), &cut()).is_ok());
}

/// Writes `text` to 256 and has `pair` point to it.
fn points(pair: u32, text: &str) -> String {
    let bytes: String = text
        .bytes()
        .enumerate()
        .map(|(at, byte)| format!("(i32.store8 (i32.const {}) (i32.const {byte}))", 256 + at))
        .collect();
    format!(
        "{bytes} (i32.store (i32.const {pair}) (i32.const 256)) (i32.store (i32.const {}) (i32.const {}))",
        pair + 4,
        text.len()
    )
}

#[test]
fn a_seed_is_one_of_the_candidates() {
    let expected = json!({"proposal": {"replica": "db-1"}, "why": "the lowest ordinal"});
    assert_eq!(answer(&Guest::seed(), &seed(&[3, 1, 2])).map(|answer| json!(answer)), Ok(expected));
    for name in ["db-7", "", "DB-1", "db-1 ", "db-1\u{0}"] {
        let guest = Guest::seed().body(&points(516, name));
        assert_eq!(failure(&guest, &seed(&[3, 1, 2])), Nonsense::Unknown(name.into()).into());
    }
    let refuses = Guest::seed().body("(i32.store8 (i32.const 512) (i32.const 1))");
    let refused = answer(&refuses, &seed(&[1])).map(|answer| json!(answer));
    assert_eq!(refused, Ok(json!({"proposal": "refuse", "why": "the lowest ordinal"})));
}

#[test]
fn an_order_is_of_all_members_and_of_each_once() {
    let ordered = answer(&Guest::primaries(), &primaries(&[3, 1, 10, 2])).map(|answer| json!(answer));
    assert_eq!(ordered, Ok(json!({"ordering": ["db-1", "db-2", "db-3", "db-10"], "why": "by ordinal"})));
    let bad = |body: &str| failure(&Guest::primaries().body(body), &primaries(&[1, 2]));
    let length = |length: u32| format!("(i32.store (i32.const 516) (i32.const {length}))");
    assert_eq!(bad(&length(1)), Nonsense::NotAnOrder("db-2".into()).into());
    assert_eq!(bad(&length(0)), Nonsense::NotAnOrder("db-1".into()).into());
    let first_twice = "(i64.store offset=8 (local.get $out) (i64.load (local.get $out)))";
    assert_eq!(bad(first_twice), Nonsense::NotAnOrder("db-1".into()).into());
    let other = "(i64.store offset=8 (local.get $out) (i64.load (i32.const 1024)))";
    assert_eq!(bad(other), Nonsense::Unknown("by ordinal".into()).into());
}

#[test]
fn a_member_follows_one_of_the_primaries_or_none() {
    let follows =
        |primaries: &[&str]| answer(&Guest::replicas(), &replicas(2, primaries)).map(|answer| json!(answer));
    let expected = |name: Option<&str>| Ok(json!({"treatment": {"runSecondary": name}, "why": "the first"}));
    assert_eq!(follows(&["db-0", "db-1"]), expected(Some("db-0")));
    assert_eq!(follows(&[]), expected(None));
    let unknown = format!("(i32.store8 (i32.const 516) (i32.const 1)) {}", points(520, "db-2; reboot"));
    let guest = Guest::replicas().body(&unknown);
    assert_eq!(failure(&guest, &replicas(2, &["db-0"])), Nonsense::Unknown("db-2; reboot".into()).into());
    for (case, name) in [(1, "leaveStopped"), (2, "hold")] {
        let guest = Guest::replicas().body(&format!("(i32.store8 (i32.const 512) (i32.const {case}))"));
        let treated = answer(&guest, &replicas(2, &["db-0"])).map(|answer| json!(answer));
        assert_eq!(treated, Ok(json!({"treatment": name, "why": "the first"})));
    }
}

#[test]
fn what_is_not_exported_is_not_asked() {
    use crate::policy::Interface;
    for question in [output(0, "1"), primaries(&[1]), replicas(1, &[]), Question::Check] {
        assert_eq!(failure(&Guest::seed(), &question), Failure::NotExported(question.interface()));
    }
    assert_eq!(failure(&Guest::primaries(), &seed(&[1])), Failure::NotExported(Interface::Seed));
}

#[test]
fn a_long_reason_is_cut() {
    let body =
        "(i32.store (i32.const 1056) (i32.const 0xd000)) (i32.store (i32.const 1060) (i32.const 5000))";
    let answered = answer(&Guest::sequence(Image::unreadable()).pages(1).body(body), &output(0, "1"));
    assert_eq!(json!(answered.unwrap())["why"].as_str().unwrap().len(), limits::WHY);
}
