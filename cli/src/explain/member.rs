//! A row of the table: what a member is, what its data holds, and how that stands to what the others hold.

use std::fmt::{self, Display, Formatter};

use k8s_openapi::jiff::Timestamp;
use operator::api::{ReplicaStatus, SetStatus};
use planner::Record;
use serde::Serialize;

use super::at::At;
use super::data::{Data, is_nothing};
use super::known::{Compared, Extent, Known, Read};

/// A member.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) state: String,
    /// For how long.
    pub(super) seconds: Option<i64>,
    /// What its data holds, as far as that is known, or why nothing is.
    pub(super) position: Option<String>,
    /// The sources of the transactions in it.
    pub(super) lineage: Option<Vec<String>>,
    /// How that is known.
    pub(super) read: Option<Read>,
    pub(super) verdict: Option<Verdict>,
}

impl Member {
    /// What is known of its data that does not stand.
    pub(super) fn last_known(&self) -> Option<String> {
        let (position, read) = (self.position.clone()?, self.read.filter(|read| *read != Read::Stands)?);
        Some(At { position, read }.to_string())
    }
}

/// What a member is to the set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "is")]
pub(super) enum Verdict {
    Serves,
    Starting,
    Waits {
        reasons: Vec<String>,
    },
    TriedAsSeed,
    GivenUp,
    Joining,
    EarlierEpoch {
        epoch: u64,
        newest: u64,
    },
    LeftWhileOthersServed,
    HoldsNothing,
    HoldsAllThatWasRead,
    /// Of what can be read now: data that is gone held more, or what cannot be compared.
    HoldsAllThatIsThere,
    /// A person gave up what held more, or what cannot be compared.
    HoldsAllThatWasNotGivenUp,
    Behind {
        of: String,
        lacks: Extent,
    },
    Parted {
        from: String,
        lacks: Extent,
        alone: Extent,
    },
    NotCompared {
        with: String,
    },
    Unknown,
}

/// All of a set.
pub(super) fn members(status: &SetStatus, data: &Data, now: Timestamp) -> Vec<Member> {
    let one = |replica: &ReplicaStatus| {
        let known = data.record(&replica.name).and_then(|record| data.known(record));
        let sources = known.as_ref().and_then(|known| match &known.position {
            planner::Position::History(history) => Some(history.0.keys().cloned().collect()),
            planner::Position::Ordinal(_) => None,
        });
        Member {
            name: replica.name.clone(),
            state: replica.app_state.clone().unwrap_or_else(|| "no pod".to_owned()),
            seconds: replica.since.as_ref().map(|since| now.duration_since(since.0).as_secs()),
            position: known.as_ref().map(|known| known.position.to_string()).or(replica.reading.clone()),
            lineage: sources,
            read: known.map(|known| known.read),
            verdict: verdict(status, replica, data),
        }
    };
    status.replica_states.iter().map(one).collect()
}

fn verdict(status: &SetStatus, replica: &ReplicaStatus, data: &Data) -> Option<Verdict> {
    let of = status.holds.iter().filter(|hold| hold.scope == replica.name);
    let mut reasons: Vec<String> = of.map(|hold| hold.reason.clone()).collect();
    reasons.dedup();
    let waits = Some(Verdict::Waits { reasons }).filter(|waits| *waits != Verdict::Waits { reasons: vec![] });
    match replica.app_state.as_deref() {
        Some("Primary" | "Secondary") => return Some(Verdict::Serves),
        Some("Starting") => return Some(Verdict::Starting),
        _ => {}
    }
    if !data.is_outage() {
        return waits;
    }
    let Some(record) = data.record(&replica.name) else { return waits.or(Some(Verdict::Unknown)) };
    let stands = Known::standing(record);
    let said = match (stands, waits) {
        _ if data.was_tried(&replica.name) => Verdict::TriedAsSeed,
        _ if !data.counts(record) => left_out(record, data),
        (Some(known), _) if !is_nothing(record) => among(record, &known, data),
        (_, Some(waits)) => waits,
        _ if is_nothing(record) => Verdict::HoldsNothing,
        _ => Verdict::Unknown,
    };
    Some(said)
}

/// Why its data is not compared.
fn left_out(record: &Record, data: &Data) -> Verdict {
    match () {
        () if record.waived => Verdict::GivenUp,
        () if record.joining => Verdict::Joining,
        () if record.is_behind() => Verdict::LeftWhileOthersServed,
        () => Verdict::EarlierEpoch { epoch: record.confirmed, newest: data.epoch() },
    }
}

/// How it stands to all others that were read.
fn among(record: &Record, known: &Known, data: &Data) -> Verdict {
    let others = || {
        let others = data.counting().filter(|other| other.holder != record.holder && data.is_there(other));
        others.filter_map(|other| Some((other.replica.to_string(), known.compared(&Known::standing(other)?))))
    };
    let best = data.best().map(|(best, _)| best.replica.to_string());
    let behind = |(of, compared)| match compared {
        Compared::Behind(lacks) => Some(Verdict::Behind { of, lacks }),
        _ => None,
    };
    let apart = |(name, compared)| match compared {
        Compared::Parted { lacks, alone } => Some(Verdict::Parted { from: name, lacks, alone }),
        Compared::Not => Some(Verdict::NotCompared { with: name }),
        _ => None,
    };
    let behind_best = others().filter(|(name, _)| best.as_ref() == Some(name)).find_map(behind);
    let found = behind_best.or_else(|| others().find_map(behind)).or_else(|| others().find_map(apart));
    let mut gone = data.counting().filter(|other| !data.is_there(other) && !other.is_new());
    let lacks = |other: &Record| match data.ever_known(other).map(|other| known.compared(&other)) {
        Some(compared) => !matches!(compared, Compared::Same | Compared::Ahead(_)),
        None => false,
    };
    let all = match () {
        () if gone.any(lacks) => Verdict::HoldsAllThatIsThere,
        () if data.given_up().any(lacks) => Verdict::HoldsAllThatWasNotGivenUp,
        () => Verdict::HoldsAllThatWasRead,
    };
    found.unwrap_or(all)
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Serves => write!(f, "serves"),
            Self::Starting => write!(f, "is being started"),
            Self::Waits { reasons } => write!(f, "waits: {}", reasons.join(", ")),
            Self::TriedAsSeed => write!(f, "was tried as seed"),
            Self::GivenUp => write!(f, "given up by AcceptLoss"),
            Self::Joining => write!(f, "was joining, may be half a copy"),
            Self::EarlierEpoch { epoch, newest } => {
                write!(f, "last part of epoch {epoch}, the newest is {newest}")
            }
            Self::LeftWhileOthersServed => write!(f, "left while others served"),
            Self::HoldsNothing => write!(f, "holds nothing"),
            Self::HoldsAllThatWasRead => write!(f, "holds all that was read"),
            Self::HoldsAllThatIsThere => write!(f, "holds all that is there"),
            Self::HoldsAllThatWasNotGivenUp => write!(f, "holds all that was not given up"),
            Self::Behind { of, lacks } => match lacks.transactions {
                Some(_) => write!(f, "behind {of} by {lacks}"),
                None => write!(f, "behind {of}"),
            },
            Self::Parted { from, lacks, alone } => {
                write!(f, "parted from {from}: lacks {lacks}, alone holds {alone}")
            }
            Self::NotCompared { with } => write!(f, "cannot be compared with {with}"),
            Self::Unknown => write!(f, "unknown"),
        }
    }
}
