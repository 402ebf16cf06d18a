//! Whose reading is owed, and who holds all of it.

use crate::app_state::AppState;
use crate::look::Look;
use crate::names::{ContainerId, ReplicaName};
use crate::observation::Pod;
use crate::position::Position;
use crate::record::{Record, Taken};
use crate::went_back::{WentBack, went_back};

/// What a holder owes before anyone may seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owed<'a> {
    /// Nothing: its data is not part of the newest epoch, or proven new.
    Nothing,
    /// Its reading does not stand.
    Reading,
    /// No position was ever to be had, nothing was ever started on it, and the set was never bootstrapped.
    NeverRead(String),
    /// It had data, and has none that can be read.
    Lost(String),
    /// Its position went back.
    WentBack(WentBack<'a>),
    /// This much.
    Adds(&'a Position),
}

/// docs/safety.md 4.3. A claim that no record ever confirmed or started counts as confirmed in the
/// newest epoch unless it is shown to be new: missing notes are never proof of newness.
pub(crate) fn owed<'a>(look: &'a Look<'_>, record: &'a Record) -> Owed<'a> {
    if record.ended || record.waived || record.joining || !may_add(look, record) {
        return Owed::Nothing;
    }
    let Some(taken) = record.standing().filter(|taken| is_comparable(look, taken)) else {
        return Owed::Reading;
    };
    match &taken.reading {
        _ if record.is_new() => Owed::Nothing,
        _ if record.is_behind() => Owed::Nothing,
        crate::Reading::At(position) => match went_back(&look.memory, record) {
            Some(back) if !is_base_lost(look, back.held) => Owed::WentBack(back),
            _ => Owed::Adds(position),
        },
        crate::Reading::Unreadable(why) if was_never_held(look, record) => Owed::NeverRead(why.clone()),
        crate::Reading::Empty if record.confirmed == 0 => Owed::Nothing,
        other => Owed::Lost(other.to_string()),
    }
}

/// No data that is there has all that the epoch began with. That is one hold of the set, not one for each member.
fn is_base_lost(look: &Look<'_>, held: &Position) -> bool {
    let base = look.memory.epoch.base.as_ref().map(|base| &base.position);
    let includes = |record: &Record| record.position().is_some_and(|here| here.includes(held));
    base == Some(held) && !look.memory.holders.values().any(includes)
}

fn may_add(look: &Look<'_>, record: &Record) -> bool {
    if record.confirmed == 0 {
        if look.home(&record.holder).is_none() || never_had_a_volume(look, record) {
            return false;
        }
        let of_epoch = |other: &Record| other.confirmed == look.epoch() && !other.ended;
        let others = look.memory.holders.values().any(of_epoch);
        return look.target().has_claims() || look.epoch() == 0 || !others;
    }
    record.confirmed == look.epoch()
}

/// A claim that still waits for its volume, and that nothing was ever started on: there is nothing to read. A container
/// that runs has its volume, whatever is told of the claim.
pub(crate) fn never_had_a_volume(look: &Look<'_>, record: &Record) -> bool {
    let Some(replica) = look.home(&record.holder).and_then(|name| look.seen.replicas.get(name)) else {
        return false;
    };
    look.target().has_claims()
        && replica.claims.iter().all(|claim| !claim.bound)
        && replica.pod.as_ref().and_then(Pod::live_container).is_none()
        && record.starts == 0
        && record.copied_from.is_none()
}

/// Before the first bootstrap it is more likely that the command is wrong than that data was lost.
fn was_never_held(look: &Look<'_>, record: &Record) -> bool {
    look.epoch() == 0 && record.confirmed == 0 && record.starts == 0 && record.copied_from.is_none()
}

/// A bare number counts in the outage in which it was read, and by the reader that read it. While there is none, what
/// stands is told as it is: nothing that needs it is done.
fn is_comparable(look: &Look<'_>, taken: &Taken) -> bool {
    let (now, then) = (look.measure(), &taken.measure);
    let same = if now.reader.is_some() { then.is_that_of(&now) } else { then.outage == now.outage };
    same || !taken.position().is_some_and(Position::is_ordinal)
}

/// Whether a position of now includes where the epoch began. A base that was read as a bare number in another outage,
/// or by another policy, asks for nothing.
pub(crate) fn includes_base(look: &Look<'_>, position: &Position) -> bool {
    match &look.memory.epoch.base {
        Some(base) if !base.position.is_ordinal() || base.measure.is_that_of(&look.measure()) => {
            position.includes(&base.position)
        }
        _ => true,
    }
}

/// Where the epoch began, if that is compared with what is read now and is another kind of position.
pub(crate) fn base_of_other_kind<'a>(look: &'a Look<'_>, position: &Position) -> Option<&'a Position> {
    let base = look.memory.epoch.base.as_ref().map(|base| &base.position);
    base.filter(|base| base.is_ordinal() != position.is_ordinal() && !includes_base(look, position))
}

/// Whether it lacks some of what the epoch began with, where the two can be compared.
pub(crate) fn is_below_base(look: &Look<'_>, position: &Position) -> bool {
    !includes_base(look, position) && base_of_other_kind(look, position).is_none()
}

/// Every holder that adds something, with what it holds.
pub(crate) fn all_that_adds<'a>(look: &'a Look<'_>) -> impl Iterator<Item = (&'a Record, &'a Position)> {
    look.memory.holders.values().filter_map(|record| match owed(look, record) {
        Owed::Adds(position) => Some((record, position)),
        _ => None,
    })
}

/// The holders that may seed: each includes every owed reading and the base, and is there. A person may have
/// named one; the list of an earlier try only shrinks, and a person's word is used up by a try too.
pub(crate) fn candidates<'a>(look: &'a Look<'_>) -> Vec<&'a Record> {
    let outage = look.memory.outage.as_ref();
    let list = outage.and_then(|outage| outage.candidates.as_ref());
    let is_listed = |record: &&Record| list.is_none_or(|list| list.contains(&record.holder));
    let is_left = |record: &&Record| is_listed(record) && look.home(&record.holder).is_some();
    if let Some(named) = outage.and_then(|outage| outage.named.as_ref()) {
        let named = look.memory.holders.get(named).filter(|record| record.standing().is_some());
        return named.filter(is_left).into_iter().collect();
    }
    let adds: Vec<(&Record, &Position)> = all_that_adds(look).collect();
    let is_best = |position: &Position| {
        adds.iter().all(|(_, other)| position.includes(other)) && includes_base(look, position)
    };
    let mut best: Vec<&Record> =
        adds.iter().filter(|(_, position)| is_best(position)).map(|(record, _)| *record).collect();
    if adds.is_empty() {
        best = fresh(look);
    }
    best.retain(is_left);
    best
}

/// Nobody holds anything: the first bootstrap, or a claimless set that lost everything. An earlier
/// try goes first, because something may have been told of it.
fn fresh<'a>(look: &'a Look<'_>) -> Vec<&'a Record> {
    let size = look.target().replicas;
    let usable = |record: &&Record| {
        !record.ended
            && !record.waived
            && record.confirmed == 0
            && record.standing().is_some()
            && is_within(look, record, size)
    };
    let lost_all = !look.target().has_claims()
        && look.memory.holders.values().all(|record| record.ended || record.confirmed == 0);
    if look.epoch() > 0 && !lost_all {
        return Vec::new();
    }
    let all: Vec<&Record> = look.memory.holders.values().filter(usable).collect();
    let tried: Vec<&Record> = all.iter().copied().filter(|record| record.starts > 0).collect();
    let has_list = look.memory.outage.as_ref().is_some_and(|outage| outage.candidates.is_some());
    if tried.is_empty() || has_list { all } else { tried }
}

/// Holders that owe nothing, and may still be worth a look: one whose join was under way may have
/// ended it and served before anyone saw that; one that was given up may be named as seed.
pub(crate) fn extras<'a>(look: &'a Look<'_>) -> impl Iterator<Item = &'a Record> {
    let is_extra =
        |record: &&Record| (record.joining || record.waived) && !record.ended && record.open.is_empty();
    look.memory.holders.values().filter(is_extra)
}

/// Stopped members whose join was under way and that were not read since: each may hold more than all others. Who cannot be
/// read, because its lock is busy, is none.
pub(crate) fn unread_joiners<'a>(
    look: &'a Look<'_>,
) -> impl Iterator<Item = (&'a ReplicaName, &'a ContainerId)> {
    let is_unread = |record: &&Record| {
        record.joining && !record.waived && !record.lock_busy && record.standing().is_none()
    };
    extras(look).filter(is_unread).filter_map(|record| {
        let name = look.home(&record.holder).filter(|name| *look.state(name) == AppState::Stopped)?;
        Some((name, look.pod(name)?.live_container()?))
    })
}

/// Holders that owe nothing because they are of no account: those, and data of an older epoch.
pub(crate) fn leftovers<'a>(look: &'a Look<'_>) -> impl Iterator<Item = &'a Record> {
    let is_left = |record: &&Record| record.joining || record.waived || record.confirmed < look.epoch();
    let all = look.memory.holders.values();
    all.filter(|record| !record.ended && record.open.is_empty()).filter(is_left)
}

/// A person named who is to seed.
pub(crate) fn is_named(look: &Look<'_>) -> bool {
    look.memory.outage.as_ref().is_some_and(|outage| outage.named.is_some())
}

/// A joining holder that holds more than a candidate: either its data is only half there, or it
/// served last. Nothing here can tell which.
pub(crate) fn joiner_ahead<'a>(look: &'a Look<'_>, best: &[&Record]) -> Option<&'a Record> {
    let more = |mine: &Position, other: &Position| mine.includes(other) && !other.includes(mine);
    let is_ahead = |record: &&Record| {
        let comparable =
            record.standing().filter(|taken| is_comparable(look, taken)).and_then(Taken::position);
        let others = best.iter().filter_map(|other| other.position());
        record.joining
            && !record.waived
            && comparable.is_some_and(|mine| others.into_iter().any(|other| more(mine, other)))
    };
    if is_named(look) { None } else { extras(look).find(is_ahead) }
}

fn is_within(look: &Look<'_>, record: &Record, size: u32) -> bool {
    look.home(&record.holder).is_some_and(|name| look.place(name) < size)
}

#[cfg(test)]
mod tests;
