//! An epoch that begins in a set that runs, without a member that is lost.

use super::breach::{Breach, Rule};
use super::candidates::last_outage;
use super::epoch::newest_known;
use super::evidence::{Evidence, Member, State};
use super::extent::Extent;
use super::forgotten::is_being_replaced;
use super::line::newest_bound;
use super::owed::standing;
use super::past::Past;
use crate::measure::Measure;
use crate::memory::Base;
use crate::observation::{Pod, Role};
use crate::position::Position;
use crate::record::{Reading, Record};
use crate::start::Start;
use crate::start::StartKind::{Join, Promote, Seed};
use crate::target::{Failover, Identities, Mode};
use crate::timer::Timer;

/// 4.8: where another identity takes the place of a member that cannot be read, an epoch begins without it, and nobody
/// else: with what one that led and leads on says that it holds. What others owe they owe in it.
pub(super) fn is_without_the_lost_alone(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let now = &evidence.plan.memory.epoch;
    if now.without.is_empty() || now.number == newest_known(evidence) {
        return;
    }
    let mut breach = |what: String| found.push(Breach::of_set(Rule::Epoch, what));
    let target = &evidence.seen.target;
    let is_allowed = target.identities == Identities::GivenOnce && target.replace_after.is_some();
    if !is_allowed || target.mode != Mode::Auto {
        breach("an epoch begins without somebody, and nobody allowed that".to_owned());
    }
    if evidence.memory.outage.is_some() || !is_said(evidence, now.base.as_ref()) {
        breach("nobody that leads said what the epoch begins with".to_owned());
    }
    for record in evidence.remembered() {
        if let Some(what) = is_wrong(evidence, record, now.without.contains(&record.holder)) {
            breach(format!("{} {what}", record.replica));
        }
    }
}

fn is_wrong(evidence: &Evidence<'_>, record: &Record, is_given_up: bool) -> Option<&'static str> {
    let counted = counted(evidence, record);
    let now = evidence.plan.memory.epoch.number;
    let is_of_it = || evidence.after(&record.holder).is_none_or(|after| after.confirmed == now);
    match is_given_up {
        true if !counted => Some("has nothing that could be given up"),
        true if !is_lost(evidence, record) => Some("is given up, and is not lost"),
        true if !is_allowed(evidence, record) => Some("is given up, which the resource does not allow"),
        false if counted && !is_of_it() => Some("is left in the epoch before, where nobody reads it"),
        _ => None,
    }
}

/// Its data would have to be read in an outage.
fn counted(evidence: &Evidence<'_>, record: &Record) -> bool {
    let past = evidence.past(&record.holder);
    let Some(old) = past.newest() else { return false };
    let is_number = |reading: &Reading| matches!(reading, Reading::At(Position::Ordinal(_)));
    let now = evidence.after(&record.holder).unwrap_or(old);
    let is_behind = old.left && standing(evidence, now).is_some_and(|taken| is_number(&taken.reading));
    let newest = newest_known(evidence);
    let goes = old.waived || old.ended || is_behind || is_being_replaced(evidence, &past);
    newest > 0 && old.confirmed == newest && !goes
}

fn is_allowed(evidence: &Evidence<'_>, record: &Record) -> bool {
    let past = evidence.past(&record.holder);
    let last = past.newest().and_then(|old| old.last);
    let leads = |start: &Start| !start.confirmed && matches!(start.kind, Seed | Join | Promote);
    match evidence.seen.target.failover {
        Failover::Never => false,
        Failover::NoKnownLoss => last == Some(Role::Secondary) && !past.open().iter().any(leads),
        Failover::AllowLoss => true,
    }
}

/// Its claims are gone, or nothing was heard of it for the whole time, and its machine is not heard of, or has no pod of it.
pub(super) fn is_lost(evidence: &Evidence<'_>, record: &Record) -> bool {
    let is_away = |member: &Member<'_>| {
        let Some(pod) = member.pod() else { return true };
        let node = pod.node.as_ref().map(|node| evidence.seen.nodes.get(node));
        let is_tried =
            evidence.plan.memory.good.as_ref() == Some(&pod.revision) || is_placed_with(evidence, pod);
        let is_placed = node.map_or(!is_tried, |node| node.is_none_or(|node| node.ready));
        matches!(member.state, State::Down | State::Unknown)
            && (pod.finished || pod.terminating || !is_placed)
    };
    let is_late = evidence.ripe(&Timer::Lost(record.replica.clone()));
    is_late && evidence.place_of(&record.holder).is_none_or(is_away)
}

/// Some pod of the same template has a node.
fn is_placed_with(evidence: &Evidence<'_>, pod: &Pod) -> bool {
    let mut pods = evidence.members.iter().filter_map(Member::pod);
    pods.any(|other| other.revision == pod.revision && other.node.is_some())
}

/// By a member that led in the epoch before and leads on, while it ran.
fn is_said(evidence: &Evidence<'_>, base: Option<&Base>) -> bool {
    let measure = Measure { outage: last_outage(evidence), reader: evidence.seen.reader.clone() };
    let is_base =
        |held: Extent<'_>| base.is_some_and(|b| *held.position == b.position && *held.measure == b.measure);
    evidence.members.iter().filter(|member| member.takes_writes()).any(|member| {
        let Some(record) = evidence.record_of(member) else { return false };
        let past = evidence.past(&record.holder);
        let led = past.newest().is_some_and(|old| {
            old.last == Some(Role::Primary) && old.confirmed == newest_known(evidence) && !old.joining
        });
        led && newest_bound(evidence, record, &past, &measure).is_some_and(is_base)
    })
}

/// It was of the epoch before, which this one began beside it.
pub(super) fn is_carried_over(evidence: &Evidence<'_>, record: &Record, past: &Past<'_>) -> bool {
    let now = &evidence.plan.memory.epoch;
    !now.without.is_empty()
        && !now.without.contains(&record.holder)
        && !is_being_replaced(evidence, past)
        && past.confirmed() + 1 == now.number
}

/// The epoch began without it.
pub(super) fn is_given_up(evidence: &Evidence<'_>, record: &Record) -> bool {
    let now = &evidence.plan.memory.epoch;
    now.without.contains(&record.holder) && record.confirmed + 1 == now.number
}
