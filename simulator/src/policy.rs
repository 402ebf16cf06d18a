//! The policies of the simulated applications.

use crate::adversary::Lies;
use crate::options::Positions;
use largest_integer::LargestInteger;
use native_policy::Native;
use planner::Decisions;
use planner::decision::{Candidate, Judgement, SequenceOutput, Treatment, Verdict};
use planner::names::{Reader, ReplicaName};
use planner::position::{History, Interval, Position};
use planner::record::Reading;
use std::collections::BTreeMap;

/// The policy for what `sequence` prints.
#[must_use]
pub fn policy(positions: Positions) -> &'static dyn Decisions {
    match positions {
        Positions::Counter => &Native(LargestInteger { monotonic: false }),
        Positions::Monotonic => &Native(LargestInteger { monotonic: true }),
        Positions::Lineages | Positions::Renamed => &Lineages,
    }
}

/// The policy of this number that a resource named, the first one by 0: each says of the same output something else,
/// and every third one another kind of position, where what is printed has two kinds of reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    pub(crate) positions: Positions,
    pub(crate) number: u64,
    /// What it answers in place of that.
    pub(crate) lies: Option<Lies>,
}

impl Named {
    /// Its name as who reads.
    pub(crate) fn reader(self) -> Reader {
        if self.lies.is_some() { "liar".into() } else { Reader(format!("policy {}", self.number)) }
    }

    fn first(self) -> &'static dyn Decisions {
        policy(match self.positions {
            Positions::Counter if self.number % 3 == 2 => Positions::Monotonic,
            Positions::Monotonic if self.number % 3 == 2 => Positions::Counter,
            positions => positions,
        })
    }

    fn reads(self, position: Position) -> Position {
        match position {
            Position::Ordinal(number) => Position::Ordinal(number * (1 + self.number * 3 % 4)),
            Position::History(History(sources)) => {
                let renamed = |(source, held)| (format!("{source}{}", self.number), held);
                Position::History(History(sources.into_iter().map(renamed).collect()))
            }
        }
    }
}

impl Decisions for Named {
    fn sequence(&self, output: &SequenceOutput<'_>) -> Judgement {
        let judged = self.first().sequence(output);
        match judged.reading {
            Reading::At(position) if self.number > 0 => {
                Judgement { reading: Reading::At(self.reads(position)), ..judged }
            }
            _ => judged,
        }
    }

    fn seed(&self, candidates: &[Candidate]) -> Verdict<ReplicaName> {
        self.first().seed(candidates)
    }

    fn primaries(&self, members: &[Candidate]) -> Verdict<Vec<ReplicaName>> {
        self.first().primaries(members)
    }

    fn replicas(&self, member: &Candidate, primaries: &[ReplicaName]) -> Verdict<Treatment> {
        self.first().replicas(member, primaries)
    }
}

/// `sequence` prints `SOURCE:LAST` for each source: a history that shows where two have parted.
#[derive(Clone, Copy, Debug)]
pub struct Lineages;

impl Lineages {
    fn reading(output: &SequenceOutput<'_>) -> Reading {
        if output.code != 0 || output.truncated {
            return Reading::Unreadable(format!("exit {}", output.code));
        }
        let mut sources = BTreeMap::new();
        for word in output.stdout.split_whitespace() {
            let Some((source, last)) = word.split_once(':') else {
                return Reading::Unreadable(format!("not SOURCE:LAST: {word}"));
            };
            let Ok(last) = last.parse() else { return Reading::Unreadable(format!("not a number: {last}")) };
            sources.insert(source.to_owned(), vec![Interval { first: 1, last }]);
        }
        if sources.is_empty() { Reading::Empty } else { Reading::At(Position::History(History(sources))) }
    }
}

impl Decisions for Lineages {
    fn sequence(&self, output: &SequenceOutput<'_>) -> Judgement {
        Self::reading(output).into()
    }

    fn seed(&self, candidates: &[Candidate]) -> Verdict<ReplicaName> {
        Native(LargestInteger::default()).seed(candidates)
    }

    fn primaries(&self, members: &[Candidate]) -> Verdict<Vec<ReplicaName>> {
        Native(LargestInteger::default()).primaries(members)
    }

    fn replicas(&self, _: &Candidate, primaries: &[ReplicaName]) -> Verdict<Treatment> {
        let answer = Treatment::RunSecondary { follow: primaries.first().cloned() };
        Verdict::Proposed { answer, why: "the first primary is followed".to_owned() }
    }
}
