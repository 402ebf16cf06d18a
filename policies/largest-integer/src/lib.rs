//! The built-in default policy: the position is one integer, and the largest is the newest.
//!
//! It is linked into the operator, and a component like any other: one source, used twice.

mod settings;

use policy_sdk::position::{self, History};
use policy_sdk::{Candidate, Policy, Position, Primaries, Replicas, Seed, Sequence};
use policy_sdk::{primaries, replicas, seed, sequence};
use std::cmp::Ordering;

/// The source under which `monotonic` numbers form a history.
const SOURCE: &str = "integer";

/// The policy with its settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LargestInteger {
    /// The number only ever grows with the data, so it is a history: marks and divergence
    /// hold across outages.
    pub monotonic: bool,
}

impl Policy for LargestInteger {
    type Settings = Self;
    const NAME: &'static str = "largest-integer";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str =
        "Any application whose data has a number that grows, printed as one decimal integer.";

    fn new(settings: Self) -> Self {
        settings
    }
}

impl Sequence for LargestInteger {
    /// Exit 0 and one decimal integer from 0 to 2^64-1 is a position; exit 0 and only blanks is
    /// empty; all else is unreadable.
    fn read(&self, output: &sequence::Output) -> sequence::Answer {
        let number = match output.text() {
            Ok("") => return sequence::Answer::empty(),
            Ok(text) => position::integer(text).map_err(String::from),
            Err(why) => Err(why),
        };
        match number {
            Ok(number) if self.monotonic => sequence::Answer::at(History::up_to(SOURCE, number)),
            Ok(number) => sequence::Answer::at(Position::Ordinal(number)),
            Err(why) => sequence::Answer::unreadable(why),
        }
    }
}

impl Seed for LargestInteger {
    /// The largest position; among equals the lowest ordinal, which is scaled away last, or the first name.
    fn choose(&self, candidates: &[Candidate]) -> seed::Answer {
        let Some(first) = candidates.iter().min_by(|a, b| by_preference(a, b)) else {
            return seed::Answer::refuse("there is no candidate");
        };
        let at = first.position.as_ref().map_or_else(|| "nothing".to_owned(), ToString::to_string);
        let equals = candidates.iter().filter(|other| largest(other) == largest(first)).count();
        let why = match equals {
            1 if candidates.len() == 1 => format!("it is at {at}, and no other was offered"),
            1 => format!("it is at {at}, and no other that may seed holds as much"),
            _ => format!(
                "it is at {at}; of the {equals} members that hold everything it is the first by number, or by name where \
                 there are no numbers"
            ),
        };
        seed::Answer::replica(&first.name, why)
    }
}

impl Primaries for LargestInteger {
    fn order(&self, members: &[Candidate]) -> primaries::Answer {
        primaries::Answer::by(members, by_preference, FIRST)
    }
}

impl Replicas for LargestInteger {
    fn treat(&self, _member: &Candidate, _primaries: &[String]) -> replicas::Answer {
        replicas::Answer::run_secondary("a member that is not primary follows")
    }
}

const FIRST: &str =
    "largest position first, unknown ones last, equals by number, or by name where there are no numbers";

/// Largest first; equals by their rank.
fn by_preference(a: &Candidate, b: &Candidate) -> Ordering {
    largest(b).cmp(&largest(a)).then_with(|| a.by_rank(b))
}

/// The number in a position; members without one come last.
fn largest(member: &Candidate) -> Option<u64> {
    match member.position.as_ref()? {
        Position::Ordinal(number) => Some(*number),
        Position::History(history) => {
            history.sources().flat_map(|(_, intervals)| intervals).map(|interval| interval.last).max()
        }
    }
}

policy_sdk::export!(LargestInteger: Sequence, Seed, Primaries, Replicas, Metadata);
