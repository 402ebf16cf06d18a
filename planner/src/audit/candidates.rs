//! The outage, and who may end it.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, State};
use crate::key::KeyKind;
use crate::memory::Outage;
use crate::observation::Command;
use crate::record::{HolderId, Record, Taken};
use crate::start::StartKind;

/// Section 2, Outage: it lasts until a member is confirmed; 4.4: with its first promise the equal
/// candidates are written down, and the list only shrinks. It is dropped after a pause, when another reader
/// reads, or when a member runs that we did not start.
pub(super) fn only_shrink(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let (before, after) = (evidence.memory, &evidence.plan.memory);
    let served = evidence.anybody(State::serves);
    let mut breach = |what: &str| found.push(Breach::of_set(Rule::Candidates, what));
    let last = last_outage(evidence);
    match (&before.outage, &after.outage) {
        (Some(_), None) if !served => breach("the outage is over, and nobody runs"),
        (Some(old), Some(new)) if after.outages == last && !is_narrower(evidence, old, new) => {
            breach("the list has grown, or is dropped");
        }
        _ => {}
    }
    if after.outages < last || after.outages > last.saturating_add(1) {
        breach("outages are miscounted");
    }
    if after.outages > last && served {
        breach("an outage is noticed while a member runs");
    }
    let named = |outage: &Option<Outage>| outage.as_ref().and_then(|outage| outage.named.clone());
    if let Some(holder) = named(&after.outage).filter(|holder| named(&before.outage).as_ref() != Some(holder))
        && !is_named_now(evidence, &holder)
    {
        breach("a seed is named, and no person named it");
    }
    if let (Some(old), Some(new)) = (&before.outage, &after.outage)
        && new.named.is_some()
        && old.named == new.named
        && was_made_by_another(evidence, old)
        && !new.named.as_ref().is_some_and(|holder| is_named_now(evidence, holder))
    {
        breach("a person named the seed by what another reader had read");
    }
    is_within(evidence, found);
}

/// The newest outage that is known of, in status or by what stands on claims: an erased status counts on from there.
pub(super) fn last_outage(evidence: &Evidence<'_>) -> u64 {
    let claims = evidence.members.iter().flat_map(|member| &member.replica.claims);
    let read = |record: &Record| {
        let base = record.epoch.base.as_ref().map_or(0, |base| base.measure.outage);
        let number = |taken: &Option<Taken>| taken.as_ref().map_or(0, |taken| taken.measure.outage);
        let taken = [&record.reading, &record.running].map(number);
        let begun = record.open.iter().map(|start| start.measure.outage);
        taken.into_iter().chain(begun).fold(base, u64::max)
    };
    claims.filter_map(|claim| claim.record.as_ref()).map(read).fold(evidence.memory.outages, u64::max)
}

/// It is of the readings of a reader that is not the one of now.
fn was_made_by_another(evidence: &Evidence<'_>, outage: &Outage) -> bool {
    let now = evidence.seen.reader.as_ref();
    outage.reader.as_ref().zip(now).is_some_and(|(before, now)| before != now)
}

/// The list was made by another reader than the one of now, or of what another one had read.
fn is_read_anew(evidence: &Evidence<'_>, old: &Outage) -> bool {
    let Some(now) = &evidence.seen.reader else { return false };
    let is_other = |taken: &Taken| taken.measure.reader.as_ref() != Some(now);
    let holders = evidence.plan.memory.holders.keys();
    let mut past = holders.flat_map(|holder| evidence.past(holder).all().collect::<Vec<_>>());
    was_made_by_another(evidence, old)
        || past.any(|record| [&record.reading, &record.running].into_iter().flatten().any(is_other))
}

/// A key of this look names it: for the first time, or once more after it was tried.
fn is_named_now(evidence: &Evidence<'_>, holder: &HolderId) -> bool {
    let replica = evidence.after(holder).map(|record| record.replica.0.as_str());
    replica.is_some() && evidence.key(KeyKind::AcceptSeed, replica).is_some()
}

fn is_narrower(evidence: &Evidence<'_>, old: &Outage, new: &Outage) -> bool {
    let dropped = || {
        let holders = evidence.plan.memory.holders.values();
        let found = holders.flat_map(|record| &record.open).any(|start| start.kind == StartKind::Found);
        let named = new.named.as_ref().is_some_and(|holder| is_named_now(evidence, holder));
        evidence.memory.paused
            || found
            || named
            || evidence.anybody(State::serves)
            || is_read_anew(evidence, old)
    };
    match (&old.candidates, &new.candidates) {
        (None, _) => true,
        (Some(old), Some(new)) => new.iter().all(|holder| old.contains(holder)) || dropped(),
        (Some(_), None) => dropped(),
    }
}

/// Who seeds is on the list that goes with the promise, unless other members run (4.7).
fn is_within(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for run in evidence.runs().filter(|run| run.command == Command::Seed) {
        let holder = evidence.member(&run.replica).and_then(|member| member.holder.as_ref());
        let outage = evidence.plan.memory.outage.as_ref();
        let listed = outage.and_then(|outage| outage.candidates.as_ref());
        let on_it = listed.is_some_and(|list| list.iter().any(|candidate| Some(candidate) == holder));
        let named = outage.and_then(|outage| outage.named.as_ref());
        let chosen = named.is_none() && on_it || named.is_some() && named == holder;
        if !chosen && !evidence.anybody(State::serves) {
            found.push(Breach::at(Rule::Candidates, &run.replica, "seeds, and is not on the list"));
        }
    }
}
