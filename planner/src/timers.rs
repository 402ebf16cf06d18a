//! Which conditions hold in a look, and when each ripens. The shell measures; see `timer`.

use crate::app_state::AppState;
use crate::decide::known;
use crate::look::Look;
use crate::memory::Memory;
use crate::names::{ContainerId, ReplicaName};
use crate::observation::{Attempt, Command, Observation, Pod, Status};
use crate::recall::loss::away;
use crate::recall::{closing_timers, gone, is_behind};
use crate::record::{Reading, Record};
use crate::rules::close::ripens;
use crate::rules::leave::on_their_way;
use crate::rules::repair::progress;
use crate::seeding::unread_joiners;
use crate::start::{Start, StartKind};
use crate::timer::{Ripening, Timer};
use std::collections::BTreeMap;

/// Looks in a row that a trouble must last: a blip must not become an outage.
const LOOKS: u32 = 3;
/// Seconds that a member must answer Failed before it is stopped.
const FAILED: u64 = 5;
/// Seconds for which another must serve before a stopped member counts as behind it.
const BEHIND: u64 = 3;
/// Seconds without an answer before clients are sent elsewhere: a slow answer is no lost member.
const SILENT: u64 = 2;
/// Seconds that a kubelet may need to start a container, over and over, before its pod is replaced.
const CANNOT_START: u64 = 60;
/// Seconds without a change of progress after which a join past its timeout is given up.
const NO_PROGRESS: u64 = 60;
/// Seconds after which a position that could not be read is asked for again, or that of a joiner not waited for any more.
const REREAD: u64 = 30;
/// Seconds that a member must run well until its repairs are forgotten.
const WELL: u64 = 600;
/// Intervals after which an answer of a running member that was not renewed says nothing any more.
const OLD: u64 = 3;
/// Seconds before a second repair; doubled by each.
const REPAIR_PAUSE: u64 = 10;
/// The longest pause between repairs, in seconds.
const LONGEST_REPAIR_PAUSE: u64 = 600;

/// The conditions of this look.
#[must_use]
pub fn timers(seen: &Observation, memory: &Memory) -> BTreeMap<Timer, Ripening> {
    let (look, _) = known(seen, memory);
    let mut timers = closing_timers(&look);
    for name in seen.replicas.keys() {
        of_state(&look, name, &mut timers);
        if is_behind(&look, name) {
            timers.insert(Timer::Behind(name.clone()), ripening(BEHIND, LOOKS));
        }
    }
    for name in gone(&look) {
        timers.insert(Timer::Behind(name.clone()), ripening(BEHIND, LOOKS));
    }
    for (name, seconds) in away(&look) {
        timers.insert(Timer::Lost(name.clone()), ripening(seconds, LOOKS));
    }
    for (name, container) in unread_joiners(&look).filter(|_| look.memory.outage.is_some()) {
        timers.insert(Timer::Unasked(name.clone(), container.clone()), ripening(REREAD, 1));
    }
    for record in look.memory.holders.values() {
        of_starts(&look, record, &mut timers);
    }
    for (name, count) in &look.memory.repairs {
        let pause =
            REPAIR_PAUSE.saturating_mul(1 << count.saturating_sub(1).min(10)).min(LONGEST_REPAIR_PAUSE);
        timers.insert(Timer::Repaired(name.clone(), *count), ripening(pause, 1));
    }
    let size = seen.workload.as_ref().map_or(0, |workload| workload.replicas);
    let may_act = !seen.target.paused && seen.foreign.is_none();
    for (name, seconds) in on_their_way(&look, size, WELL).filter(|_| may_act) {
        timers.insert(Timer::Leaving(name.clone()), ripening(seconds, 1));
    }
    of_rehearsals(&look, &mut timers);
    timers
}

fn of_rehearsals(look: &Look<'_>, timers: &mut BTreeMap<Timer, Ripening>) {
    let Some(interval) = look.target().rehearsal_interval else { return };
    for rehearsal in look.memory.rehearsals.values() {
        let attempt = &rehearsal.attempt;
        timers.insert(Timer::Rehearsed(attempt.clone()), ripening(interval, 1));
        let old = interval.saturating_mul(OLD);
        timers.insert(Timer::RehearsalOld(attempt.clone()), ripening(old, 1));
    }
}

fn ripening(seconds: u64, looks: u32) -> Ripening {
    Ripening { seconds, looks }
}

fn of_state(look: &Look<'_>, name: &ReplicaName, timers: &mut BTreeMap<Timer, Ripening>) {
    let Some(pod) = look.pod(name) else { return };
    let container = pod.live_container();
    match (look.state(name), container) {
        (AppState::Failed(_), Some(id)) => {
            timers.insert(Timer::Failed(name.clone(), id.clone()), ripening(FAILED, LOOKS));
        }
        (AppState::Unknown(_), Some(id)) if is_hung(pod) => {
            timers.insert(Timer::Silent(name.clone(), id.clone()), ripening(SILENT, LOOKS));
            let patience = look.target().timeouts.status.saturating_mul(u64::from(LOOKS));
            timers.insert(Timer::Hung(name.clone(), id.clone()), ripening(patience, LOOKS));
        }
        (AppState::Unknown(_), Some(id)) => {
            timers.insert(Timer::Silent(name.clone(), id.clone()), ripening(SILENT, LOOKS));
        }
        (AppState::Down(_), _) if !pod.terminating && !pod.finished => {
            timers.insert(Timer::CannotStart(pod.uid.clone()), ripening(CANNOT_START, LOOKS));
        }
        (AppState::Primary | AppState::Secondary, id) => {
            timers.insert(Timer::Well(name.clone()), ripening(WELL, 1));
            let unread = look.record(name).and_then(|record| record.running.as_ref());
            let unread = unread.is_some_and(|taken| taken.position().is_none());
            if let Some(id) = id.filter(|id| unread && !is_being_read(look, id)) {
                timers.insert(Timer::Unreadable(name.clone(), id.clone()), ripening(REREAD, 1));
            }
        }
        (AppState::Stopped, Some(id)) => of_stopped(look, name, id, timers),
        _ => {}
    }
}

fn of_stopped(look: &Look<'_>, name: &ReplicaName, id: &ContainerId, timers: &mut BTreeMap<Timer, Ripening>) {
    let Some(record) = look.record(name) else { return };
    if record.lock_busy {
        let ripening = ripening(look.target().grace_seconds, LOOKS);
        timers.insert(Timer::LockBusy(name.clone(), id.clone()), ripening);
    }
    if (record.lock_busy || is_unreadable(record)) && !is_being_read(look, id) {
        timers.insert(Timer::Unreadable(name.clone(), id.clone()), ripening(REREAD, 1));
    }
}

/// The wait before the next question begins with the answer to this one.
fn is_being_read(look: &Look<'_>, container: &ContainerId) -> bool {
    let reads = |attempt: &Attempt| attempt.container == *container && attempt.command == Command::Read;
    look.seen.attempts.values().any(reads)
}

fn is_hung(pod: &Pod) -> bool {
    matches!(pod.status, Status::Hung { shell_answers: true })
}

fn is_unreadable(record: &Record) -> bool {
    record.standing().is_some_and(|taken| matches!(taken.reading, Reading::Unreadable(_)))
}

fn of_starts(look: &Look<'_>, record: &Record, timers: &mut BTreeMap<Timer, Ripening>) {
    for start in &record.open {
        let attempt = start.attempt.clone();
        if !start.ended || !start.confirmed {
            timers.insert(Timer::Deadline(attempt.clone()), ripening(timeout(look, start), 1));
        }
        if !start.confirmed {
            let progress = progress(look, &record.replica);
            timers.insert(Timer::NoProgress(attempt.clone(), progress), ripening(NO_PROGRESS, 1));
        }
        if ripens(look, record, start) {
            timers.insert(Timer::StoppedOpen(attempt), ripening(0, LOOKS));
        }
    }
}

fn timeout(look: &Look<'_>, start: &Start) -> u64 {
    let timeouts = look.target().timeouts;
    match start.kind {
        StartKind::Seed => timeouts.seed,
        StartKind::Join | StartKind::Promote | StartKind::Found => timeouts.primary,
        StartKind::Follow | StartKind::Demote => timeouts.secondary,
    }
}

#[cfg(test)]
mod tests;
