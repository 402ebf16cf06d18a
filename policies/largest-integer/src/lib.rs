//! The built-in default policy: the position is one integer, and the largest is the newest.

use planner::Decisions;
use planner::decision::{Candidate, Judgement, SequenceOutput, Treatment, Verdict};
use planner::names::ReplicaName;
use planner::position::{History, Position};
use planner::record::Reading;

/// How much of an unreadable output is quoted, in bytes.
const QUOTE: usize = 80;

/// The source under which `monotonic` numbers form a history.
const SOURCE: &str = "integer";

/// The policy with its settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LargestInteger {
    /// The number only ever grows with the data, so it is a history: marks and divergence
    /// hold across outages.
    pub monotonic: bool,
}

impl LargestInteger {
    /// Exit 0 and one decimal integer from 0 to 2^64-1 is a position; exit 0 and only blanks is
    /// empty; all else is unreadable.
    fn reading(&self, output: &SequenceOutput<'_>) -> Reading {
        if output.code != 0 {
            return Reading::Unreadable(format!("exit {}: {}", output.code, quoted(output.stderr)));
        }
        if output.truncated {
            return Reading::Unreadable("the output was cut".to_owned());
        }
        let text = output.stdout.trim_matches(|c: char| c.is_ascii_whitespace());
        if text.is_empty() {
            return Reading::Empty;
        }
        match integer(text) {
            Some(number) if self.monotonic => Reading::At(Position::History(History::up_to(SOURCE, number))),
            Some(number) => Reading::At(Position::Ordinal(number)),
            None => Reading::Unreadable(format!("not one decimal integer: {}", quoted(text))),
        }
    }
}

impl Decisions for LargestInteger {
    fn sequence(&self, output: &SequenceOutput<'_>) -> Judgement {
        self.reading(output).into()
    }

    /// The largest position; among equals the lowest ordinal, which is scaled away last.
    fn seed(&self, candidates: &[Candidate]) -> Verdict<ReplicaName> {
        match ordered(candidates).into_iter().next() {
            Some(first) => {
                let at = first.position.as_ref().map_or_else(|| "nothing".to_owned(), ToString::to_string);
                let equals = candidates.iter().filter(|other| largest(other) == largest(first)).count();
                let why = match equals {
                    1 if candidates.len() == 1 => format!("it is at {at}, and no other may seed"),
                    1 => format!("it is at {at}, and no other that may seed holds as much"),
                    _ => format!(
                        "it is at {at}; of the {equals} members that hold everything it has the lowest ordinal"
                    ),
                };
                Verdict::Proposed { answer: first.replica.clone(), why }
            }
            None => Verdict::Missing("there is no candidate".to_owned()),
        }
    }

    fn primaries(&self, members: &[Candidate]) -> Verdict<Vec<ReplicaName>> {
        let answer = ordered(members).into_iter().map(|member| member.replica.clone()).collect();
        Verdict::Proposed { answer, why: "largest position first, lowest ordinal among equals".to_owned() }
    }

    fn replicas(&self, _member: &Candidate, _primaries: &[ReplicaName]) -> Verdict<Treatment> {
        Verdict::Proposed {
            answer: Treatment::RunSecondary { follow: None },
            why: "a member that is not primary follows".to_owned(),
        }
    }
}

/// Decimal digits only: no sign, no second word, no overflow.
fn integer(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Largest first; lowest ordinal among equals.
fn ordered(members: &[Candidate]) -> Vec<&Candidate> {
    let mut sorted: Vec<&Candidate> = members.iter().collect();
    sorted.sort_by(|a, b| {
        largest(b).cmp(&largest(a)).then(a.ordinal.cmp(&b.ordinal)).then(a.replica.cmp(&b.replica))
    });
    sorted
}

/// The number in a position; members without one come last.
fn largest(member: &Candidate) -> Option<u64> {
    match member.position.as_ref()? {
        Position::Ordinal(number) => Some(*number),
        Position::History(history) => history.0.values().flatten().map(|interval| interval.last).max(),
    }
}

/// The first `QUOTE` bytes in quotation marks, cut between characters.
fn quoted(text: &str) -> String {
    let text = text.trim();
    let mut end = text.len().min(QUOTE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{:?}{}", &text[..end], if end < text.len() { " (cut)" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(code: i32, stdout: &str, truncated: bool) -> Reading {
        LargestInteger::default().reading(&SequenceOutput { code, stdout, stderr: "no such file", truncated })
    }

    #[test]
    fn only_one_plain_integer_is_a_position() {
        let at = |n| Reading::At(Position::Ordinal(n));
        let cases = [
            ("an integer", 0, "42", at(42)),
            ("blanks around it", 0, " \t42\n", at(42)),
            ("zero", 0, "0\n", at(0)),
            ("the largest", 0, "18446744073709551615", at(u64::MAX)),
            ("leading zeros", 0, "007", at(7)),
            ("nothing", 0, "", Reading::Empty),
            ("only blanks", 0, " \n\t\n", Reading::Empty),
        ];
        for (sentence, code, stdout, expected) in cases {
            assert_eq!(read(code, stdout, false), expected, "{sentence}");
        }
    }

    #[test]
    fn all_else_is_unreadable_and_never_zero() {
        let cases = [
            "-1",
            "+1",
            "1 2",
            "18446744073709551616",
            "0x10",
            "1.5",
            "1e3",
            "forty",
            "١٢",
            "12\u{a0}",
            "\u{0}",
        ];
        for stdout in cases {
            assert!(matches!(read(0, stdout, false), Reading::Unreadable(_)), "{stdout:?}");
        }
        assert!(matches!(read(1, "42", false), Reading::Unreadable(_)), "a failed command");
        assert!(matches!(read(0, "42", true), Reading::Unreadable(_)), "an output that was cut");
    }

    #[test]
    fn a_quote_is_short_and_never_cuts_a_character() {
        let Reading::Unreadable(why) = read(0, &"é".repeat(100), false) else { panic!("unreadable") };
        assert!(why.len() < 160, "{why}");
    }

    #[test]
    fn the_largest_position_seeds_and_the_lowest_ordinal_breaks_a_tie() {
        let member = |ordinal: u32, at: u64| Candidate {
            replica: ReplicaName(format!("x-{ordinal}")),
            ordinal,
            created_at: None,
            facts: Vec::new(),
            position: Some(Position::Ordinal(at)),
        };
        let order = |members: &[Candidate]| match LargestInteger::default().primaries(members) {
            Verdict::Proposed { answer, .. } => answer.iter().map(|name| name.0.clone()).collect::<Vec<_>>(),
            Verdict::Missing(why) => panic!("{why}"),
        };
        assert_eq!(
            order(&[member(0, 3), member(1, 9), member(2, 9), member(10, 1)]),
            ["x-1", "x-2", "x-0", "x-10"]
        );
        assert_eq!(order(&[member(10, 9), member(2, 9)]), ["x-2", "x-10"], "by number, not by name");
    }
}
