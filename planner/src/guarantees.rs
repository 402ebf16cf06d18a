//! Guarantees of docs/safety.md that no table of a rule shows by itself: each case fails when
//! the one place that `docs/safety.md` names for it is taken away.

mod changes;
mod commands;
mod data;
mod starts;
mod troubles;

use crate::decision::Verdict;
use crate::fixture::{container, memory, name, record, stopped_set};
use crate::key::{Key, KeyKind};
use crate::memory::Outage;
use crate::names::PodUid;
use crate::observation::{Attempt, AttemptState, Command, Output, Role};
use crate::plan::Run;
use crate::start::{Lock, Start};
use crate::{Memory, Observation, Plan, Step, decide};

/// A command of ours in the present container of a replica.
pub(crate) fn attempt(ordinal: u32, command: Command, state: AttemptState) -> Attempt {
    Attempt {
        replica: name(ordinal),
        pod: PodUid(format!("pod-{ordinal}")),
        container: container(ordinal),
        command,
        locked: matches!(command, Command::Read | Command::Probe),
        starts: 1,
        at_rest: true,
        state,
    }
}

/// What happens to a start, and what is seen afterwards.
pub(crate) type Change = fn(&mut Start, &mut Observation);

/// Whether the start of a member that answers Stopped is over after that.
pub(crate) fn is_closed(change: Change) -> bool {
    let mut seen = stopped_set(1);
    let mut known = record(0).confirmed_in(1).open_start("a");
    known.open[0].lock = Lock::NotHeld;
    change(&mut known.open[0], &mut seen);
    decide(&seen, &memory([known])).memory.of(&name(0)).all(|record| record.open.is_empty())
}

fn ended() -> AttemptState {
    let (stdout, stderr) = (String::new(), String::new());
    AttemptState::Ended(Output { code: 0, stdout, stderr, truncated: false })
}

/// The members that serve from 0 on are labelled, as they are in a set that is well.
fn serving(replicas: u32, running: u32) -> Observation {
    let mut seen = stopped_set(replicas);
    for ordinal in 0..running {
        seen = seen.answers(ordinal, 8);
        let pod = seen.pod_mut(ordinal);
        (pod.active, pod.role) = (Some(true), Some(Role::Primary));
    }
    seen
}

pub(crate) fn ordered(mut seen: Observation, order: &[u32]) -> Observation {
    let answer = order.iter().map(|n| name(*n)).collect();
    seen.verdicts.primaries = Some(Verdict::Proposed { answer, why: String::new() });
    seen
}

fn proposed(mut seen: Observation, ordinal: u32) -> Observation {
    seen.verdicts.seed = Some(Verdict::Proposed { answer: name(ordinal), why: String::new() });
    seen
}

fn in_outage(mut known: Memory) -> Memory {
    known.outage = Some(Outage::default());
    known
}

/// As it is offered to a person who looks at this.
fn key(kind: KeyKind, subject: &str, seen: &Observation, known: &Memory) -> Key {
    Key::bound(kind, subject.to_owned(), seen, known)
}

fn runs(plan: &Plan) -> impl Iterator<Item = &Run> {
    plan.steps.iter().filter_map(|step| match step {
        Step::Run(run) => Some(run),
        _ => None,
    })
}

pub(crate) fn sends(plan: &Plan, command: Command, ordinal: u32) -> bool {
    runs(plan).any(|run| run.command == command && run.replica == name(ordinal))
}

pub(crate) fn holds(plan: &Plan, reason: &str) -> bool {
    plan.holds.iter().any(|hold| hold.reason.name() == reason)
}
