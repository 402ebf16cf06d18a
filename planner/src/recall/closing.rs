//! What proves that a start is over: docs/safety.md 4.2, one function each. Nothing else does.

use crate::app_state::AppState;
use crate::look::Look;
use crate::observation::{Attempt, AttemptState, Fate, Pod};
use crate::plan::News;
use crate::record::{HolderId, Record};
use crate::start::{Lock, Start};
use crate::target::{DetachedVolume, ForcedDeletion};
use crate::timer::{Ripening, Timer};
use std::collections::BTreeMap;

/// Looks in a row in which a member must answer Stopped before its start counts as over, where
/// no lock can tell: one answer may come from before the application took up its work.
const STOPPED_LOOKS: u32 = 2;

const PROOFS: [fn(&Look<'_>, &Record, &Start) -> bool; 6] = [
    over_by_its_guard,
    container_terminated,
    node_restarted,
    node_out_of_service,
    stopped_by_its_own_word,
    vanished_long_ago,
];

pub(super) fn close_starts(look: &mut Look<'_>, _: &mut Vec<News>) {
    let is_over = |look: &Look<'_>, record: &Record, start: &Start| {
        PROOFS.iter().any(|proof| proof(look, record, start))
    };
    let closed: Vec<_> = look
        .memory
        .holders
        .values()
        .flat_map(|record| record.open.iter().map(move |start| (record, start)))
        .filter(|(record, start)| is_over(look, record, start))
        .map(|(_, start)| start.attempt.clone())
        .collect();
    for record in look.memory.holders.values_mut() {
        record.close(|start| closed.contains(&start.attempt));
    }
}

/// What has to be measured for these proofs.
pub(crate) fn timers(look: &Look<'_>) -> BTreeMap<Timer, Ripening> {
    let mut timers = BTreeMap::new();
    for record in look.memory.holders.values() {
        for start in &record.open {
            if has_stopped(look, record, start) {
                timers.insert(
                    Timer::StoppedOpen(start.attempt.clone()),
                    Ripening { seconds: 0, looks: STOPPED_LOOKS },
                );
            }
            if has_vanished(look, record, start) {
                let ripening = Ripening { seconds: look.target().grace_seconds, looks: 1 };
                timers.insert(Timer::Vanished(start.pod.clone()), ripening);
            }
        }
    }
    timers
}

/// Its member ran in its container, or its pod is gone: it cannot begin in the next one. Of any other a late exec may, or
/// has, for a guard that is asked does not know to which container it was sent.
fn cannot_begin(look: &Look<'_>, start: &Start) -> bool {
    start.confirmed || !look.pod_is_there(start)
}

/// The guard in a later container of its pod says that it began before that one.
fn over_by_its_guard(look: &Look<'_>, _: &Record, start: &Start) -> bool {
    look.seen.fates.get(&start.attempt) == Some(&Fate::Over)
}

fn container_terminated(look: &Look<'_>, _: &Record, start: &Start) -> bool {
    look.seen.terminated.contains(&start.container) && cannot_begin(look, start)
}

/// Another boot proves nothing while the very container lives: none outlives a boot, so the start was written when the
/// boot that it ran in was not told yet.
fn node_restarted(look: &Look<'_>, _: &Record, start: &Start) -> bool {
    look.seen.nodes.get(&start.node).is_some_and(|node| start.boot.is_before(&node.boot))
        && !look.container_lives(start)
        && cannot_begin(look, start)
}

/// Whose member answers there is not off, whatever is said of its machine.
fn node_out_of_service(look: &Look<'_>, record: &Record, start: &Start) -> bool {
    let answers = || look.state(&record.replica).is_running() && look.is_here(start, &record.replica);
    let is_off = look.seen.nodes.get(&start.node).is_some_and(|node| node.out_of_service);
    is_off && !answers() && cannot_begin(look, start)
}

/// No lock was seen held; the member ran after this start, and says itself that it stopped.
fn stopped_by_its_own_word(look: &Look<'_>, record: &Record, start: &Start) -> bool {
    has_stopped(look, record, start) && look.is_ripe(&Timer::StoppedOpen(start.attempt.clone()))
}

fn has_stopped(look: &Look<'_>, record: &Record, start: &Start) -> bool {
    let busy =
        |attempt: &Attempt| attempt.container == start.container && attempt.state == AttemptState::Running;
    start.confirmed
        && start.lock != Lock::Held
        && look.is_here(start, &record.replica)
        && *look.state(&record.replica) == AppState::Stopped
        && !look.seen.attempts.values().any(busy)
}

/// A pod deleted by force leaves no report. Its lock was not seen held, or cannot be asked where
/// the data is now; the grace period is then all there is, if the resource allows it.
fn vanished_long_ago(look: &Look<'_>, record: &Record, start: &Start) -> bool {
    if look.pod_is_there(start) {
        return false;
    }
    let detached =
        look.target().detached_volume == DetachedVolume::Closed && is_detached(look, record, start);
    let waited = look.target().forced_deletion == ForcedDeletion::WaitGracePeriod
        && has_vanished(look, record, start)
        && look.is_ripe(&Timer::Vanished(start.pod.clone()));
    detached || waited
}

/// After how many seconds without its pod a start counts as over, where the resource allows that.
pub(crate) fn counts_as_over(look: &Look<'_>, record: &Record, start: &Start) -> Option<u64> {
    let waits = look.target().forced_deletion == ForcedDeletion::WaitGracePeriod;
    (waits && has_vanished(look, record, start)).then_some(look.target().grace_seconds)
}

fn has_vanished(look: &Look<'_>, record: &Record, start: &Start) -> bool {
    !look.pod_is_there(start) && (start.lock != Lock::Held || is_elsewhere(look, record, start))
}

/// The holder's pod runs on another node while the old one stayed ready.
fn is_elsewhere(look: &Look<'_>, record: &Record, start: &Start) -> bool {
    let moved = |pod: &Pod| pod.node.as_ref().is_some_and(|node| *node != start.node);
    let old_is_ready = look.seen.nodes.get(&start.node).is_some_and(|node| node.ready);
    let home = look.home(&record.holder).and_then(|name| look.pod(name));
    home.is_some_and(moved) && old_is_ready
}

fn is_detached(look: &Look<'_>, record: &Record, start: &Start) -> bool {
    let HolderId::Claims(claims) = &record.holder else { return false };
    claims.iter().all(|claim| !look.seen.attached.contains(&(claim.clone(), start.node.clone())))
}

#[cfg(test)]
mod tests;
