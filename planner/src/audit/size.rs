//! How many pods there are.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, Member, State};
use super::least::gives_up;
use super::owed::standing;
use crate::key::KeyKind;
use crate::observation::Role;
use crate::plan::Step;
use crate::record::Record;
use crate::target::{Failover, Identities};
use crate::timer::Timer;

/// 4.8: one that leaves is first Stopped, its starts closed, its reading taken; where that cannot be had
/// it leaves after its timeout. 4.3: Resize brings back who owes a reading. Section 2, Memory: a set
/// that was scaled to 0 does not come back with fewer, unless a person says so. 4.10: only the key
/// deletes the StatefulSet.
pub(super) fn takes_nobody_away(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let mut breach = |rule, what: String| found.push(Breach::of_set(rule, what));
    for step in &evidence.plan.steps {
        match step {
            Step::Resize { to, if_from, released, .. } => {
                if evidence.seen.workload.as_ref().is_none_or(|workload| workload.replicas != *if_from) {
                    breach(Rule::Size, format!("{if_from} is not the size now"));
                }
                let what = match evidence.seen.target.identities {
                    Identities::GivenOnce => gives_up(evidence, *to, released),
                    Identities::Numbered if !released.is_empty() => Some("numbers have no names".to_owned()),
                    Identities::Numbered if to < if_from => shrinks(evidence, *to, *if_from),
                    Identities::Numbered => grows(evidence, *to, *if_from),
                };
                if let Some(what) = what {
                    breach(Rule::Size, what);
                }
            }
            Step::Recreate => {
                let differs = evidence.seen.workload.as_ref().is_some_and(|w| w.immutable.is_some());
                if !differs || evidence.key(KeyKind::Recreate, None).is_none() {
                    breach(Rule::Key, "the StatefulSet is deleted, and nobody allowed it".into());
                }
            }
            _ => {}
        }
    }
    let (before, after) = (evidence.memory.restore_replicas, evidence.plan.memory.restore_replicas);
    if let Some(size) = before.filter(|size| after.is_none_or(|now| now < *size)) {
        let wanted = evidence.seen.target.replicas;
        if wanted < size && !has_accepted(evidence) && !evidence.anybody(State::serves) {
            breach(Rule::Size, format!("it is forgotten that {size} replicas were before"));
        }
    }
}

fn shrinks(evidence: &Evidence<'_>, to: u32, from: u32) -> Option<String> {
    let target = evidence.seen.target.replicas;
    if to < target {
        return Some(format!("{to} is less than is wanted"));
    }
    let mut leaving = evidence.members.iter().filter(|member| (to..from).contains(&member.replica.ordinal));
    leaving.find_map(|member| {
        if is_lost_primary(evidence, member) {
            return Some(format!("{} was primary, and nobody has its place", member.name));
        }
        let what = stays(evidence, member)?;
        let late = evidence.ripe(&Timer::Leaving(member.name.clone()));
        (!late).then(|| format!("{} {what}", member.name))
    })
}

/// 4.8: the last answer of this member was Primary, and none of those that run is one. What it holds may be in its place
/// alone, and time does not change that; a person may give it up.
pub(super) fn is_lost_primary(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let target = &evidence.seen.target;
    let newest = evidence.plan.memory.epoch.number;
    let led = |record: &Record| {
        record.last == Some(Role::Primary)
            && record.confirmed == newest
            && !(record.joining || record.waived || record.left)
    };
    target.has_secondary
        && (target.failover != Failover::Never || !target.identities.are_numbers())
        && target.primaries.min(target.replicas) > 0
        && newest > 0
        && !member.state.serves()
        && target.has_claims()
        && evidence.record_of(member).is_some_and(led)
        && evidence.anybody(|state| state == State::Secondary)
        && !evidence.anybody(|state| state == State::Primary)
}

pub(super) fn stays(evidence: &Evidence<'_>, member: &Member<'_>) -> Option<&'static str> {
    let record = evidence.record_of(member);
    let newest = evidence.plan.memory.epoch.number;
    let owes =
        |record: &&Record| record.confirmed == newest && newest > 0 && !record.joining && !record.waived;
    match member.state {
        _ if member.pod().is_none() => None,
        State::Primary | State::Secondary => Some("runs"),
        State::Unknown => Some("may be running"),
        _ if record.is_some_and(|record| !record.open.is_empty()) => Some("has an open start"),
        _ if record.filter(owes).is_some_and(|record| standing(evidence, record).is_none()) => {
            Some("is not read")
        }
        _ => None,
    }
}

fn grows(evidence: &Evidence<'_>, to: u32, from: u32) -> Option<String> {
    let wanted = evidence.seen.target.replicas;
    let newest = evidence.plan.memory.epoch.number;
    let owed = |member: &&Member<'_>| {
        let named = evidence.plan.memory.outage.as_ref().and_then(|outage| outage.named.as_ref());
        let may_owe = |record: &Record| {
            record.confirmed == newest || record.confirmed == 0 || named == Some(&record.holder)
        };
        evidence.record_of(member).is_some_and(may_owe)
    };
    let owing = evidence.members.iter().filter(owed).map(|member| member.replica.ordinal.saturating_add(1));
    let most = owing.max().unwrap_or(0).max(wanted);
    let before = evidence.memory.restore_replicas.filter(|size| from == 0 && wanted < *size);
    match before {
        _ if to > most => Some(format!("{to} are more than are wanted or owe a reading")),
        Some(size) if !has_accepted(evidence) => Some(format!("{size} replicas were before")),
        _ => None,
    }
}

fn has_accepted(evidence: &Evidence<'_>) -> bool {
    let wanted = evidence.seen.target.replicas.to_string();
    evidence.key(KeyKind::AcceptSize, Some(&wanted)).is_some()
}
