//! Data that shows less at rest than it was known to hold.

use crate::hold::Reason;
use crate::memory::Memory;
use crate::names::ReplicaName;
use crate::observation::Role;
use crate::position::Position;
use crate::record::{Record, Taken};
use crate::rehearsal::{Heard, Rehearsal};

/// A position that went back: a wiped volume, a restarted counter, a lost log or an older copy. The present position does
/// not say what else the data held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WentBack<'a> {
    /// The position that the data shows at rest.
    pub(crate) shows: &'a Position,
    /// A position that the data held, and that is not part of the present one.
    pub(crate) held: &'a Position,
}

impl WentBack<'_> {
    /// The hold for it.
    pub(crate) fn reason(&self, name: &ReplicaName) -> Reason {
        let (name, shows, held) = (name.clone(), self.shows.clone(), self.held.clone());
        Reason::PositionWentBack { name, shows, held }
    }
}

/// The position of this data at rest, if it lacks some of what the data held: by an answer that the member gave while it
/// ran, or by the base of the epoch in which the member was primary.
pub(crate) fn went_back<'a>(memory: &'a Memory, record: &'a Record) -> Option<WentBack<'a>> {
    let taken = record.standing()?;
    let shows = taken.position()?;
    let held = said_before(memory, record, taken).find(|held| lacks(shows, held));
    let held = held.or_else(|| below_its_base(memory, record, taken))?;
    Some(WentBack { shows, held })
}

/// The base of the epoch, if this member was primary in it and shows less now. Bare numbers of two outages are not compared:
/// another member may have begun the epoch.
pub(crate) fn below_its_base<'a>(memory: &'a Memory, record: &Record, taken: &Taken) -> Option<&'a Position> {
    let was_primary = record.confirmed == memory.epoch.number && record.last == Some(Role::Primary);
    let base = memory.epoch.base.as_ref().filter(|_| was_primary && record.parted.is_none())?;
    let is_comparable = !base.position.is_ordinal() || base.measure.is_that_of(&taken.measure);
    let lacks_some = taken.position().is_some_and(|shows| lacks(shows, &base.position));
    (is_comparable && lacks_some).then_some(&base.position)
}

/// All positions that this data showed while it ran by its last start. Bare numbers of two outages are compared here, because
/// they are of one data.
fn said_before<'a>(
    memory: &'a Memory,
    record: &'a Record,
    taken: &'a Taken,
) -> impl Iterator<Item = &'a Position> {
    let reader = taken.measure.reader.as_ref().filter(|_| taken.starts == record.starts);
    let of_it = move |answer: &&Rehearsal| {
        answer.holder == record.holder && answer.starts == record.starts && answer.reader.as_ref() == reader
    };
    let answers = memory.rehearsals.values().filter(of_it).flat_map(Rehearsal::positions);
    let bound = record.running.as_ref();
    let bound = bound.filter(|b| b.starts == record.starts && b.measure.reader.as_ref() == reader);
    answers.chain(bound.and_then(Taken::position)).filter(move |_| reader.is_some())
}

/// Whether some of what was held is not here. A number and a history are not compared.
fn lacks(here: &Position, held: &Position) -> bool {
    here.is_ordinal() == held.is_ordinal() && !here.includes(held)
}

impl Rehearsal {
    /// The positions that the member showed while it ran.
    fn positions(&self) -> impl Iterator<Item = &Position> {
        self.held.iter().chain(self.position())
    }

    /// The position of this answer, if the member gave one.
    #[must_use]
    pub fn position(&self) -> Option<&Position> {
        match &self.heard {
            Heard::Said(judged) => judged.reading.position(),
            Heard::Nothing(_) => None,
        }
    }

    /// The position that a later answer has to include: an earlier one if this answer lacks some of it.
    pub(crate) fn most(&self) -> Option<&Position> {
        self.held.as_ref().or_else(|| self.position())
    }
}

#[cfg(test)]
mod tests;
