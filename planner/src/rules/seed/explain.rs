//! Why nobody may seed, and whom a person may name.

use crate::draft::Draft;
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::memory::Outage;
use crate::names::ReplicaName;
use crate::position::Position;
use crate::record::{HolderId, Reading, Record};
use crate::seeding::{all_that_adds, base_of_other_kind};

/// All that is owed was read, nothing runs, and nobody may seed.
pub(super) fn explain_no_candidate(draft: &mut Draft<'_>) {
    let look = draft.look;
    let adds: Vec<(&Record, &Position)> = all_that_adds(look).collect();
    if let Some(record) = gone(look, &adds) {
        hold_lost(draft, record);
        return;
    }
    let reason = unread_seed(look)
        .or_else(|| exhausted(look))
        .or_else(|| diverged(&adds))
        .or_else(|| below_base(look, &adds))
        .unwrap_or_else(|| Reason::NoneOfEpoch(left(look)));
    let mut keys = accept_seed(look, &[]);
    // What one of two holds that have parted can be given up; of what all hold alike nothing is won by that.
    if let Reason::Diverged(a, b) = &reason {
        keys.extend([a, b].map(|name| (KeyKind::AcceptLoss, name.to_string())));
    }
    draft.hold(reason, &keys);
}

/// It was read, is not there any more, and nobody who is there includes it.
fn gone<'a>(look: &Look<'_>, adds: &[(&'a Record, &Position)]) -> Option<&'a Record> {
    let is_here = |record: &Record| look.home(&record.holder).is_some();
    let is_kept = |held: &Position| adds.iter().any(|(other, all)| is_here(other) && all.includes(held));
    adds.iter().find(|(record, held)| !is_here(record) && !is_kept(held)).map(|(record, _)| *record)
}

/// Its data is not there any more, and what it held is not all elsewhere.
pub(super) fn hold_lost(draft: &mut Draft<'_>, record: &Record) {
    let name = &record.replica;
    let reason = Reason::LostData(name.clone(), format!("{} not there any more", kind(&record.holder)));
    draft.hold_replica(name, reason, &[(KeyKind::AcceptLoss, name.to_string())]);
}

/// The data by the kind of object that kept it. The hold names the member already.
fn kind(holder: &HolderId) -> &'static str {
    match holder {
        HolderId::Claims(uids) if uids.len() > 1 => "one of the claims that kept it is",
        HolderId::Claims(_) => "the claim that kept it is",
        HolderId::Pod(_) => "the pod that kept it is",
        HolderId::Container(_) => "the container that kept it is",
    }
}

/// A person named it, and its reading does not stand any more.
fn unread_seed(look: &Look<'_>) -> Option<Reason> {
    let named = look.memory.outage.as_ref()?.named.as_ref()?;
    let record = look.memory.holders.get(named).filter(|record| record.standing().is_none())?;
    Some(Reason::Unread(record.replica.clone(), None))
}

fn exhausted(look: &Look<'_>) -> Option<Reason> {
    let Outage { failed, candidates, .. } = look.memory.outage.as_ref()?;
    candidates.as_ref().map(|_| Reason::SeedsExhausted(failed.clone()))
}

fn diverged(adds: &[(&Record, &Position)]) -> Option<Reason> {
    let mut pairs = adds.iter().flat_map(|a| adds.iter().map(move |b| (a, b)));
    let (a, b) = pairs.find(|(a, b)| !a.1.includes(b.1) && !b.1.includes(a.1))?;
    Some(Reason::Diverged(a.0.replica.clone(), b.0.replica.clone()))
}

/// Nobody may seed because of what the epoch began with.
fn below_base(look: &Look<'_>, adds: &[(&Record, &Position)]) -> Option<Reason> {
    let holds_all = |one: &&(&Record, &Position)| adds.iter().all(|(_, other)| one.1.includes(other));
    let (best, here) = adds.iter().find(holds_all)?;
    let best = best.replica.clone();
    Some(match base_of_other_kind(look, here) {
        Some(base) => Reason::BaseOfOtherKind { best, base: base.clone(), here: (*here).clone() },
        None => Reason::BelowBase(best),
    })
}

/// All data that is there, by its replica, with what was read of it.
fn left(look: &Look<'_>) -> Vec<(ReplicaName, Option<Reading>)> {
    let there = look.seen.replicas.keys().filter(|name| look.record(name).is_some());
    there.map(|name| (name.clone(), read(look, name).cloned())).collect()
}

fn read<'a>(look: &'a Look<'_>, name: &ReplicaName) -> Option<&'a Reading> {
    look.record(name).and_then(Record::standing).map(|taken| &taken.reading)
}

/// A person may name any member that was read, while there is a policy to ask about it: but not the only one that the
/// policy is asked about already. Those without data come last: what is offered first is taken first.
pub(crate) fn accept_seed(look: &Look<'_>, best: &[&Record]) -> Vec<(KeyKind, String)> {
    if look.seen.verdicts.unavailable.is_some() {
        return Vec::new();
    }
    let may_be_named = |name: &&ReplicaName| {
        let read = look.record(name).filter(|record| record.standing().is_some());
        read.is_some_and(|record| best.len() != 1 || best[0].holder != record.holder)
    };
    let mut names: Vec<&ReplicaName> = look.seen.replicas.keys().filter(may_be_named).collect();
    names.sort_by_key(|name| !matches!(read(look, name), Some(Reading::At(_))));
    names.into_iter().map(|name| (KeyKind::AcceptSeed, name.to_string())).collect()
}

#[cfg(test)]
mod tests;
