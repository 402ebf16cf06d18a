//! Data that shows less at rest than it was known to hold: the audit's own test.

use super::evidence::Evidence;
use super::extent::{Extent, is_one_measure};
use super::owed::standing;
use crate::observation::Role;
use crate::position::Position;
use crate::record::{Reading, Record, Taken};
use crate::rehearsal::{Heard, Rehearsal};

/// Whether the standing position of this data lacks some of what it held: an answer that its member gave while it ran, or
/// the base of the epoch in which that was primary.
pub(super) fn went_back(evidence: &Evidence<'_>, record: &Record) -> bool {
    lost_by(evidence, record).is_some()
}

/// The part of its history that is known to be lost.
pub(super) fn lost_by<'a>(evidence: &Evidence<'a>, record: &'a Record) -> Option<&'a Position> {
    let taken = standing(evidence, record)?;
    let Reading::At(shows) = &taken.reading else { return None };
    let is_less = |held: &&Position| is_kind_of(shows, held) && !includes(shows, held);
    let mut answers = answers(evidence).filter(|answer| is_of(answer, record, taken));
    let by_answer = answers.find_map(|answer| most(answer).filter(is_less));
    let bound = record.running.as_ref().filter(|bound| {
        bound.starts == taken.starts
            && bound.measure.reader.is_some()
            && bound.measure.reader == taken.measure.reader
    });
    let by_bound = || match bound.map(|bound| &bound.reading) {
        Some(Reading::At(held)) => Some(held).filter(is_less),
        _ => None,
    };
    by_answer.or_else(by_bound).or_else(|| below_base(evidence, record, taken))
}

/// All answers that count. A plan that starts a member drops the answer of that member.
fn answers<'a>(evidence: &Evidence<'a>) -> impl Iterator<Item = &'a Rehearsal> {
    let counts = evidence.counts_answers();
    let before = evidence.memory.rehearsals.values().filter(move |_| counts);
    evidence.plan.memory.rehearsals.values().chain(before)
}

fn below_base<'a>(evidence: &Evidence<'a>, record: &Record, taken: &Taken) -> Option<&'a Position> {
    let epoch = &evidence.plan.memory.epoch;
    let was_primary = record.confirmed == epoch.number && record.last == Some(Role::Primary);
    let base = epoch.base.as_ref().filter(|_| was_primary && record.parted.is_none())?;
    let shows = Extent::of(taken)?;
    let is_comparable = match (shows.position, &base.position) {
        (Position::Ordinal(_), Position::Ordinal(_)) => is_one_measure(shows.measure, &base.measure),
        (Position::History(_), Position::History(_)) => true,
        _ => false,
    };
    (is_comparable && !includes(shows.position, &base.position)).then_some(&base.position)
}

/// An answer of this data, by the start after which it was read, and by the same reader.
fn is_of(answer: &Rehearsal, record: &Record, taken: &Taken) -> bool {
    let is_one_reader = answer.reader.is_some() && answer.reader == taken.measure.reader;
    answer.holder == record.holder && answer.starts == taken.starts && is_one_reader
}

/// The most that is remembered of a running member.
pub(super) fn most(answer: &Rehearsal) -> Option<&Position> {
    match (&answer.held, &answer.heard) {
        (Some(held), _) => Some(held),
        (None, Heard::Said(judged)) => match &judged.reading {
            Reading::At(position) => Some(position),
            Reading::Empty | Reading::Unreadable(_) => None,
        },
        (None, Heard::Nothing(_)) => None,
    }
}

/// The position that a new answer has to be remembered with: what the member showed before, and does not show now.
pub(super) fn held_before<'a>(before: &'a Rehearsal, now: &Rehearsal) -> Option<&'a Position> {
    let is_same = (&before.holder, before.starts) == (&now.holder, now.starts)
        && before.reader.is_some()
        && before.reader == now.reader;
    let shows = match &now.heard {
        Heard::Said(judged) => match &judged.reading {
            Reading::At(position) => Some(position),
            _ => None,
        },
        Heard::Nothing(_) => None,
    };
    most(before).filter(|held| is_same && !shows.is_some_and(|shows| includes(shows, held)))
}

fn is_kind_of(one: &Position, other: &Position) -> bool {
    matches!(
        (one, other),
        (Position::Ordinal(_), Position::Ordinal(_)) | (Position::History(_), Position::History(_))
    )
}

/// Of one data, whatever the outage.
fn includes(here: &Position, held: &Position) -> bool {
    let measure = crate::measure::Measure { outage: 0, reader: Some(String::new().as_str().into()) };
    let of = |position| Extent { position, measure: &measure };
    of(here).includes(of(held))
}
