//! What a person is offered.

use std::collections::BTreeSet;

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, State};
use super::owed::standing;
use crate::hold::{Hold, Reason};
use crate::key::{Key, KeyKind};
use crate::record::{HolderId, Reading, Record};

/// 4.10: no key gives up data, or vouches for an end, while a correction is known that brings the member back with that
/// data; and the keys of one look never give up all data that is there. Where data ends with its pod a person asked for
/// another pod, and who wants no member any more wants no data.
pub(super) fn spares_what_can_be_kept(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let offered = |hold: &&Hold| !matches!(hold.reason, Reason::DataAlone(..));
    let keys: Vec<&Key> = evidence.plan.holds.iter().flat_map(|hold| &hold.keys).collect();
    for record in evidence.plan.memory.holders.values().filter(|record| recovers(evidence, record)) {
        let is_unknown = match standing(evidence, record).map(|taken| &taken.reading) {
            None | Some(Reading::Unreadable(_)) => true,
            Some(Reading::At(_) | Reading::Empty) => false,
        };
        if is_unknown && keys.iter().any(|key| gives_up(evidence, key, record)) {
            found.push(Breach::at(
                Rule::Offer,
                &record.replica,
                "what a correction brings back may be given up",
            ));
        }
        let vouched = |key: &&&Key| key.kind == KeyKind::AssertFenced;
        let of_record = |key: &Key| {
            record.open.iter().any(|start| start.pod.0 == key.subject && is_known(evidence, &start.node))
        };
        if keys.iter().filter(vouched).any(|key| of_record(key)) {
            found.push(Breach::at(
                Rule::Offer,
                &record.replica,
                "a correction shows whether its start is over",
            ));
        }
    }
    let of_data: Vec<&Key> = evidence.plan.holds.iter().filter(offered).flat_map(|hold| &hold.keys).collect();
    let all: BTreeSet<&HolderId> = evidence
        .plan
        .memory
        .holders
        .values()
        .filter(|record| has_data(evidence, record))
        .map(|record| &record.holder)
        .collect();
    let is_given_up = |holder: &&HolderId| {
        let record = &evidence.plan.memory.holders[*holder];
        of_data.iter().any(|key| gives_up(evidence, key, record))
    };
    if evidence.seen.target.replicas > 0 && !all.is_empty() && all.iter().all(is_given_up) {
        found.push(Breach::of_set(Rule::Offer, "all data that is there may be given up"));
    }
}

/// The data is at a member that has no container, and a correction brings that member back.
fn recovers(evidence: &Evidence<'_>, record: &Record) -> bool {
    evidence.place_of(&record.holder).is_some_and(|member| {
        member.state == State::Down && member.replica.absence.as_ref().is_some_and(|absence| absence.recovers)
    })
}

/// Nothing says that the node is lost.
fn is_known(evidence: &Evidence<'_>, node: &crate::names::NodeName) -> bool {
    evidence.seen.nodes.get(node).is_some_and(|node| node.ready || node.boot.0.is_empty())
}

/// A key about a replica of which other data is gone is about that.
fn gives_up(evidence: &Evidence<'_>, key: &Key, record: &Record) -> bool {
    let is_gone = |other: &Record| {
        other.replica == record.replica
            && !(other.ended || other.waived)
            && evidence.place_of(&other.holder).is_none()
            && (other.confirmed == evidence.plan.memory.epoch.number || other.joining)
    };
    key.kind == KeyKind::AcceptLoss
        && key.subject == record.replica.0
        && !evidence.plan.memory.holders.values().any(is_gone)
}

fn has_data(evidence: &Evidence<'_>, record: &Record) -> bool {
    let was_used = record.confirmed > 0 || record.starts > 0 || record.copied_from.is_some();
    let is_known = match standing(evidence, record).map(|taken| &taken.reading) {
        Some(Reading::At(_)) => !record.is_new(),
        Some(Reading::Unreadable(_)) => true,
        Some(Reading::Empty) => false,
        None => was_used,
    };
    is_known
        && !(record.ended || record.waived || record.joining)
        && evidence.place_of(&record.holder).is_some()
}
