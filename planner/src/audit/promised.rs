//! What a start leaves behind before it is sent.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, Member};
use super::forgotten::is_being_replaced;
use super::owed::standing;
use crate::names::ContainerId;
use crate::observation::Command;
use crate::plan::Run;
use crate::position::Position;
use crate::record::{Reading, Record, Taken};
use crate::start::{Start, StartKind};

/// Section 2, Start: {attempt, pod, container, node, boot} is written to claim and status *before* the
/// command. Each start that is sent is written once, on the data that it is sent to and as that is
/// seen; each that is written is sent, or was found running.
pub(super) fn before_it_is_sent(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for run in evidence.runs().filter(|run| run.command.is_start()) {
        if let Err(what) = is_promised(evidence, run) {
            found.push(Breach::at(Rule::Unpromised, &run.replica, what));
        }
    }
    for record in evidence.plan.memory.holders.values().filter(|record| !record.open.is_empty()) {
        let past = evidence.past(&record.holder);
        for start in record.open.iter().filter(|start| !past.knew(start)) {
            let sent = evidence.runs().any(|run| run.attempt == start.attempt && run.command.is_start());
            if !sent && !was_found(evidence, record, start) {
                found.push(Breach::at(
                    Rule::Unpromised,
                    &record.replica,
                    format!("{} is not sent", start.attempt),
                ));
            }
        }
    }
    for member in evidence.members.iter().filter(|member| member.state.serves()) {
        let here = |start: &Start| Some(&start.container) == member.container();
        if evidence.record_of(member).is_some_and(|record| !record.open.iter().any(here)) {
            found.push(Breach::at(Rule::Unpromised, member.name, "runs, and no start says so"));
        }
    }
}

/// 4.2: no start on a holder with an open one, but Promote, Demote, Follow on the running member that
/// it made.
pub(super) fn one_start_at_a_time(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for run in evidence.runs().filter(|run| run.command.is_start()) {
        let Some(member) = evidence.member(&run.replica) else { continue };
        let turns = matches!(run.command, Command::Promote | Command::Demote | Command::Follow);
        let made_it = |start: &&Start| turns && member.state.serves() && start.container == run.if_container;
        let others = evidence.record_of(member).map(|record| record.open.as_slice()).unwrap_or_default();
        let other = others.iter().filter(|start| start.attempt != run.attempt).find(|start| !made_it(start));
        if let Some(other) = other {
            let what = format!("{:?} while {} is open", run.command, other.attempt);
            found.push(Breach::at(Rule::SecondStart, &run.replica, what));
        }
    }
}

fn is_promised(evidence: &Evidence<'_>, run: &Run) -> Result<(), String> {
    let written = |record: &Record| record.open.iter().filter(|start| start.attempt == run.attempt).count();
    if evidence.plan.memory.holders.values().map(written).sum::<usize>() != 1 {
        return Err(format!("{} is not written once", run.attempt));
    }
    let member = evidence.member(&run.replica).ok_or("it is not seen")?;
    let record = evidence.record_of(member).ok_or("its data is not known")?;
    let start = record.open.iter().find(|start| start.attempt == run.attempt);
    let start = start.ok_or("it is written on other data")?;
    let past = evidence.past(&record.holder);
    if evidence.past_anywhere(start) {
        return Err(format!("{} was used before", run.attempt));
    }
    if !is_as_seen(evidence, member, start, &run.if_container) || !is_kind(start.kind, run.command) {
        return Err(format!("{} is not written as it is sent", run.attempt));
    }
    if !is_from_what_was_read(evidence, member, record, start) {
        return Err(format!("{} is not written with what it begins from", run.attempt));
    }
    let new = record.open.iter().filter(|start| !past.knew(start)).count() as u64;
    let old = past.all().map(|record| record.starts).max().unwrap_or(0);
    if record.starts <= old || record.starts > old.saturating_add(new) {
        return Err(format!("{} starts are counted after {old}", record.starts));
    }
    let destroys = matches!(run.command, Command::Join | Command::Follow) && !member.state.serves();
    // Seen running it has joined, in this very look.
    let has_joined = member.state.serves() && !record.joining;
    let was_joining = !has_joined && is_being_replaced(evidence, &past);
    match () {
        () if destroys && !record.joining => Err("its data is to be replaced, and is not said to be".into()),
        () if was_joining && !start.joining_before => Err("its data was being replaced already".into()),
        () => Ok(()),
    }
}

fn is_as_seen(evidence: &Evidence<'_>, member: &Member<'_>, start: &Start, container: &ContainerId) -> bool {
    let Some(pod) = member.pod() else { return false };
    let boot = evidence.seen.nodes.get(&start.node).map(|node| &node.boot);
    pod.uid == start.pod
        && pod.node.as_ref() == Some(&start.node)
        && container == &start.container
        && boot == Some(&start.boot)
        && !start.confirmed
        && !start.ended
        && start.opens == is_first(evidence, start.kind)
}

/// An epoch begins with it: nobody who is of the newest one leads.
fn is_first(evidence: &Evidence<'_>, kind: StartKind) -> bool {
    kind == StartKind::Seed || kind == StartKind::Promote && !evidence.has_live_primary()
}

/// It begins from what was read of this data, by the measure of that; from nothing, by that of now.
fn is_from_what_was_read(
    evidence: &Evidence<'_>,
    member: &Member<'_>,
    record: &Record,
    start: &Start,
) -> bool {
    let read = if member.state.serves() { record.running.as_ref() } else { standing(evidence, record) };
    let now = evidence.plan.memory.outages;
    let is_now = start.measure.outage == now && start.measure.reader == evidence.seen.reader;
    match (read, &start.from) {
        (Some(taken), from) if *from == position(taken) => start.measure == taken.measure,
        (Some(_), None) => member.state.serves() && is_now,
        (Some(_), Some(_)) => false,
        (None, from) => from.is_none() && is_now,
    }
}

fn position(taken: &Taken) -> Option<Position> {
    match &taken.reading {
        Reading::At(position) => Some(position.clone()),
        Reading::Empty | Reading::Unreadable(_) => None,
    }
}

fn is_kind(kind: StartKind, command: Command) -> bool {
    match command {
        Command::Seed => kind == StartKind::Seed,
        Command::Join => kind == StartKind::Join,
        Command::Follow => kind == StartKind::Follow,
        Command::Promote => kind == StartKind::Promote,
        Command::Demote => kind == StartKind::Demote,
        Command::Read | Command::Rehearse | Command::Stop | Command::Probe => false,
    }
}

/// 4.9: a member seen running without an open start gets one written.
fn was_found(evidence: &Evidence<'_>, record: &Record, start: &Start) -> bool {
    let Some(member) = evidence.place_of(&record.holder) else { return false };
    let pod = member.pod().map(|pod| &pod.uid);
    let past = evidence.past(&record.holder);
    let mut read = past.all().filter_map(|old| old.reading.as_ref());
    let was_read = |taken: &Taken| position(taken) == start.from && taken.measure == start.measure;
    start.kind == StartKind::Found
        && start.opens == evidence.memory.paused
        && (start.from.is_none() || read.any(was_read))
        && member.state.serves()
        && pod == Some(&start.pod)
        && member.container() == Some(&start.container)
}
