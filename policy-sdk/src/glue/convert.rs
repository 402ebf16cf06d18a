//! Types of the contract from and to those of this crate.

use super::{wit_primaries, wit_replicas, wit_seed, wit_sequence};
use crate::position::{History, Position};
use crate::{Candidate, replicas, seed, sequence};

pub(super) fn all<T: Into<Candidate>>(members: Vec<T>) -> Vec<Candidate> {
    members.into_iter().map(Into::into).collect()
}

/// Three interfaces have a candidate of their own, all alike.
macro_rules! candidate {
    ($wit:ident) => {
        impl From<$wit::Candidate> for Candidate {
            fn from(given: $wit::Candidate) -> Self {
                Self {
                    name: given.name,
                    ordinal: given.ordinal,
                    created_at: given.created_at,
                    position: given.position.map(Into::into),
                    facts: given.facts.into_iter().collect(),
                    extra: given.extra.into_iter().collect(),
                }
            }
        }

        impl From<$wit::Position> for Position {
            fn from(given: $wit::Position) -> Self {
                match given {
                    $wit::Position::Ordinal(number) => Self::Ordinal(number),
                    $wit::Position::History(sources) => {
                        let mut history = History::new();
                        for source in &sources {
                            for interval in &source.intervals {
                                history.insert(&source.name, interval.first, interval.last);
                            }
                        }
                        Self::History(history)
                    }
                }
            }
        }
    };
}

candidate!(wit_seed);
candidate!(wit_primaries);
candidate!(wit_replicas);

impl From<wit_sequence::Output> for sequence::Output {
    fn from(given: wit_sequence::Output) -> Self {
        Self {
            replica: given.replica,
            exit_code: given.exit_code,
            stdout: given.stdout,
            stderr: given.stderr,
            truncated: given.truncated,
            extra: given.extra.into_iter().collect(),
        }
    }
}

impl From<sequence::Answer> for wit_sequence::Answer {
    fn from(answer: sequence::Answer) -> Self {
        let reading = match answer.reading {
            sequence::Reading::At(found) => wit_sequence::Reading::At(wit_sequence::Found {
                position: found.position.into(),
                facts: found.facts.into_iter().collect(),
            }),
            sequence::Reading::Empty => wit_sequence::Reading::Empty,
            sequence::Reading::Unreadable => wit_sequence::Reading::Unreadable,
        };
        Self { reading, why: answer.why }
    }
}

impl From<Position> for wit_sequence::Position {
    fn from(position: Position) -> Self {
        let source = |(name, intervals): (&str, &[crate::position::Interval])| {
            let interval =
                |i: &crate::position::Interval| wit_sequence::Interval { first: i.first, last: i.last };
            wit_sequence::Source {
                name: name.to_owned(),
                intervals: intervals.iter().map(interval).collect(),
            }
        };
        match position {
            Position::Ordinal(number) => Self::Ordinal(number),
            Position::History(history) => Self::History(history.sources().map(source).collect()),
        }
    }
}

impl From<seed::Answer> for wit_seed::Answer {
    fn from(answer: seed::Answer) -> Self {
        let proposal = match answer.proposal {
            seed::Proposal::Replica(name) => wit_seed::Proposal::Replica(name),
            seed::Proposal::Refuse => wit_seed::Proposal::Refuse,
        };
        Self { proposal, why: answer.why }
    }
}

impl From<replicas::Answer> for wit_replicas::Answer {
    fn from(answer: replicas::Answer) -> Self {
        let treatment = match answer.treatment {
            replicas::Treatment::RunSecondary(follow) => wit_replicas::Treatment::RunSecondary(follow),
            replicas::Treatment::LeaveStopped => wit_replicas::Treatment::LeaveStopped,
            replicas::Treatment::Hold => wit_replicas::Treatment::Hold,
        };
        Self { treatment, why: answer.why }
    }
}
