//! What clients are told.

use super::breach::{Breach, Rule};
use super::epoch::newest_known;
use super::evidence::{Evidence, Member, State};
use crate::names::GroupId;
use crate::observation::{Role, Status};
use crate::plan::Step;

/// 4.9: labels follow knowledge. One is given to a member seen running and confirmed in this epoch;
/// Stopped and Failed lose it at once; an Unknown only if another member is confirmed active or its
/// node is NotReady, and never the last label. Two groups: none is given.
pub(super) fn follow_knowledge(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for step in &evidence.plan.steps {
        let Step::Label { replica, active, role, .. } = step else { continue };
        let Some(member) = evidence.member(replica) else { continue };
        let what = if *active { not_earned(evidence, member) } else { kept(evidence, member) };
        if let Some(what) = what.or_else(|| wrong_role(member, *role)) {
            found.push(Breach::at(Rule::Label, replica, what));
        }
    }
    let alone = evidence.plan.steps.iter().any(|step| matches!(step, Step::Recycle { .. } | Step::Recreate));
    for member in evidence.members.iter().filter(|_| !alone) {
        let stopped = matches!(member.state, State::Stopped | State::Failed);
        if stopped && member.has_label() && !is_withdrawn(evidence, member) {
            found.push(Breach::at(
                Rule::Label,
                member.name,
                format!("answers {:?}, and keeps it", member.state),
            ));
        }
    }
}

fn not_earned(evidence: &Evidence<'_>, member: &Member<'_>) -> Option<&'static str> {
    let epoch = evidence.plan.memory.epoch.number;
    let confirmed = evidence.record_of(member).is_some_and(|record| record.confirmed == epoch && epoch > 0);
    match () {
        () if !member.state.serves() => Some("is not seen to run"),
        () if !confirmed => Some("is not confirmed"),
        () if evidence.has_two_groups() => Some("members are in two groups"),
        () => None,
    }
}

fn kept(evidence: &Evidence<'_>, member: &Member<'_>) -> Option<&'static str> {
    if member.state != State::Unknown || !member.has_label() {
        return None;
    }
    let node = member.pod().and_then(|pod| evidence.seen.nodes.get(pod.node.as_ref()?));
    let others = || evidence.members.iter().filter(|other| other.name != member.name);
    let served = others().any(|other| other.state.serves());
    let last = !others().any(|other| other.has_label() && !is_withdrawn(evidence, other));
    match () {
        () if last => Some("has the last label"),
        () if !served && node.is_none_or(|node| node.ready) => Some("gave no answer, and nobody else serves"),
        () => None,
    }
}

fn wrong_role(member: &Member<'_>, role: Option<Role>) -> Option<&'static str> {
    let wrong = match role {
        None => false,
        Some(Role::Primary) => member.state != State::Primary,
        Some(Role::Secondary) => member.state != State::Secondary,
        Some(Role::Stopped) => member.state.serves(),
    };
    wrong.then_some("has another role")
}

fn is_withdrawn(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    evidence
        .plan
        .steps
        .iter()
        .any(|step| matches!(step, Step::Label { replica, active: false, .. } if replica == member.name))
}

impl Evidence<'_> {
    /// Running members say that they belong to different groups. What is known to be of an older epoch is none of them,
    /// unless a person started it in a pause.
    pub(super) fn has_two_groups(&self) -> bool {
        let running = self.members.iter().filter(|m| m.state.serves());
        let mut groups = running.filter(|member| !self.is_older(member)).filter_map(group);
        groups.next().is_some_and(|first| groups.any(|other| other != first))
    }

    fn is_older(&self, member: &Member<'_>) -> bool {
        let Some(past) = member.holder.as_ref().map(|holder| self.past(holder)) else { return false };
        let is_former = (1..newest_known(self)).contains(&past.confirmed());
        is_former && !self.memory.paused && !past.newest().is_some_and(|old| old.joining)
    }
}

fn group<'a>(member: &Member<'a>) -> Option<&'a GroupId> {
    match &member.pod()?.status {
        Status::Answer(answer) => answer.group.as_ref(),
        _ => None,
    }
}
