//! In an outage: what is known of data that cannot be read now, beside the best that can.

use std::fmt::{self, Display, Formatter};

use operator::api::{ReplicaStatus, SetStatus};
use planner::Record;
use serde::Serialize;

use super::at::At;
use super::data::Data;
use super::known::Known;
use super::loss::Loss;
use super::text::{at_least, short};

/// Data that is not there.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Missing {
    replica: String,
    /// The replica has other data by now.
    replaced: bool,
    /// The newest position of it that was ever read.
    last: Option<At>,
    /// The replica that holds all that can be read now, and how much that is.
    best: Option<Best>,
    /// What would be lost at least, going on without it.
    loss: Loss,
}

#[derive(Debug, Serialize)]
struct Best {
    replica: String,
    position: String,
}

/// All that is missing.
pub(super) fn missing(status: &SetStatus, data: &Data) -> Vec<Missing> {
    if !data.is_outage() {
        return Vec::new();
    }
    let lives = |replica: &ReplicaStatus| {
        matches!(replica.app_state.as_deref(), Some("Primary" | "Secondary" | "Starting"))
    };
    let is_away = |record: &Record| {
        let replica = status.replica_states.iter().find(|replica| replica.name == record.replica.0);
        Known::standing(record).is_none() && !replica.is_some_and(lives)
    };
    let gone = data.counting().filter(|record| record.confirmed > 0);
    let gone = gone.filter(|record| !data.is_there(record) || is_away(record));
    let best = data.best();
    gone.map(|record| {
        let last = data.ever_known(record);
        let text = |known: &Known| known.position.to_string();
        Missing {
            replica: record.replica.to_string(),
            replaced: data.record(&record.replica.0).is_some_and(|now| now.holder != record.holder),
            last: last.as_ref().map(At::of),
            best: best
                .as_ref()
                .map(|(best, known)| Best { replica: best.replica.to_string(), position: text(known) }),
            loss: Loss::of(last.as_ref(), best.as_ref().map(|(_, known)| known)),
        }
    })
    .collect()
}

impl Display for Missing {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { last, best, loss, .. } = self;
        let replica =
            if self.replaced { format!("what {} had before", self.replica) } else { self.replica.clone() };
        let Some(last) = last else {
            return write!(f, "no position of {replica} stands now: what it held cannot be told");
        };
        write!(f, "{replica} was {last}")?;
        let Some(Best { replica: other, position }) = best else {
            return write!(f, ", and no other position stands that holds all that was read");
        };
        let best = format!("{} of {other}", short(position));
        match loss {
            Loss::AtLeast(extent) => {
                write!(f, ", beyond {best}: going on without it loses {}", at_least(extent))
            }
            Loss::NothingThatWasRead | Loss::NothingBeyondGivenUp => {
                write!(f, ", not beyond {best}; whether it got further is not known")
            }
            Loss::Unknown => write!(f, ", which cannot be compared with {best}"),
        }
    }
}
