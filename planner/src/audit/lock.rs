//! The volume lock: when it is asked for, and what is known of it.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, State};
use crate::key::KeyKind;
use crate::names::ContainerId;
use crate::observation::{Attempt, AttemptState, Command, Refusal};
use crate::plan::Run;
use crate::record::Record;
use crate::start::{Lock, Start, StartKind};

/// 4.1: MOUNT is given for Seed, Join, Follow and Read of a stopped member (and for a probe), and is
/// empty for Stop and for Promote, Demote, Follow or Read of a running one; also where no lock can be
/// had.
pub(super) fn asked_for_when_it_must_be(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for run in evidence.runs() {
        let Some(member) = evidence.member(&run.replica) else { continue };
        let wanted = has_lock(evidence, &run.if_container) && at_rest(run, member.state);
        if run.lock != wanted {
            let what = format!("{:?} {} the lock", run.command, if run.lock { "takes" } else { "skips" });
            found.push(Breach::at(Rule::LockFlag, &run.replica, what));
        }
    }
}

fn at_rest(run: &Run, state: State) -> bool {
    match run.command {
        Command::Seed | Command::Join | Command::Probe => true,
        Command::Follow | Command::Read => !state.serves(),
        Command::Promote | Command::Demote | Command::Stop | Command::Rehearse => false,
    }
}

/// Whether a volume lock is to be had in this container, as the plan remembers it.
pub(super) fn has_lock(evidence: &Evidence<'_>, container: &ContainerId) -> bool {
    evidence.seen.target.has_lock() && !evidence.plan.memory.lockless.contains(container)
}

/// 4.1: 123 = seen held, and a probe that ended = seen free, and only that: a mark that nobody saw would close a start
/// that is alive. A command that is sent after it makes it unknown again.
/// A container is without a lock after 124, or because a person vouches for it.
pub(super) fn marked_only_as_seen(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for record in evidence.plan.memory.holders.values().filter(|record| !record.open.is_empty()) {
        let past = evidence.past(&record.holder);
        let restored = past.restored().iter().flat_map(|record| record.open.iter().cloned());
        let known: Vec<Start> = past.open().into_iter().chain(restored).collect();
        for start in record.open.iter().filter(|start| !is_as_seen(evidence, record, start, &known)) {
            let what = format!("the lock of {} is {:?}", start.attempt, start.lock);
            found.push(Breach::at(Rule::LockMark, &record.replica, what));
        }
    }
    for container in evidence.plan.memory.lockless.difference(&evidence.memory.lockless) {
        let fenced = || evidence.key(KeyKind::AssertFenced, None).is_some();
        if !was_refused(evidence, container, Refusal::NoLock) && !fenced() {
            found.push(Breach::of_set(Rule::LockMark, format!("{container} is said to have no lock")));
        }
    }
}

/// Its mark is one that was known, or what this look shows.
fn is_as_seen(evidence: &Evidence<'_>, record: &Record, start: &Start, known: &[Start]) -> bool {
    let mut before = known.iter().filter(|known| known.attempt == start.attempt).map(|known| known.lock);
    let is_new = before.clone().next().is_none();
    before.clone().any(|lock| lock == start.lock)
        || match start.lock {
            Lock::Held => was_refused(evidence, &start.container, Refusal::LockBusy),
            Lock::NotHeld if is_new => start.kind == StartKind::Found,
            Lock::NotHeld => before.all(|lock| lock == Lock::Unasked) && was_free(evidence, &start.container),
            Lock::Unasked => is_new || is_turned(evidence, record, start, known),
        }
}

/// A probe got the lock.
fn was_free(evidence: &Evidence<'_>, container: &ContainerId) -> bool {
    let free = |attempt: &Attempt| {
        attempt.locked && attempt.command == Command::Probe && matches!(attempt.state, AttemptState::Ended(_))
    };
    evidence.seen.attempts.values().any(|attempt| &attempt.container == container && free(attempt))
}

/// A command goes to its container now, or what turned it is folded into it.
fn is_turned(evidence: &Evidence<'_>, record: &Record, start: &Start, known: &[Start]) -> bool {
    let sent = |run: &Run| run.command.is_start() && run.if_container == start.container;
    let is_left = |known: &&Start| record.open.iter().any(|start| start.attempt == known.attempt);
    let here = &start.container;
    let mut others = known.iter().filter(|known| known.container == *here || evidence.came_late(known, here));
    evidence.runs().any(sent) || others.any(|known| !is_left(&known))
}

fn was_refused(evidence: &Evidence<'_>, container: &ContainerId, why: Refusal) -> bool {
    let refused = |attempt: &Attempt| attempt.locked && attempt.state == AttemptState::Refused(why);
    evidence.seen.attempts.values().any(|attempt| &attempt.container == container && refused(attempt))
}
