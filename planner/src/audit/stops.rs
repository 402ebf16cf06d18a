//! Stops and deletions that the resource asks for.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, Member, State};
use super::least::{may_go, may_stay};
use super::owed::standing;
use super::repair::Ending;
use crate::observation::Pod;
use crate::plan::Cause;
use crate::record::Record;
use crate::start::Start;
use crate::target::{Rollout, Storage};

/// 4.8: stops that the spec asks for have their own cause: a size that does not want the member, a
/// template that it was not made from (one at a time, while all others run; first stopped, its starts
/// closed), one that runs in an epoch that is over (4.7), a pod without the guard (4.1), made from
/// another template than the wanted one, a pod that ended.
pub(super) fn only_as_asked(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for ending in evidence.endings().filter(|ending| !ending.is_repair()) {
        let Some(member) = evidence.member(ending.replica) else { continue };
        if !is_asked(evidence, member, &ending) {
            let what = format!("{:?} does not ask for it", ending.cause);
            found.push(Breach::at(Rule::Stop, ending.replica, what));
        }
        if evidence.has_two_groups() && member.state.serves() && ending.cause != Cause::Size {
            found.push(Breach::at(Rule::Stop, ending.replica, "members are in two groups"));
        }
    }
}

fn is_asked(evidence: &Evidence<'_>, member: &Member<'_>, ending: &Ending<'_>) -> bool {
    let target = &evidence.seen.target;
    let Some(pod) = member.pod() else { return false };
    let wanted = evidence.seen.workload.as_ref().filter(|workload| workload.is_current());
    let older = || wanted.is_some_and(|wanted| wanted.revision != pod.revision);
    let is_still = || !member.state.serves() && member.state != State::Unknown;
    let at_rest = || is_still() && !has_open(evidence, member);
    let is_idle = || is_still() && !may_have_begun(evidence, member, pod);
    match ending.cause {
        Cause::Size => {
            may_go(evidence, member) && (!ending.deletes || at_rest() && is_read(evidence, member))
        }
        Cause::Template => {
            let allowed = if ending.deletes { is_idle() } else { all_others_run(evidence, member) };
            older() && target.rollout == Rollout::RollingUpdate && allowed
        }
        Cause::Unguarded => {
            let graceful = ending.grace.is_none() && all_others_run(evidence, member);
            !pod.guarded && older() && ending.deletes && (is_idle() || member.state.serves() && graceful)
        }
        Cause::Finished => {
            let unclaimed =
                matches!(target.storage, Storage::Claims { .. }) && member.replica.claims.is_empty();
            ending.deletes && (pod.finished || unclaimed) && !member.state.serves()
        }
        Cause::Epoch => {
            let record = evidence.record_of(member);
            let older = record.is_none_or(|record| record.confirmed < evidence.plan.memory.epoch.number);
            member.state.serves()
                && older
                && (evidence.has_live_primary()
                    || newest_is_over(evidence)
                    || is_in_the_way(evidence, member))
        }
        _ => false,
    }
}

/// It leads, and members of the newest epoch, which the status names, follow nobody.
fn is_in_the_way(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let (target, newest) = (&evidence.seen.target, evidence.plan.memory.epoch.number);
    let follows = |other: &Member<'_>| {
        let is_newest = |record: &Record| record.confirmed == newest && !record.joining;
        other.state == State::Secondary && evidence.record_of(other).is_some_and(is_newest)
    };
    let is_led = target.has_secondary && target.primaries > 0 && evidence.memory.epoch.number == newest;
    is_led && member.takes_writes() && evidence.members.iter().any(follows)
}

/// Nobody of the newest epoch runs, or may, and somebody of it is at rest or none of it is left.
fn newest_is_over(evidence: &Evidence<'_>) -> bool {
    let newest = evidence.plan.memory.epoch.number;
    let is_newest = |record: &Record| record.confirmed == newest && !record.joining;
    let of_newest = |member: &&Member<'_>| evidence.record_of(member).is_some_and(is_newest);
    let is_silent = |member: &Member<'_>| matches!(member.state, State::Unknown | State::Failed);
    let is_left =
        |record: &&Record| is_newest(record) && !record.waived && evidence.place_of(&record.holder).is_some();
    let is_gone =
        || !evidence.plan.memory.holders.values().any(|record| is_left(&record)) && !may_live(evidence);
    (evidence.members.iter().filter(of_newest).any(|member| member.state == State::Stopped) || is_gone())
        && !evidence.members.iter().filter(of_newest).any(|member| member.state.serves())
        && !evidence.members.iter().any(is_silent)
}

/// A start is open that is not what a member runs by.
fn may_live(evidence: &Evidence<'_>) -> bool {
    let here = |record: &Record, start: &Start| {
        let member = evidence.place_of(&record.holder).filter(|member| member.state.serves());
        member.and_then(Member::pod).and_then(Pod::container_id) == Some(&start.container)
    };
    let mut records = evidence.plan.memory.holders.values();
    records.any(|record| record.open.iter().any(|start| !here(record, start)))
}

/// Its reading is what shows that nothing was started on its data since.
fn is_read(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    evidence.record_of(member).is_some_and(|record| standing(evidence, record).is_some())
}

fn has_open(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    evidence.record_of(member).is_some_and(|record| !record.open.is_empty())
}

/// A start is open that this pod may have run. Where its container never ran, only one that was sent into it counts.
fn may_have_begun(evidence: &Evidence<'_>, member: &Member<'_>, pod: &Pod) -> bool {
    let may_be_here = |start: &Start| start.pod == pod.uid || !pod.never_ran;
    evidence.record_of(member).is_some_and(|record| record.open.iter().any(may_be_here))
}

fn all_others_run(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let others = evidence.members.iter().filter(|other| other.name != member.name);
    let mut wanted_others = others.filter(|other| may_stay(evidence, other));
    wanted_others.all(|other| other.state.serves())
}
