//! Repairs: what the application and the kubelet say, ripened.

use super::breach::{Breach, Rule};
use super::closing::has_ended;
use super::evidence::{Evidence, Member, State};
use crate::names::{ContainerId, ReplicaName};
use crate::observation::{AttemptState, Command, ContainerState, Refusal, Status};
use crate::plan::{Cause, Step};
use crate::start::Start;
use crate::timer::Timer;

/// A step that ends an application or its pod.
pub(super) struct Ending<'a> {
    pub(super) replica: &'a ReplicaName,
    pub(super) cause: Cause,
    pub(super) deletes: bool,
    pub(super) grace: Option<u64>,
}

impl Ending<'_> {
    /// Asked for by nobody but the look.
    pub(super) fn is_repair(&self) -> bool {
        use Cause::{CannotStart, Failed, Hung, LockBusy, StopFailed, Unconfirmed};
        matches!(self.cause, Failed | StopFailed | Hung | CannotStart | Unconfirmed | LockBusy)
    }
}

impl<'a> Evidence<'a> {
    pub(super) fn endings(&self) -> impl Iterator<Item = Ending<'a>> {
        self.plan.steps.iter().filter_map(|step| match step {
            Step::Run(run) if run.command == Command::Stop => {
                Some(Ending { replica: &run.replica, cause: run.cause, deletes: false, grace: None })
            }
            Step::Recycle { replica, cause, grace_seconds, .. } => {
                Some(Ending { replica, cause: *cause, deletes: true, grace: *grace_seconds })
            }
            _ => None,
        })
    }
}

/// 4.8: repairs have a cause that the application's own answer, the kubelet or the guard shows,
/// ripened, under a budget that is counted; one at a time; never within an attempt's deadline, nor
/// while a start past it reports progress.
pub(super) fn has_a_cause(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let repairs = evidence.endings().filter(Ending::is_repair).count();
    for ending in evidence.endings() {
        let Some(member) = evidence.member(ending.replica) else { continue };
        let mut breach = |what: String| found.push(Breach::at(Rule::Repair, ending.replica, what));
        if ending.grace == Some(0) {
            breach("its pod is deleted without grace".into());
        }
        if member.container().is_some_and(|container| evidence.is_busy(container)) && ending.deletes {
            breach("a command is within its deadline there".into());
        }
        if !ending.is_repair() {
            continue;
        }
        if !is_caused(evidence, member, &ending) {
            breach(format!("{:?} is not what is seen", ending.cause));
        }
        if repairs > 1 {
            breach("is not the only repair".into());
        }
        let before = evidence.memory.repairs.get(ending.replica).copied().unwrap_or(0);
        let after = evidence.plan.memory.repairs.get(ending.replica).copied().unwrap_or(0);
        if after <= before {
            breach(format!("is not counted ({before}, then {after})"));
        }
        if before > 0 && !evidence.ripe(&Timer::Repaired(ending.replica.clone(), before)) {
            breach("was repaired lately".into());
        }
    }
}

fn is_caused(evidence: &Evidence<'_>, member: &Member<'_>, ending: &Ending<'_>) -> bool {
    let name = || ending.replica.clone();
    let ripe = |timer: fn(ReplicaName, ContainerId) -> Timer| {
        member.container().is_some_and(|container| evidence.ripe(&timer(name(), container.clone())))
    };
    match ending.cause {
        Cause::Failed => {
            // Its own command ends it: only where none can be run its pod goes for that.
            let without_guard = member.pod().is_some_and(|pod| !pod.guarded);
            member.state == State::Failed && ripe(Timer::Failed) && (!ending.deletes || without_guard)
        }
        Cause::Hung => {
            let status = member.pod().map(|pod| &pod.status);
            status == Some(&Status::Hung { shell_answers: true }) && ripe(Timer::Hung)
        }
        Cause::CannotStart => member.pod().is_some_and(|pod| {
            let runs = pod.container.as_ref().is_some_and(|c| c.state == ContainerState::Running);
            !runs && evidence.ripe(&Timer::CannotStart(pod.uid.clone()))
        }),
        Cause::LockBusy => {
            member.state == State::Stopped && (ripe(Timer::LockBusy) || was_busy(evidence, member))
        }
        Cause::StopFailed => member.state == State::Failed && stop_failed(evidence, member),
        Cause::Unconfirmed => is_unconfirmed(evidence, member),
        _ => true,
    }
}

/// 4.2, 4.8: Failed, or Stopped with its `rc` there, or past its timeout, and not getting on.
fn is_unconfirmed(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let Some(record) = evidence.record_of(member) else { return false };
    let progress = member.pod().and_then(|pod| match &pod.status {
        Status::Answer(answer) => answer.progress.clone(),
        _ => None,
    });
    let over = |start: &Start| {
        let id = || start.attempt.clone();
        let late = evidence.ripe(&Timer::Deadline(id()));
        let stopped = member.state == State::Stopped
            && evidence.ripe(&Timer::StoppedOpen(id()))
            && (late || start.ended || has_ended(evidence, &start.attempt));
        let stuck = progress.is_none() || evidence.ripe(&Timer::NoProgress(id(), progress.clone()));
        stuck && (stopped || member.state == State::Failed || late && !member.state.serves())
    };
    let here = |start: &&Start| Some(&start.container) == member.container();
    record.open.iter().filter(here).any(over)
}

/// 4.1: our Read there met a busy lock, or is past its deadline.
fn was_busy(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    evidence.seen.attempts.values().any(|attempt| {
        let met = matches!(attempt.state, AttemptState::Refused(Refusal::LockBusy) | AttemptState::Lost(_));
        attempt.command == Command::Read && Some(&attempt.container) == member.container() && met
    })
}

/// Its `stop` was run in this very container, is over, and the member still answers Failed.
fn stop_failed(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let Some(container) = member.container() else { return false };
    let tried =
        evidence.record_of(member).is_some_and(|record| record.stop_tried.as_ref() == Some(container));
    let before = member.holder.as_ref().map(|holder| evidence.past(holder));
    let was_tried =
        before.is_some_and(|past| past.own().any(|record| record.stop_tried.as_ref() == Some(container)));
    let failed = evidence.ripe(&Timer::Failed(member.name.clone(), container.clone()));
    tried && was_tried && failed && !evidence.is_busy(container)
}
