//! Which keys a person sees. None gives up data, or vouches for an end, while a correction is known that brings the member
//! back with its data; and no look offers to give up all data that is there.

use std::collections::BTreeSet;

use crate::app_state::AppState;
use crate::hold::{Hold, Reason, Scope};
use crate::key::{Key, KeyKind};
use crate::look::Look;
use crate::observation::Node;
use crate::plan::Plan;
use crate::position::LONGEST;
use crate::recall::keys::given_up_by;
use crate::record::{HolderId, Reading, Record, Taken};
use crate::rules::seed::{accept_seed, waits_for_a_name_alone};
use crate::start::Start;

/// Says why members do not run, and takes away the keys that nobody should need.
pub(crate) fn offer(look: &Look<'_>, plan: &mut Plan) {
    for hold in &mut plan.holds {
        hold.cause = cause(look, hold);
        hold.keys.retain(|key| !is_premature(look, key));
    }
    let is_idle = plan.steps.is_empty() && waits_for_a_name_alone(look);
    let named = if is_idle { accept_seed(look, &[]) } else { Vec::new() };
    let stopped = |name: &str| *look.state(&name.into()) == AppState::Stopped;
    let named: Vec<String> = named.into_iter().map(|(_, name)| name).filter(|name| stopped(name)).collect();
    spare_the_last(look, &mut plan.holds, &named);
}

/// What a person corrects so that the hold ends without loss, where that is known.
fn cause(look: &Look<'_>, hold: &Hold) -> Option<String> {
    let Scope::Replica(name) = &hold.scope else { return None };
    let is_of_data = matches!(hold.reason, Reason::Unread(..) | Reason::LostData(..));
    let is_of_member =
        matches!(hold.reason, Reason::NotRunning(..) | Reason::StartOpen { .. } | Reason::NoPromotion(..));
    let absence = look.absence(name).filter(|_| is_of_data || is_of_member);
    let is_cut = is_of_data && look.record(name).and_then(Record::standing).is_some_and(|taken| taken.cut);
    let too_long = || format!("OutputTooLong: commands.sequence may print {LONGEST} bytes on each stream");
    absence.map(|absence| absence.why.clone()).or_else(|| is_cut.then(too_long))
}

/// A correction is known that brings back what the key gives up, or shows whether what it vouches for is so.
fn is_premature(look: &Look<'_>, key: &Key) -> bool {
    match key.kind {
        KeyKind::AcceptLoss => {
            let given_up = given_up_by(look, &key.subject);
            given_up
                .iter()
                .filter_map(|holder| look.memory.holders.get(holder))
                .any(|it| is_readable(look, it))
        }
        KeyKind::AssertFenced => {
            let is_meant = |record: &&Record| {
                let of_pod = |start: &Start| start.pod.0 == key.subject && !is_on_lost_node(look, start);
                recovers(look, record) && record.open.iter().any(of_pod)
            };
            look.memory.holders.values().any(|record| is_meant(&record))
        }
        _ => false,
    }
}

/// It is not known what the data holds, and a correction lets it be read.
fn is_readable(look: &Look<'_>, record: &Record) -> bool {
    match record.standing() {
        None => recovers(look, record),
        Some(Taken { reading: Reading::Unreadable(_), cut, .. }) => {
            look.home(&record.holder).is_some() && (*cut || recovers(look, record))
        }
        Some(_) => false,
    }
}

/// The data is there, and a correction brings back its member.
fn recovers(look: &Look<'_>, record: &Record) -> bool {
    let absence = look.home(&record.holder).and_then(|name| look.absence(name));
    absence.is_some_and(|absence| absence.recovers)
}

/// The API server does not know the node, or its kubelet is silent. A node that may not be seen has no boot.
fn is_on_lost_node(look: &Look<'_>, start: &Start) -> bool {
    let is_lost = |node: &Node| !node.ready && !node.boot.0.is_empty();
    look.seen.nodes.get(&start.node).is_none_or(is_lost)
}

/// All data that is there is never offered to be given up. One of these may be named instead.
fn spare_the_last(look: &Look<'_>, holds: &mut [Hold], named: &[String]) {
    let all: BTreeSet<&HolderId> = look
        .memory
        .holders
        .values()
        .filter(|record| has_data(look, record))
        .map(|record| &record.holder)
        .collect();
    let keys = holds.iter().filter(|hold| counts(hold)).flat_map(|hold| &hold.keys);
    let given_up: BTreeSet<HolderId> = keys
        .filter(|key| key.kind == KeyKind::AcceptLoss)
        .flat_map(|key| given_up_by(look, &key.subject))
        .collect();
    if look.target().replicas == 0 || all.is_empty() || !all.iter().all(|holder| given_up.contains(*holder)) {
        return;
    }
    let is_of_data = |key: &Key| {
        key.kind == KeyKind::AcceptLoss
            && given_up_by(look, &key.subject).iter().any(|holder| all.contains(holder))
    };
    for hold in holds.iter_mut().filter(|hold| counts(hold)) {
        let spared: Vec<Key> = hold.keys.extract_if(.., |key| is_of_data(key)).collect();
        let seeds = spared.into_iter().filter(|key| named.contains(&key.subject));
        let seeds = seeds.map(|key| Key::bound(KeyKind::AcceptSeed, key.subject, look.seen, &look.memory));
        for seed in seeds {
            if !hold.keys.contains(&seed) {
                hold.keys.push(seed);
            }
        }
    }
}

/// Where data ends with its pod a person asked for another pod.
fn counts(hold: &Hold) -> bool {
    !matches!(hold.reason, Reason::DataAlone(..))
}

/// Its data is whole, not given up before, and there: not where it was read as empty, and not where nobody knows of any.
fn has_data(look: &Look<'_>, record: &Record) -> bool {
    let was_used = record.confirmed > 0 || record.starts > 0 || record.copied_from.is_some();
    let is_known = match record.standing().map(|taken| &taken.reading) {
        Some(Reading::At(_)) => !record.is_new(),
        Some(Reading::Unreadable(_)) => true,
        Some(Reading::Empty) => false,
        None => was_used,
    };
    let is_out = record.ended || record.waived || record.joining;
    is_known && !is_out && look.home(&record.holder).is_some()
}

#[cfg(test)]
mod tests;
