//! A position that is known, and how it stands to another: compared as the planner compares them, by inclusion.

use std::fmt::{self, Display, Formatter};

use planner::decision::Judgement;
use planner::measure::Measure;
use planner::position::History;
use planner::record::{Reading, Taken};
use planner::rehearsal::{Heard, Rehearsal};
use planner::{Position, Record};
use serde::Serialize;

/// A position that is known, and how.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) position: Position,
    pub(super) read: Read,
    /// In which outage, and by whom: bare numbers are compared within one of each.
    pub(super) measure: Measure,
}

/// How a position came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Read {
    /// Nothing was started on that data since.
    Stands,
    /// It was running: it holds at least that.
    WhileItRan,
    /// It was started since.
    BeforeItsStart,
    /// It is read as something else by now.
    EarlierInOutage,
}

/// How one position stands to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// Each includes the other.
    Same,
    /// It includes the other, and this much more.
    Ahead(Extent),
    /// The other includes it, and this much more.
    Behind(Extent),
    /// Each holds what the other has not.
    Parted { lacks: Extent, alone: Extent },
    /// Of different kinds, or bare numbers of different outages or readers.
    Not,
}

/// How much history lies between two positions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Extent {
    /// Not known of bare numbers.
    pub(super) transactions: Option<u64>,
    /// Which they are, where that is known.
    pub(super) which: Option<String>,
    /// How far bare numbers are apart: that counts nothing, but of two the larger one is more.
    #[serde(skip)]
    gap: u64,
}

// === impl Known ===

impl Known {
    pub(super) fn of(taken: &Taken, read: Read) -> Option<Self> {
        Some(Self { position: taken.position()?.clone(), read, measure: taken.measure.clone() })
    }

    /// The position that stands.
    pub(super) fn standing(record: &Record) -> Option<Self> {
        record.standing().and_then(|taken| Self::of(taken, Read::Stands))
    }

    /// What it had at least when it was read after its primary was lost.
    pub(super) fn running(record: &Record) -> Option<Self> {
        record.running.as_ref().and_then(|taken| Self::of(taken, Read::WhileItRan))
    }

    /// What it had at least when it was asked in a set that was well. A bare number of that time is of no outage.
    pub(super) fn rehearsed(rehearsal: &Rehearsal) -> Option<Self> {
        let Heard::Said(Judgement { reading: Reading::At(position), .. }) = &rehearsal.heard else {
            return None;
        };
        let measure = Measure { outage: 0, reader: rehearsal.reader.clone() };
        Some(Self { position: position.clone(), read: Read::WhileItRan, measure })
    }

    /// What it had before its last start.
    pub(super) fn past(record: &Record) -> Option<Self> {
        record.reading.as_ref().and_then(|taken| Self::of(taken, Read::BeforeItsStart))
    }

    /// What all of these hold together, where that can be told.
    pub(super) fn all_of(known: &[Self]) -> Option<Self> {
        let (first, rest) = known.split_first()?;
        rest.iter().try_fold(first.clone(), |mut all, other| {
            match (&mut all.position, &other.position) {
                (Position::Ordinal(all), Position::Ordinal(next))
                    if first.measure.is_that_of(&other.measure) =>
                {
                    *all = (*all).max(*next);
                }
                (Position::History(all), Position::History(next)) => {
                    for (source, intervals) in &next.0 {
                        all.0.entry(source.clone()).or_default().extend(intervals);
                    }
                }
                _ => return None,
            }
            Some(all)
        })
    }

    pub(super) fn compared(&self, other: &Self) -> Compared {
        let (mine, theirs) = (&self.position, &other.position);
        let is_comparable = match (mine, theirs) {
            (Position::Ordinal(_), Position::Ordinal(_)) => self.measure.is_that_of(&other.measure),
            (Position::History(_), Position::History(_)) => true,
            _ => false,
        };
        match (mine.includes(theirs), theirs.includes(mine)) {
            _ if !is_comparable => Compared::Not,
            (true, true) => Compared::Same,
            (true, false) => Compared::Ahead(Extent::of(mine, theirs)),
            (false, true) => Compared::Behind(Extent::of(theirs, mine)),
            (false, false) => {
                Compared::Parted { lacks: Extent::of(theirs, mine), alone: Extent::of(mine, theirs) }
            }
        }
    }
}

// === impl Extent ===

impl Extent {
    /// What is in the first and not in the second.
    fn of(here: &Position, there: &Position) -> Self {
        match (here, there) {
            (Position::History(here), Position::History(there)) => Self::counted(&here.beyond(there)),
            (Position::Ordinal(here), Position::Ordinal(there)) => {
                Self { transactions: None, which: None, gap: here.saturating_sub(*there) }
            }
            _ => Self { transactions: None, which: None, gap: 0 },
        }
    }

    fn counted(history: &History) -> Self {
        Self { transactions: Some(history.transactions()), which: Some(history.to_string()), gap: 0 }
    }
}

impl Display for Extent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.transactions {
            Some(1) => write!(f, "1 transaction"),
            Some(count) => write!(f, "{count} transactions"),
            None => write!(f, "changes, their number is not known"),
        }
    }
}

impl Display for Read {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Stands => "stands",
            Self::WhileItRan => "while it ran",
            Self::BeforeItsStart => "before its start",
            Self::EarlierInOutage => "earlier in this outage",
        })
    }
}
