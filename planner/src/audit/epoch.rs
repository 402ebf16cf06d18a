//! Epochs, and who belongs to them.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, Member, State};
use super::line;
use super::loss;
use super::owed::{is_untouched, standing};
use super::past::Past;
use super::takeover;
use crate::memory::Epoch;
use crate::position::{History, Position};
use crate::record::{Reading, Record};
use crate::start::{Start, StartKind};

/// Section 2, Epoch: one line of history, begun by Seed, Promote or adoption after an outage; a holder
/// is confirmed in it when seen Primary or Secondary. So its number never goes down, goes up by one
/// and only while a member runs, its base is what a start began from, by the measure by which that was read,
/// and stays unless no data that is there names a source of it, and nobody joins it unseen.
pub(super) fn grows_by_what_was_seen(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let known = known(evidence);
    let now = &evidence.plan.memory.epoch;
    let newest = newest_known(evidence);
    let served = evidence.anybody(State::serves);
    let opened = evidence.anybody(|state| state == State::Primary) || served && newest == 0;
    let what = match () {
        () if now.number < newest => Some("goes back"),
        () if now.number > newest.saturating_add(1) => Some("jumps"),
        () if now.number > newest && !opened => Some("begins with nobody running"),
        () if now.number > newest && newest > 0 && !has_cause(evidence) => Some("begins with nothing new"),
        () if now.number > newest && is_hasty(evidence) => {
            Some("begins before all that a person did is known")
        }
        () if now.number > newest && !is_begun_from(evidence, now) => {
            Some("has a base that nothing began from")
        }
        () if now.number == newest && !known.contains(&now) && !is_outlived(evidence, &known) => {
            Some("has another base")
        }
        () => None,
    };
    if let Some(what) = what {
        found.push(Breach::of_set(Rule::Epoch, format!("epoch {} after {newest} {what}", now.number)));
    }
    for record in evidence.plan.memory.holders.values() {
        let past = evidence.past(&record.holder);
        if record.confirmed > now.number || !is_earned(evidence, record, &past) {
            let what = format!("confirmed in epoch {}", record.confirmed);
            found.push(Breach::at(Rule::Epoch, &record.replica, what));
        }
        if line::is_another(evidence, record, &past, now.number > newest) {
            found.push(Breach::at(
                Rule::Epoch,
                &record.replica,
                "may hold what its epoch did not begin with",
            ));
        }
    }
}

/// An outage is over by itself; a seed, or a promotion in place of a lost primary, is seen to have made its member lead; or
/// another took the place of such a one unbidden; or somebody is given up, which has its own check.
fn has_cause(evidence: &Evidence<'_>) -> bool {
    evidence.memory.outage.is_some() && evidence.members.iter().any(|member| leads_again(evidence, member))
        || is_begun_by_us(evidence)
        || takeover::of_last(evidence).is_some()
        || !evidence.plan.memory.epoch.without.is_empty()
}

/// It leads, and was not brought up by a join: whoever led when that was promised may lead on unseen.
fn leads_again(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let starts = member.holder.as_ref().map(|holder| evidence.past(holder).open()).unwrap_or_default();
    let mut here = starts.iter().filter(|start| member.container() == Some(&start.container));
    member.takes_writes() && !here.any(|start| start.kind == StartKind::Join && !start.confirmed)
}

/// 4.4: what people start in a pause counts once each member was heard, or is silent for long.
fn is_hasty(evidence: &Evidence<'_>) -> bool {
    evidence.memory.paused && !takeover::is_clear(evidence) && !is_begun_by_us(evidence)
}

/// A seed, or a promotion in place of a lost primary, is seen to have made its member lead.
fn is_begun_by_us(evidence: &Evidence<'_>) -> bool {
    let opens = |start: &Start| match start.kind {
        StartKind::Seed => !start.confirmed,
        StartKind::Promote => !start.confirmed && start.opens,
        _ => false,
    };
    let leads_by_it = |member: &Member<'_>| {
        let starts = member.holder.as_ref().map(|holder| evidence.past(holder).open()).unwrap_or_default();
        let mut here = starts.iter().filter(|start| member.container() == Some(&start.container));
        member.takes_writes() && here.any(opens)
    };
    evidence.members.iter().any(leads_by_it)
}

/// A start that was open before this look or is new in it began there.
fn is_begun_from(evidence: &Evidence<'_>, epoch: &Epoch) -> bool {
    let Some(base) = epoch.base.as_ref().filter(|_| epoch.without.is_empty()) else { return true };
    let before = evidence.remembered().flat_map(|record| evidence.past(&record.holder).open());
    let is_new = |start: &&Start| !evidence.past_anywhere(start);
    let after = evidence.plan.memory.holders.values().flat_map(|record| &record.open);
    let after = after.filter(is_new).cloned();
    let mut starts = before.chain(after);
    starts.any(|start| start.from.as_ref() == Some(&base.position) && start.measure == base.measure)
}

/// Section 2, Epoch: of a database that makes a new lineage the base is dropped. Everybody whose data is
/// there, of whatever epoch, was read at rest, and shares no source with it.
fn is_outlived(evidence: &Evidence<'_>, known: &[&Epoch]) -> bool {
    let memory = &evidence.plan.memory;
    let of_epoch = known.iter().filter(|epoch| epoch.number == memory.epoch.number);
    let bases: Vec<&History> = of_epoch
        .filter_map(|epoch| match &epoch.base.as_ref()?.position {
            Position::History(base) => Some(base),
            Position::Ordinal(_) => None,
        })
        .collect();
    let is_other = |record: &Record| match standing(evidence, record).map(|taken| &taken.reading) {
        Some(Reading::At(Position::History(here))) => {
            !here.0.is_empty()
                && bases.iter().all(|base| base.0.keys().all(|source| !here.0.contains_key(source)))
        }
        Some(Reading::Empty | Reading::At(Position::Ordinal(0))) => is_untouched(evidence, record),
        _ => false,
    };
    let mut there = memory.holders.values().filter(|record| !record.ended && !record.waived);
    memory.epoch.base.is_none() && memory.outage.is_some() && !bases.is_empty() && there.all(is_other)
}

/// The newest epoch that the status or a claim names.
pub(super) fn newest_known(evidence: &Evidence<'_>) -> u64 {
    known(evidence).iter().map(|epoch| epoch.number).max().unwrap_or(0)
}

/// What status and the claims say of the newest epoch.
fn known<'a>(evidence: &Evidence<'a>) -> Vec<&'a Epoch> {
    let claims = evidence.members.iter().flat_map(|member| &member.replica.claims);
    let on_claims = claims.filter_map(|claim| Some(&claim.record.as_ref()?.epoch));
    let held = evidence.memory.holders.values().map(|record| &record.epoch);
    std::iter::once(&evidence.memory.epoch).chain(on_claims).chain(held).collect()
}

/// Seen running now; or known before; or data without a record, which counts as confirmed (4.3).
fn is_earned(evidence: &Evidence<'_>, record: &Record, past: &Past<'_>) -> bool {
    let known = past.all().map(|record| record.confirmed).max().unwrap_or(0);
    let untouched = past.all().all(|record| record.confirmed == 0 && record.starts == 0);
    let has_data = record.reading.as_ref().is_some_and(|taken| match &taken.reading {
        Reading::Empty => false,
        Reading::Unreadable(_) => true,
        Reading::At(position) => position != &Position::Ordinal(0),
    });
    record.confirmed <= known
        || evidence.serves(&record.holder)
        || untouched && has_data
        || loss::is_carried_over(evidence, record, past)
}
