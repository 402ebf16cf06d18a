//! Who leads in place of a primary that is away, though no start says so.

use super::breach::{Breach, Rule};
use super::epoch::newest_known;
use super::evidence::{Evidence, Member, State};
use super::led::last_role;
use crate::observation::Role;
use crate::record::Record;
use crate::start::StartKind;
use crate::timer::Timer;

/// 4.7: what an old primary holds may be no part of what another writes that was turned by a person, or too late: that
/// one begins an epoch, as soon as it is clear that nobody who led leads on.
pub(super) fn begins_an_epoch(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let goes_on = evidence.plan.memory.epoch.number == newest_known(evidence);
    if !goes_on || is_ahead(evidence) || evidence.has_two_groups() {
        return;
    }
    if !is_clear(evidence) {
        return;
    }
    if let Some(member) = of_last(evidence) {
        let what = "leads in place of one that is away, in that one's epoch";
        found.push(Breach::at(Rule::Epoch, member.name, what));
    }
}

/// A member that took over from a primary of the epoch that is known everywhere: where the claims are ahead of the
/// status, an operator died when it had written the next one to some of them.
pub(super) fn of_last<'e, 'a>(evidence: &'e Evidence<'a>) -> Option<&'e Member<'a>> {
    let epoch = newest_known(evidence) - u64::from(is_ahead(evidence));
    let was = |member: &Member<'a>, role: Role| {
        member.takes_writes() && before(evidence, member).is_some_and(|old| is_as(evidence, old, epoch, role))
    };
    let leads_on = || evidence.members.iter().any(|member| was(member, Role::Primary));
    let is_away = |leader: &&Member<'a>| {
        let mut lost =
            evidence.plan.memory.holders.values().filter(|record| is_lost(evidence, record, epoch));
        let was_raised = was_raised(evidence, leader);
        lost.any(|record| !was_raised || !is_unheard(evidence, record))
    };
    evidence
        .members
        .iter()
        .filter(|_| !leads_on())
        .find(|member| was(member, Role::Secondary) && is_away(member))
}

/// A promotion that was to add a primary was sent to where it runs, and nobody saw it lead before.
fn was_raised(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let starts = member.holder.as_ref().map(|holder| evidence.past(holder).open()).unwrap_or_default();
    let mut here = starts.iter().filter(|start| member.container() == Some(&start.container));
    here.any(|start| start.kind == StartKind::Promote && !(start.confirmed || start.opens))
}

fn is_unheard(evidence: &Evidence<'_>, record: &Record) -> bool {
    evidence.member(&record.replica).is_some_and(|member| member.state == State::Unknown)
}

/// Some claims name the epoch after the one that the status names.
pub(super) fn is_ahead(evidence: &Evidence<'_>) -> bool {
    let told = evidence.memory.epoch.number;
    told + 1 == newest_known(evidence) && (told > 0 || evidence.memory.outage.is_some())
}

fn before<'a>(evidence: &Evidence<'a>, member: &Member<'_>) -> Option<&'a Record> {
    evidence.past(member.holder.as_ref()?).newest()
}

fn is_as(evidence: &Evidence<'_>, old: &Record, epoch: u64, role: Role) -> bool {
    old.confirmed == epoch && !old.joining && last_role(evidence, &old.holder) == Some(role)
}

/// Another leads in its place, in an epoch that is still to begin: what it holds may be no part of that.
pub(super) fn is_superseded(evidence: &Evidence<'_>, record: &Record) -> bool {
    let epoch = newest_known(evidence);
    epoch == evidence.plan.memory.epoch.number
        && is_lost(evidence, record, epoch)
        && of_last(evidence).is_some()
}

/// It led in this epoch, does not run, and was not given up: also where it was seen to leave while another served, for
/// that may have been who took over.
fn is_lost(evidence: &Evidence<'_>, record: &Record, epoch: u64) -> bool {
    let Some(old) = evidence.past(&record.holder).newest() else { return false };
    let serves = evidence.member(&record.replica).is_some_and(|member| member.state.serves());
    is_as(evidence, old, epoch, Role::Primary) && !serves && !old.waived && !record.ended
}

/// Each is heard, or is silent or failing for long.
pub(super) fn is_clear(evidence: &Evidence<'_>) -> bool {
    !evidence.members.iter().any(|member| is_unclear(evidence, member))
}

/// It gave no answer, or a bad one, for a moment only.
fn is_unclear(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let Some(pod) = member.pod().filter(|pod| !pod.terminating) else { return false };
    let Some(id) = pod.container.as_ref().and_then(|container| container.id.clone()) else { return false };
    match member.state {
        State::Unknown => !evidence.ripe(&Timer::Silent(member.name.clone(), id)),
        State::Failed => !evidence.ripe(&Timer::Failed(member.name.clone(), id)),
        _ => false,
    }
}
