//! Which members are ordered for becoming primary, and what is known of their data.

use crate::app_state::AppState;
use crate::decision::Candidate;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::Role;
use crate::places::is_released;
use crate::position::Position;
use crate::record::{Record, Taken};

/// Secondaries run and no primary does: one of them may have to be promoted.
pub(crate) fn is_headless(look: &Look<'_>) -> bool {
    let target = look.target();
    let wanted = target.has_secondary && target.replicas > 0 && target.primaries > 0 && look.epoch() > 0;
    let any = |state: &AppState| look.states.values().any(|s| s == state);
    wanted && any(&AppState::Secondary) && !any(&AppState::Primary)
}

/// The members to be ordered: of a headless set the maximal secondaries, else every wanted one.
pub(crate) fn members(look: &Look<'_>) -> Vec<ReplicaName> {
    if is_headless(look) {
        return maximal(look);
    }
    look.in_places(0..look.target().replicas).cloned().collect()
}

/// Those of them without whom nobody else went on.
pub(crate) fn primaries_lost_in<'b>(look: &'b Look<'_>, epoch: u64) -> impl Iterator<Item = &'b Record> {
    primaries_away_in(look, epoch).filter(|record| !record.is_behind())
}

/// Primaries of an epoch that do not run, and are not given up.
pub(crate) fn primaries_away_in<'b>(look: &'b Look<'_>, epoch: u64) -> impl Iterator<Item = &'b Record> {
    look.memory.holders.values().filter(move |record| {
        let was = record.confirmed == epoch && record.last == Some(Role::Primary) && !record.joining;
        was && !record.waived && !record.ended && !look.state(&record.replica).is_running()
    })
}

/// Running secondaries of the newest epoch that no other is known to be ahead of.
fn maximal(look: &Look<'_>) -> Vec<ReplicaName> {
    let ahead = |a: Option<&Position>, b: Option<&Position>| match (a, b) {
        (Some(a), Some(b)) => a.includes(b) && !b.includes(a),
        (Some(_), None) => true,
        _ => false,
    };
    let all: Vec<&ReplicaName> = secondaries(look).collect();
    let is_maximal = |name: &&&ReplicaName| {
        let mine = lower_bound(look, name);
        !all.iter().any(|other| ahead(lower_bound(look, other), mine))
    };
    all.iter().filter(is_maximal).map(|name| (*name).clone()).collect()
}

pub(crate) fn secondaries<'b>(look: &'b Look<'_>) -> impl Iterator<Item = &'b ReplicaName> {
    look.running().filter(|name| {
        *look.state(name) == AppState::Secondary && look.is_confirmed(name) && look.runs_by_its_own(name)
    })
}

/// What a running member held at least when it was asked since its primary was lost.
pub(crate) fn lower_bound<'b>(look: &'b Look<'_>, name: &ReplicaName) -> Option<&'b Position> {
    running(look, look.record(name)?)?.position()
}

/// What a member said while it ran that still counts: a bare number is compared with those of its own outage and reader
/// alone.
pub(crate) fn said<'b>(look: &Look<'_>, record: &'b Record) -> Option<&'b Taken> {
    let counts = |taken: &&Taken| {
        let is_number = taken.position().is_some_and(Position::is_ordinal);
        taken.starts == record.starts && (!is_number || taken.measure.is_that_of(&look.measure()))
    };
    record.running.as_ref().filter(counts)
}

fn running<'b>(look: &Look<'_>, record: &'b Record) -> Option<&'b Taken> {
    said(look, record).filter(|taken| taken.position().is_some())
}

pub(crate) fn candidate(look: &Look<'_>, name: &ReplicaName) -> Candidate {
    let taken = look.record(name).and_then(|record| running(look, record).or_else(|| record.standing()));
    let claims = look.seen.replicas.get(name).into_iter().flat_map(|replica| &replica.claims);
    Candidate {
        replica: name.clone(),
        ordinal: look.place(name),
        created_at: claims.filter_map(|claim| claim.created_at).min(),
        position: taken.and_then(Taken::position).cloned(),
        facts: taken.map(|taken| taken.facts.clone()).unwrap_or_default(),
    }
}

/// Members that are or may be primary: by their answer, by a command under way, or by their last
/// answer before they fell silent. Another one has the place of who was given up by name.
pub(crate) fn possible_primaries(look: &Look<'_>) -> usize {
    let may_be = |name: &ReplicaName| match look.state(name) {
        AppState::Primary => true,
        AppState::Secondary => look.record(name).is_some_and(has_primary_start),
        _ => look
            .record(name)
            .is_some_and(|r| !r.open.is_empty() && (r.last == Some(Role::Primary) || has_primary_start(r))),
    };
    look.seen.replicas.keys().filter(|name| may_be(name) && !is_released(look, name)).count()
}

pub(crate) fn has_primary_start(record: &Record) -> bool {
    use crate::start::StartKind::{Join, Promote, Seed};
    record.open.iter().any(|start| !start.confirmed && matches!(start.kind, Seed | Join | Promote))
}

#[cfg(test)]
mod tests;
