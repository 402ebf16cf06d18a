//! What going on without some data costs, as far as what was read of it tells.

use planner::Record;
use serde::Serialize;

use super::data::Data;
use super::known::{Compared, Extent, Known};

/// What would be lost, the least first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Loss {
    /// Nothing that was ever read; what came after that is not known.
    NothingThatWasRead,
    /// Nothing but what a person gave up before, of which more was read than stays, or nobody knows how much it was.
    NothingBeyondGivenUp,
    /// At least this.
    AtLeast(Extent),
    /// It is not known.
    Unknown,
}

// === impl Loss ===

impl Loss {
    /// Of what was last known of some data, beside what stays.
    pub(super) fn of(gone: Option<&Known>, left: Option<&Known>) -> Self {
        let Some((gone, left)) = gone.zip(left) else { return Self::Unknown };
        match gone.compared(left) {
            Compared::Ahead(extent) | Compared::Parted { alone: extent, .. } => Self::AtLeast(extent),
            Compared::Same | Compared::Behind(_) => Self::NothingThatWasRead,
            Compared::Not => Self::Unknown,
        }
    }

    /// Going on without what this replica holds.
    pub(super) fn without(replica: &str, data: &Data) -> Self {
        let gone: Option<Vec<Known>> =
            data.given_up_with(replica).into_iter().map(|record| data.ever_known(record)).collect();
        let stays = |record: &&Record| data.is_there(record) && !record.is_new();
        let left = data.counting().filter(|record| record.replica.0 != replica).filter(stays);
        let left: Vec<Known> = left.filter_map(|record| data.known(record)).collect();
        let left = Known::all_of(&left);
        Self::of(gone.and_then(|gone| Known::all_of(&gone)).as_ref(), left.as_ref())
            .after_others(left.as_ref(), data)
    }

    /// Starting from this replica, whatever the others hold.
    pub(super) fn starting_from(replica: &str, data: &Data) -> Self {
        let record = data.record(replica);
        // What half a copy lacks its position does not say.
        match record.is_some_and(|record| record.joining) {
            true => Self::Unknown,
            false => Self::leaving(replica, record.and_then(Known::standing), data),
        }
    }

    /// Going on from this replica as planned: from what was read of it, or from what it said while it ran.
    pub(super) fn going_on_from(replica: &str, data: &Data) -> Self {
        Self::leaving(replica, data.record(replica).and_then(|record| data.known(record)), data)
    }

    /// With what is left of this replica, in the place of what all others hold and of what the epoch began with.
    fn leaving(replica: &str, left: Option<Known>, data: &Data) -> Self {
        let own = data.record(replica);
        let is_own = |record: &Record| own.is_some_and(|own| own.holder == record.holder);
        let others = data.counting().filter(|record| !is_own(record) && !record.is_new());
        let others: Vec<Option<Known>> = others.map(|record| data.ever_known(record)).collect();
        let is_all_known = others.iter().all(Option::is_some);
        let is_alone = others.is_empty();
        // Of another measure it says nothing of what was read since.
        let is_of_now = |base: &Known| left.as_ref().is_some_and(|left| left.compared(base) != Compared::Not);
        let base = data.base().filter(is_of_now);
        let others: Vec<Known> = others.into_iter().flatten().chain(base).collect();
        let is_of_epoch = data.epoch() == 0 || own.is_some_and(|own| own.confirmed == data.epoch());
        let is_whole = is_of_epoch || data.is_given_up_whole();
        let loss = match Self::of(Known::all_of(&others).as_ref(), left.as_ref()) {
            Self::NothingThatWasRead if !is_all_known || (is_alone && !is_whole) => Self::Unknown,
            Self::Unknown if others.is_empty() && is_whole && left.is_some() => Self::NothingThatWasRead,
            loss => loss,
        };
        loss.after_others(left.as_ref(), data)
    }

    /// The same, unless a person gave up before what is not known to be in what stays.
    fn after_others(self, left: Option<&Known>, data: &Data) -> Self {
        let stays = |record: &Record| {
            let compared = data.known(record).zip(left).map(|(gone, left)| gone.compared(left));
            matches!(compared, Some(Compared::Same | Compared::Behind(_)))
        };
        match self {
            Self::NothingThatWasRead if !data.given_up().all(stays) => Self::NothingBeyondGivenUp,
            loss => loss,
        }
    }
}
