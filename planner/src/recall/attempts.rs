//! What the commands of this leader brought to light.

use crate::decision::Judgement;
use crate::look::Look;
use crate::names::{AttemptId, BootId, NodeName};
use crate::observation::{Attempt, AttemptState, Command, Fate, Output, Refusal};
use crate::plan::News;
use crate::position::LONGEST;
use crate::record::{HolderId, Reading, Record, Taken};
use crate::start::{Lock, Start};

/// How much of a raw output is kept beside its reading, in bytes: enough for a person.
const RAW: usize = 1024;

/// How much of the last line of a start is kept for a person, in bytes.
const SAID: usize = 200;

/// What a `sequence` says that does not end.
const OVERDUE: &str = "sequence did not end within its timeout";

pub(super) fn absorb_attempts(look: &mut Look<'_>, _: &mut Vec<News>) {
    let seen = look.seen;
    for (id, fate) in &seen.fates {
        absorb_fate(look, id, *fate);
    }
    for (id, attempt) in &seen.attempts {
        match (&attempt.state, attempt.command) {
            (AttemptState::Refused(Refusal::NoLock), _) => {
                look.memory.lockless.insert(attempt.container.clone());
                drop_start(look, id);
            }
            (AttemptState::Refused(Refusal::LockBusy), Command::Probe) => {
                mark_lock(look, attempt, Lock::Held)
            }
            (AttemptState::Refused(Refusal::LockBusy), _) => {
                note_busy(look, attempt);
                drop_start(look, id);
            }
            (AttemptState::Ended(_), Command::Probe) => mark_lock(look, attempt, Lock::NotHeld),
            (AttemptState::Ended(_) | AttemptState::Overdue, Command::Read) => {
                absorb_reading(look, id, attempt)
            }
            (AttemptState::Ended(output), command) if command.is_start() => {
                absorb_fate(look, id, Fate::Ended(output.code));
                let said = last_words(output);
                each_start(look, id, |start| start.said.clone_from(&said));
            }
            _ => {}
        }
    }
}

/// A start that was revoked, or refused by the guard for its lock, never began. One that arrived in
/// another pod says nothing: the same request may have begun before in its own.
fn absorb_fate(look: &mut Look<'_>, id: &AttemptId, fate: Fate) {
    if matches!(fate, Fate::Began | Fate::Ended(_)) {
        follow_to_container(look, id);
    }
    match fate {
        Fate::Revoked | Fate::Refused => drop_start(look, id),
        Fate::Ended(code) => each_start(look, id, |start| {
            (start.began, start.ended) = (true, true);
            if start.said.is_empty() {
                start.said = format!("exit {code}");
            }
        }),
        Fate::Began | Fate::Over => each_start(look, id, |start| start.began = true),
    }
}

/// It was asked where another container runs by now, and is not said to have begun before that one: it may have come late,
/// and run there. What its own stream ended with says nothing of where.
fn follow_to_container(look: &mut Look<'_>, id: &AttemptId) {
    let seen = look.seen;
    if seen.attempts.contains_key(id) {
        return;
    }
    let pods = seen.replicas.values().filter_map(|replica| replica.pod.as_ref());
    for (pod, container) in pods.filter_map(|pod| Some((pod, pod.live_container()?))) {
        let boot = pod.node.as_ref().and_then(|node| seen.nodes.get(node)).map(|node| &node.boot);
        each_start(look, id, |start| {
            if start.pod == pod.uid && start.container != *container && !start.confirmed {
                start.container = container.clone();
                start.boot = boot.unwrap_or(&start.boot).clone();
            }
        });
    }
}

/// It never began: the data is as it was.
fn drop_start(look: &mut Look<'_>, id: &AttemptId) {
    for record in look.memory.holders.values_mut() {
        if let Some(start) = record.open.iter().find(|start| start.attempt == *id) {
            record.joining = start.joining_before;
        }
        record.open.retain(|start| start.attempt != *id);
    }
}

fn each_start(look: &mut Look<'_>, id: &AttemptId, change: impl Fn(&mut Start)) {
    look.memory
        .holders
        .values_mut()
        .flat_map(|record| &mut record.open)
        .filter(|s| s.attempt == *id)
        .for_each(change);
}

/// The probe asked after the command had ended: whoever holds the lock is the application.
fn mark_lock(look: &mut Look<'_>, probe: &Attempt, lock: Lock) {
    let starts = look.memory.holders.values_mut().flat_map(|record| &mut record.open);
    for start in starts
        .filter(|start| start.container == probe.container && start.ended && start.lock == Lock::Unasked)
    {
        start.lock = lock;
    }
}

/// A reading counts for the data that the replica has now, if the container is still the same.
fn absorb_reading(look: &mut Look<'_>, id: &AttemptId, attempt: &Attempt) {
    let Some((holder, node, boot)) = place(look, attempt).filter(|_| !look.was_paused) else { return };
    let Some((Judgement { reading, facts }, raw)) = said(look, id, attempt) else { return };
    let is_running = look.state(&attempt.replica).is_running();
    let measure = look.measure();
    let cut = matches!(reading, Reading::Unreadable(_)) && is_too_long(look, id, attempt);
    let wants_lock = look.takes_lock(&attempt.container);
    let Some(record) = look.memory.holders.get_mut(&holder) else { return };
    let unlocked = wants_lock && attempt.at_rest && !attempt.locked;
    if attempt.starts != record.starts || attempt.at_rest == is_running || unlocked {
        return;
    }
    let container = attempt.container.clone();
    let taken = Taken { reading, starts: attempt.starts, container, measure, cut, facts, raw };
    record.lock_busy &= attempt.state == AttemptState::Overdue;
    // One that did not end may never have come as far as the lock.
    if attempt.locked && attempt.state != AttemptState::Overdue {
        close_locked(record, &node, &boot);
    }
    if is_running {
        record.running = Some(taken);
    } else if record.open.is_empty() {
        record.reading = Some(taken);
    }
}

/// What the policy made of the output, with the output. A command that does not end says nothing.
fn said(look: &Look<'_>, id: &AttemptId, attempt: &Attempt) -> Option<(Judgement, String)> {
    match &attempt.state {
        AttemptState::Ended(output) => {
            Some((bounded(look.seen.verdicts.readings.get(id)?), cut(&output.stdout, RAW)))
        }
        AttemptState::Overdue => Some((Reading::Unreadable(OVERDUE.to_owned()).into(), String::new())),
        _ => None,
    }
}

/// The output, or the position in it, is longer than what can be kept.
fn is_too_long(look: &Look<'_>, id: &AttemptId, attempt: &Attempt) -> bool {
    let judged = look.seen.verdicts.readings.get(id).map(|judged| &judged.reading);
    let is_long = matches!(judged, Some(Reading::At(_)));
    // One that failed says nothing of the data, however much it wrote.
    matches!(&attempt.state, AttemptState::Ended(output) if output.code == 0 && (output.truncated || is_long))
}

/// The lock that the application was seen to hold was ours for a moment: it is gone.
fn close_locked(record: &mut Record, node: &NodeName, boot: &BootId) {
    record.close(|start| start.lock == Lock::Held && start.was_in(node, boot));
}

/// Somebody writes on the volume of a member that says it is stopped.
fn note_busy(look: &mut Look<'_>, attempt: &Attempt) {
    let Some((holder, _, _)) = place(look, attempt) else { return };
    if let Some(record) = look.memory.holders.get_mut(&holder) {
        record.lock_busy = true;
    }
}

fn place(look: &Look<'_>, attempt: &Attempt) -> Option<(HolderId, NodeName, BootId)> {
    let pod = look.pod(&attempt.replica)?;
    let same = pod.uid == attempt.pod && pod.live_container() == Some(&attempt.container);
    let node = pod.node.clone().filter(|_| same)?;
    let boot = look.seen.nodes.get(&node)?.boot.clone();
    Some((look.holder(&attempt.replica)?.clone(), node, boot))
}

pub(super) fn bounded(judged: &Judgement) -> Judgement {
    match &judged.reading {
        Reading::At(position) if position.to_string().len() > LONGEST => {
            Reading::Unreadable(format!("the position is longer than {LONGEST} bytes")).into()
        }
        _ => judged.clone(),
    }
}

/// The exit code and the last line that the command wrote, as an error if it wrote any.
fn last_words(output: &Output) -> String {
    let mut lines = output.stdout.lines().chain(output.stderr.lines()).map(str::trim);
    match lines.rfind(|line| !line.is_empty()) {
        Some(line) => format!("exit {}: {}", output.code, cut(line, SAID)),
        None => format!("exit {}", output.code),
    }
}

fn cut(text: &str, most: usize) -> String {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

#[cfg(test)]
mod tests;
