//! The questions with which policies are tried. They are the same each time.

use planner::position::{History, Interval, Position};

use super::Property;
use crate::policy::question::{Member, Output, Pairs};

/// As much as a command's output may have, in bytes.
const WHOLE: usize = 64 << 10;

/// An output, and what must be true of what is read from it.
pub(super) struct Case {
    pub(super) property: Property,
    pub(super) output: Output,
}

/// Outputs of which nothing can be read, whatever the application.
pub(super) fn outputs() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |property, exit_code: i32, stdout: String, truncated| {
        let replica = "db-0".to_owned();
        let output = Output { replica, exit_code, stdout, truncated, ..Output::default() };
        cases.push(Case { property, output });
    };
    for likely in [
        "42\n",
        "0",
        "4f2c7d6e-9f1b-11ee-8c90-0242ac120002:42\n",
        "4f2c7d6e-9f1b-11ee-8c90-0242ac120002:1-42",
        "0-1-42",
        "",
    ] {
        for code in [1, 126, 137, -1] {
            add(Property::FailureIsUnreadable, code, likely.to_owned(), false);
        }
        add(Property::CutIsUnreadable, 0, likely.to_owned(), true);
    }
    for blank in ["", "\n", " \t\r\n \n"] {
        add(Property::NothingIsNoPosition, 0, blank.to_owned(), false);
    }
    add(Property::NothingIsNoPosition, 0, "\n".repeat(WHOLE), false);
    for seed in 1..=8 {
        add(Property::NoiseIsUnreadable, 0, noise(seed, 50 * seed as usize), false);
    }
    add(Property::NoiseIsUnreadable, 0, noise(9, WHOLE / 3), false);
    for unit in [
        "\u{0}",
        "\u{fffd}",
        "x",
        "9",
        "-",
        ":",
        "9,",
        "{",
        "[",
        "\"",
        "\u{1f4a5}",
        "no such file or directory\n",
    ] {
        add(Property::NoiseIsUnreadable, 0, unit.repeat(WHOLE / unit.len()), false);
    }
    cases
}

/// Bytes of no meaning, as a command's output would be given: what is not UTF-8 is replaced. Marsaglia's xorshift.
fn noise(seed: u64, bytes: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    String::from_utf8_lossy(&(0..bytes).map(|_| next()).collect::<Vec<_>>()).into_owned()
}

/// Sets of members: of one to five, of equals and of others, with all that is known and with little.
pub(super) fn sets() -> Vec<Vec<Member>> {
    let numbers: Vec<_> = (0..4).map(|n| member(n, Some(Position::Ordinal(u64::from(n % 2) * 7)))).collect();
    let equals: Vec<_> = (0..5).map(|n| member(n, Some(Position::Ordinal(7)))).collect();
    let largest: Vec<_> =
        (0..3).map(|n| member(n, Some(Position::Ordinal(u64::MAX - u64::from(n))))).collect();
    let histories: Vec<_> = (0..4).map(|n| member(n, Some(history(n)))).collect();
    let new: Vec<_> = (0..3).map(|n| member(n, None)).collect();
    let bare: Vec<_> = (0..4).map(bare).collect();
    let mixed = vec![
        member(10, None),
        bare[0].clone(),
        member(2, Some(history(2))),
        member(9, Some(Position::Ordinal(1))),
    ];
    let alone = vec![member(0, None)];
    vec![alone, numbers, equals, largest, histories, new, bare, mixed]
}

fn member(ordinal: u32, position: Option<Position>) -> Member {
    let safe = if ordinal == 1 { "1" } else { "0" };
    Member {
        name: format!("db-{ordinal}"),
        ordinal: Some(ordinal),
        created_at: Some(1_760_000_000 + u64::from(ordinal % 3)),
        position,
        facts: Pairs::from([("safe_to_bootstrap".to_owned(), safe.to_owned())]),
        extra: Pairs::new(),
    }
}

/// Of which nothing is known but its name, which is an odd one.
fn bare(number: u32) -> Member {
    let name =
        ["z", "\u{e9}", "a b", "-"].get(number as usize).map_or_else(String::new, |name| (*name).to_owned());
    Member { name, ..Member::default() }
}

fn history(last: u32) -> Position {
    let interval = |first, last| Interval { first, last };
    let lineage = (
        "4f2c7d6e-9f1b-11ee-8c90-0242ac120002".to_owned(),
        vec![interval(1, 40), interval(42, 50 + u64::from(last))],
    );
    Position::History(History([lineage, ("0-1".to_owned(), vec![interval(0, u64::MAX)])].into()))
}

/// Orders in which members may be given: as they are, each rotation, and each of them reversed.
pub(super) fn orders(members: &[Member]) -> Vec<Vec<Member>> {
    let rotated = |by: usize| {
        let mut order = members.to_vec();
        order.rotate_left(by);
        order
    };
    let forward: Vec<_> = (0..members.len()).map(rotated).collect();
    let backward = forward.iter().map(|order| order.iter().rev().cloned().collect());
    forward.clone().into_iter().chain(backward).collect()
}
