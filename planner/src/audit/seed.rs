//! When a seed may be sent at all.

use super::breach::{Breach, Rule};
use super::closing::has_restarted;
use super::evidence::{Evidence, Member, State};
use crate::key::KeyKind;
use crate::observation::{Command, Role};
use crate::plan::Run;
use crate::record::{Record, Tried};
use crate::start::StartKind;

/// 4.2: never two seeds. No Seed while any start in the set is open, whoever owes what (that of a
/// member answering Secondary excepted, unless a Promote on it is open); nobody runs or may run; the
/// member itself answers Stopped; 4.9: all labels are withdrawn before.
pub(super) fn never_two(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for run in evidence.runs().filter(|run| run.command == Command::Seed) {
        let mut breach = |what: String| found.push(Breach::at(Rule::SecondSeed, &run.replica, what));
        let Some(member) = evidence.member(&run.replica) else { continue };
        if member.state != State::Stopped {
            breach(format!("it answers {:?}", member.state));
        }
        for what in &evidence.seen.elsewhere {
            breach(format!("{what} is of the set's other workload"));
        }
        if evidence.seen.target.replicas == 0 || evidence.seen.target.primaries == 0 {
            breach("no primary is wanted".into());
        }
        for record in evidence.plan.memory.holders.values() {
            let other = record.open.iter().find(|start| start.attempt != run.attempt);
            if let Some(start) = other.filter(|_| !is_led(evidence, record)) {
                breach(format!("start {} of {} is open", start.attempt, record.replica));
            }
        }
        for other in evidence.members.iter().filter(|other| other.name != &run.replica) {
            if let Some(what) = is_in_the_way(evidence, member, other) {
                breach(format!("{} {what}", other.name));
            }
        }
        if member.has_label() {
            breach("it still has the label".into());
        }
        if evidence.anybody(State::serves) && was_tried(evidence, member) {
            breach("its seed came to nothing beside them, and nobody allowed another".into());
        }
    }
}

/// 4.7: a seed beside running secondaries that came to nothing is not sent again without a person, unless its machine
/// started anew since.
fn was_tried(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let past = member.holder.as_ref().and_then(|holder| evidence.past(holder).newest());
    let counts = |tried: &Tried| !tried.why.is_empty() || !has_restarted(evidence, &tried.node, &tried.boot);
    past.and_then(|record| record.tried.as_ref()).is_some_and(counts)
        && evidence.key(KeyKind::AcceptSeed, Some(&member.name.0)).is_none()
}

/// Its member answers Secondary, and is not being promoted.
fn is_led(evidence: &Evidence<'_>, record: &Record) -> bool {
    let secondary = evidence.place_of(&record.holder).is_some_and(|at| at.state == State::Secondary);
    secondary && record.open.iter().all(|start| start.kind != StartKind::Promote)
}

/// 4.7: the old primary itself may be seeded beside running secondaries.
fn is_in_the_way(evidence: &Evidence<'_>, seed: &Member<'_>, other: &Member<'_>) -> Option<&'static str> {
    let old = || evidence.record_of(seed).is_some_and(|record| record.last == Some(Role::Primary));
    match other.state {
        State::Primary => Some("runs as primary"),
        State::Unknown => Some("may be running"),
        State::Secondary => (!old()).then_some("runs, and the seed is not the old primary"),
        State::Stopped | State::Failed | State::Down => other.has_label().then_some("still has the label"),
    }
}

/// The seed of a plan, with the record of its data.
pub(super) fn seeds<'a>(evidence: &Evidence<'a>) -> Option<(&'a Run, &'a Record)> {
    let run = evidence.runs().find(|run| run.command == Command::Seed)?;
    Some((run, evidence.record_of(evidence.member(&run.replica)?)?))
}
