//! What proves that nothing a start brought to life is alive any more.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, State};
use crate::key::KeyKind;
use crate::names::{AttemptId, BootId, NodeName};
use crate::observation::{Attempt, AttemptState, Command, Container, ContainerState, Fate, Refusal};
use crate::record::{HolderId, Record};
use crate::start::{Lock, Start, StartKind};
use crate::target::{DetachedVolume, ForcedDeletion};
use crate::timer::Timer;

/// 4.2: a start stays open until one of the proofs there is seen; an exit code, `Stopped` or a
/// vanished pod closes nothing by itself.
pub(super) fn with_proof(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for record in evidence.remembered() {
        let open = evidence.after(&record.holder).map(|after| after.open.as_slice()).unwrap_or_default();
        for start in evidence.past(&record.holder).open() {
            let stays = open.iter().any(|still| still.attempt == start.attempt);
            if !stays && !is_over(evidence, record, &start) && !is_folded(evidence, record, &start) {
                found.push(Breach::at(
                    Rule::Unproven,
                    &record.replica,
                    format!("{} is closed", start.attempt),
                ));
            }
        }
    }
}

fn is_over(evidence: &Evidence<'_>, record: &Record, start: &Start) -> bool {
    never_began(evidence, start)
        || evidence.seen.fates.get(&start.attempt) == Some(&Fate::Over)
        || lock_was_taken(evidence, record, start)
        || ended_for_good(evidence, start)
        || stopped_without_lock(evidence, record, start)
        || vanished(evidence, &record.holder, start)
        || evidence.key(KeyKind::AssertFenced, Some(&start.pod.0)).is_some()
}

/// It was revoked, or its guard answered 123 or 124 and left no `rc`.
pub(super) fn never_began(evidence: &Evidence<'_>, start: &Start) -> bool {
    let refused = AttemptState::Refused(Refusal::LockBusy);
    let no_lock = AttemptState::Refused(Refusal::NoLock);
    matches!(evidence.seen.fates.get(&start.attempt), Some(Fate::Revoked | Fate::Refused))
        || evidence
            .seen
            .attempts
            .get(&start.attempt)
            .is_some_and(|attempt| attempt.state == refused || attempt.state == no_lock)
}

/// Its lock, seen held, was taken by us on the same node and boot, after the last start. Which boot that is now need not
/// be known.
fn lock_was_taken(evidence: &Evidence<'_>, record: &Record, start: &Start) -> bool {
    let starts = evidence.past(&record.holder).starts();
    let Some(member) = evidence.place_of(&record.holder) else { return false };
    let Some(pod) = member.pod() else { return false };
    let is_of = |boot: &BootId| boot.0.is_empty() || *boot == start.boot;
    let took = |attempt: &Attempt| {
        matches!(attempt.command, Command::Read | Command::Probe)
            && matches!(attempt.state, AttemptState::Ended(_))
            && attempt.locked
            && attempt.pod == pod.uid
            && attempt.starts >= starts
    };
    start.lock == Lock::Held
        && pod.node.as_ref() == Some(&start.node)
        && evidence.seen.nodes.get(&start.node).is_some_and(|node| is_of(&node.boot))
        && evidence.seen.attempts.values().any(took)
}

/// It can no longer begin, and its container, the machine's boot or the machine is over.
fn ended_for_good(evidence: &Evidence<'_>, start: &Start) -> bool {
    let node = evidence.seen.nodes.get(&start.node);
    let rebooted = has_restarted(evidence, &start.node, &start.boot) && !is_reported_running(evidence, start);
    let off = node.is_some_and(|node| node.out_of_service) && !serves_by(evidence, start);
    (rebooted || off || was_reported_ended(evidence, start)) && cannot_begin(evidence, start)
}

/// A member answers in the container of this start that it serves.
fn serves_by(evidence: &Evidence<'_>, start: &Start) -> bool {
    let mut serving = evidence.members.iter().filter(|member| member.state.serves());
    serving.any(|member| member.container() == Some(&start.container))
}

/// This node is in another boot than that one by now. One that is not told proves nothing.
pub(super) fn has_restarted(evidence: &Evidence<'_>, node: &NodeName, boot: &BootId) -> bool {
    let known = |boot: &BootId| !boot.0.is_empty();
    let now = evidence.seen.nodes.get(node).map(|node| &node.boot);
    now.is_some_and(|now| known(now) && known(boot) && now != boot)
}

/// What pods tell of the container of a start.
fn reported<'a>(evidence: &Evidence<'a>, start: &Start) -> impl Iterator<Item = &'a Container> {
    let told = evidence.members.iter().filter_map(|member| member.pod()?.container.as_ref());
    told.filter(|container| container.id.as_ref() == Some(&start.container))
}

/// No container outlives a boot: where it runs, another boot was told late, and is no proof.
fn is_reported_running(evidence: &Evidence<'_>, start: &Start) -> bool {
    reported(evidence, start).any(|container| container.state == ContainerState::Running)
}

fn was_reported_ended(evidence: &Evidence<'_>, start: &Start) -> bool {
    evidence.seen.terminated.contains(&start.container)
        || reported(evidence, start).any(|container| {
            matches!(&container.state, ContainerState::Terminated(why) if why != "ContainerStatusUnknown")
        })
}

/// Its member was seen to run in its container, or its pod is gone or ended for good: it begins in no other one.
fn cannot_begin(evidence: &Evidence<'_>, start: &Start) -> bool {
    let finished = || {
        let mut pods = evidence.members.iter().filter_map(|member| member.pod());
        pods.any(|pod| pod.uid == start.pod && pod.finished)
    };
    start.kind == StartKind::Found || start.confirmed || evidence.is_gone(&start.pod) || finished()
}

/// Its lock not seen held: that member, confirmed after it, answered Stopped in two looks in the
/// start's own container with no guarded command in flight.
fn stopped_without_lock(evidence: &Evidence<'_>, record: &Record, start: &Start) -> bool {
    let busy =
        |attempt: &Attempt| attempt.container == start.container && attempt.state == AttemptState::Running;
    let Some(member) = evidence.place_of(&record.holder) else { return false };
    start.lock != Lock::Held
        && start.confirmed
        && member.state == State::Stopped
        && member.container() == Some(&start.container)
        && evidence.ripe(&Timer::StoppedOpen(start.attempt.clone()))
        && !evidence.seen.attempts.values().any(busy)
}

/// Its pod gone unreported: after the grace period where that is asked for, unless its lock was seen
/// held and nothing shows that the old node let go of it; or its volume is detached.
fn vanished(evidence: &Evidence<'_>, holder: &HolderId, start: &Start) -> bool {
    let target = &evidence.seen.target;
    let node = evidence.seen.nodes.get(&start.node);
    let elsewhere = || {
        let pod = evidence.place_of(holder).and_then(|member| member.pod());
        pod.and_then(|pod| pod.node.as_ref()).is_some_and(|now| now != &start.node)
            && node.is_some_and(|node| node.ready)
    };
    let waited = target.forced_deletion == ForcedDeletion::WaitGracePeriod
        && evidence.ripe(&Timer::Vanished(start.pod.clone()))
        && (start.lock != Lock::Held || elsewhere());
    evidence.is_gone(&start.pod)
        && (waited
            || target.detached_volume == DetachedVolume::Closed && is_detached(evidence, holder, start))
}

fn is_detached(evidence: &Evidence<'_>, holder: &HolderId, start: &Start) -> bool {
    let HolderId::Claims(claims) = holder else { return false };
    !claims.iter().any(|claim| evidence.seen.attached.iter().any(|(c, n)| c == claim && n == &start.node))
}

/// Section 2, Step: on a running member a start of its own is folded into the one before when the
/// member is seen running after its `rc`, as what it was told to be or past the time for that.
fn is_folded(evidence: &Evidence<'_>, record: &Record, start: &Start) -> bool {
    let turned = matches!(start.kind, StartKind::Promote | StartKind::Demote | StartKind::Follow);
    let Some(member) = evidence.place_of(&record.holder) else { return false };
    let Some(here) = member.container() else { return false };
    let before = evidence.past(&record.holder);
    let made_it =
        |other: &Start| other.attempt != start.attempt && other.container == *here && before.knew(other);
    turned
        && member.state.serves()
        && (start.container == *here || evidence.came_late(start, here))
        && (start.ended || has_ended(evidence, &start.attempt))
        && (start.confirmed || is_as_told(member.state, start.kind) || evidence.is_late(start))
        && evidence.after(&record.holder).is_some_and(|after| after.open.iter().any(made_it))
}

/// The member answers what it was told to be.
pub(super) fn is_as_told(state: State, kind: StartKind) -> bool {
    match kind {
        StartKind::Promote => state == State::Primary,
        StartKind::Demote => state == State::Secondary,
        _ => true,
    }
}

/// Its exit code is known.
pub(super) fn has_ended(evidence: &Evidence<'_>, attempt: &AttemptId) -> bool {
    matches!(evidence.seen.attempts.get(attempt).map(|a| &a.state), Some(AttemptState::Ended(_)))
        || matches!(evidence.seen.fates.get(attempt), Some(Fate::Ended(_)))
}
