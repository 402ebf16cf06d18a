//! Epochs, and who belongs to them.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, State};
use super::past::Past;
use crate::memory::Epoch;
use crate::position::Position;
use crate::record::{Reading, Record};

/// Section 2, Epoch: one line of history, begun by Seed, Promote or adoption after an outage; a holder
/// is confirmed in it when seen Primary or Secondary. So its number never goes down, goes up by one
/// and only while a member runs, its base stays, and nobody joins it unseen.
pub(super) fn grows_by_what_was_seen(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let known = known(evidence);
    let now = &evidence.plan.memory.epoch;
    let newest = known.iter().map(|epoch| epoch.number).max().unwrap_or(0);
    let served = evidence.anybody(State::serves);
    let opened = evidence.anybody(|state| state == State::Primary)
        || served && (newest == 0 || evidence.seen.target.primaries == 0 || evidence.memory.outage.is_some());
    let what = match () {
        () if now.number < newest => Some("goes back"),
        () if now.number > newest.saturating_add(1) => Some("jumps"),
        () if now.number > newest && !opened => Some("begins with nobody running"),
        () if now.number == newest && !served && !known.contains(&now) => Some("has another base"),
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
    }
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
        || evidence.place_of(&record.holder).is_some_and(|member| member.state.serves())
        || untouched && has_data
}
