//! No primary runs: a secondary is promoted after the old primary is surely gone, if it holds all that
//! is known; else the old primary itself starts beside them.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::{Command, Pod, Role};
use crate::ordering::{self, lower_bound, members, secondaries};
use crate::plan::{Cause, News};
use crate::planned::waits_for_old;
use crate::position::Position;
use crate::record::{Reading, Record, Tried};
use crate::rules::close::start_open;
use crate::rules::seed::reread;
use crate::seeding::is_below_base;
use crate::start::{Start, StartKind};
use crate::target::Failover;
use crate::timer::Timer;
use crate::veto;
use crate::went_back::went_back;

pub(crate) fn fail_over(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    if let Some(record) = may_be_alive(look) {
        let start = &record.open[0];
        let reason = start_open(look, record, start);
        draft.hold_replica(&record.replica, reason, &[(KeyKind::AssertFenced, start.pod.to_string())]);
        return Flow::On;
    }
    if is_promoting(look) {
        return Flow::On;
    }
    let lost: Vec<&Record> = lost_primaries(look).collect();
    // Once the old primary is given up, a follower that is not heard may hold more than those that are.
    let owed = if lost.is_empty() { unheard_followers(look) } else { lost.clone() };
    let unread_run = read_running(draft);
    let unread_lost = read_owed(draft, &owed);
    let loss_allowed = look.target().failover == Failover::AllowLoss && !waits_for_old(look);
    if unread_run || (unread_lost && !loss_allowed) {
        return Flow::On;
    }
    choose(draft, &owed, lost.is_empty())
}

/// Whether a running secondary is still to be asked how much it holds at least. One that gave no
/// position is asked again later.
fn read_running(draft: &mut Draft<'_>) -> bool {
    let secondaries: Vec<&ReplicaName> = secondaries(draft.look).collect();
    ask_running(draft, &secondaries)
}

/// The same of these.
pub(crate) fn ask_running(draft: &mut Draft<'_>, names: &[&ReplicaName]) -> bool {
    let look = draft.look;
    let unread: Vec<&ReplicaName> = names.iter().filter(|name| said(look, name).is_none()).copied().collect();
    for name in &unread {
        draft.run(name, Command::Read, Cause::Answer);
        draft.hold_replica(name, Reason::Unread((*name).clone(), None), &[]);
    }
    for name in names.iter().filter(|name| lower_bound(look, name).is_none()) {
        let Some(container) = look.pod(name).and_then(Pod::live_container) else { continue };
        if look.is_ripe(&Timer::Unreadable((*name).clone(), container.clone())) {
            draft.run(name, Command::Read, Cause::Answer);
        }
    }
    !unread.is_empty()
}

/// What a running member answered since its primary was lost, a position or not.
fn said<'b>(look: &'b Look<'_>, name: &ReplicaName) -> Option<&'b Reading> {
    ordering::said(look, look.record(name)?).map(|taken| &taken.reading)
}

/// Whether what a member that does not run holds is still to be had. One that gave no position is asked again later.
fn read_owed(draft: &mut Draft<'_>, owed: &[&Record]) -> bool {
    let look = draft.look;
    owed.iter().for_each(|record| reread(draft, record));
    let unread: Vec<&&Record> = owed.iter().filter(|record| record.standing().is_none()).collect();
    for record in &unread {
        let at_home = look.home(&record.holder).filter(|name| *look.state(name) == AppState::Stopped);
        if let Some(name) = at_home.filter(|_| record.open.is_empty()) {
            draft.run(name, Command::Read, Cause::Answer);
        }
        hold(draft, record, "its position is not known".to_owned());
    }
    !unread.is_empty()
}

fn hold(draft: &mut Draft<'_>, record: &Record, why: String) {
    let name = &record.replica;
    draft.hold_replica(
        name,
        Reason::NoPromotion(name.clone(), why),
        &[(KeyKind::AcceptLoss, name.to_string())],
    );
}

fn choose(draft: &mut Draft<'_>, owed: &[&Record], given_up: bool) -> Flow {
    let look = draft.look;
    let candidates = members(look);
    if candidates.is_empty() {
        // What keeps each of them from being one is held for by name.
        return Flow::On;
    }
    let order = match veto::order(look, &candidates) {
        Ok(order) => order,
        Err(reason) => {
            draft.hold(reason, &[]);
            return Flow::On;
        }
    };
    if look.target().failover != Failover::AllowLoss && hold_went_back(draft, owed) {
        return Flow::On;
    }
    // The position of data that went back does not say what else it held.
    let includes = |name: &ReplicaName, record: &Record| match (lower_bound(look, name), record.position()) {
        (Some(mine), Some(owed)) => mine.includes(owed) && went_back(&look.memory, record).is_none(),
        _ => false,
    };
    let safe = order.iter().find(|name| owed.iter().all(|record| includes(name, record)));
    match (look.target().failover, safe, order.first()) {
        // A person gave up the old primary, or its data went with its pod: nothing can come back.
        (_, Some(name), _) if given_up => draft.run_alone(name, Command::Promote, Cause::Answer),
        (Failover::NoKnownLoss | Failover::AllowLoss, Some(name), _) => {
            draft.run_alone(name, Command::Promote, Cause::Answer)
        }
        (Failover::AllowLoss, None, Some(name)) if !waits_for_old(look) => {
            let flow = draft.run_alone(name, Command::Promote, Cause::Answer);
            if draft.has_step(name) {
                let beyond = owed.iter().filter(|record| !includes(name, record));
                draft.plan.news.extend(beyond.map(|record| News::LossAccepted(record.replica.clone())));
            }
            flow
        }
        _ if given_up => {
            let why = "it holds what no running secondary holds".to_owned();
            owed.iter().for_each(|record| hold(draft, record, why.clone()));
            Flow::On
        }
        _ => seed_old_primary(draft, owed),
    }
}

/// Whether the position of one of these went back, which a person has to accept.
fn hold_went_back(draft: &mut Draft<'_>, owed: &[&Record]) -> bool {
    let look = draft.look;
    let back = owed.iter().filter_map(|record| Some((&record.replica, went_back(&look.memory, record)?)));
    let reasons: Vec<_> = back.map(|(name, back)| (name, back.reason(name))).collect();
    for (name, reason) in &reasons {
        draft.hold_replica(name, reason.clone(), &[(KeyKind::AcceptLoss, name.to_string())]);
    }
    !reasons.is_empty()
}

/// Followers of this epoch of which it is not known how much they hold: they do not run, their pod is
/// away, they are silent, or they run and cannot be read.
fn unheard_followers<'b>(look: &'b Look<'_>) -> Vec<&'b Record> {
    let epoch = look.epoch();
    let is_heard = |name: &ReplicaName| {
        look.state(name).is_running() && !matches!(said(look, name), Some(Reading::Unreadable(_)))
    };
    let is_unheard = |record: &&Record| {
        let of_epoch = record.confirmed == epoch && !record.joining && !record.waived && !record.ended;
        of_epoch && !record.is_behind() && !look.home(&record.holder).is_some_and(is_heard)
    };
    look.memory.holders.values().filter(is_unheard).collect()
}

/// No secondary has it all: the old primary itself starts beside them, if it holds what they have and is not known to
/// lack what the epoch began with; of several, one that holds what the others have, too. What one of them held that
/// cannot be read, nobody is known to hold.
fn seed_old_primary(draft: &mut Draft<'_>, lost: &[&Record]) -> Flow {
    let look = draft.look;
    let unreadable: Vec<&&Record> = lost.iter().filter(|record| record.position().is_none()).collect();
    if !unreadable.is_empty() {
        unreadable.iter().for_each(|record| hold(draft, record, "it gave no position".to_owned()));
        return Flow::On;
    }
    let followed = secondaries(look).filter_map(|name| lower_bound(look, name));
    let bounds: Vec<&Position> = followed.chain(lost.iter().filter_map(|record| record.position())).collect();
    let holds_all = |record: &&&Record| {
        record.position().is_some_and(|mine| bounds.iter().all(|other| mine.includes(other)))
    };
    let others_open = |record: &Record| {
        let others = look.memory.holders.values().filter(|other| other.holder != record.holder);
        others.into_iter().any(|other| !other.open.is_empty() && !follows(look, other))
    };
    let all_heard = !look.states.values().any(|state| matches!(state, AppState::Unknown(_)));
    let is_below = |record: &Record| record.position().is_some_and(|here| is_below_base(look, here));
    let is_whole = |record: &Record| !is_below(record) && went_back(&look.memory, record).is_none();
    let is_fit = |record: &&Record| all_heard && holds_all(&record) && is_whole(record);
    for record in lost.iter().filter(|record| is_fit(record) && !was_tried(look, record)) {
        // Its replica may have other data by now.
        let Some(name) = look.home(&record.holder) else { continue };
        if *look.state(name) == AppState::Stopped && record.open.is_empty() && !others_open(record) {
            return draft.run_alone(name, Command::Seed, Cause::Answer);
        }
    }
    for record in lost {
        let name = &record.replica;
        if let Some(tried) = record.tried.as_ref().filter(|_| was_tried(look, record) && is_fit(record)) {
            hold_tried(draft, name, tried);
            continue;
        }
        let reason = if all_heard && holds_all(&record) && is_below(record) {
            Reason::BelowBase(name.clone())
        } else {
            let failover = look.target().failover;
            let why = format!("recovery.failover is {failover:?}, and no secondary holds all that it held");
            Reason::NoPromotion(name.clone(), why)
        };
        draft.hold_replica(name, reason, &[(KeyKind::AcceptLoss, name.to_string())]);
    }
    Flow::On
}

/// Its seed came to nothing, and not because its machine started anew.
fn was_tried(look: &Look<'_>, record: &Record) -> bool {
    record.tried.as_ref().is_some_and(|tried| !tried.was_cut_off(look.seen))
}

/// Its seed came to nothing once: it would again, and its pod would be replaced each time, until a person knows better.
fn hold_tried(draft: &mut Draft<'_>, name: &ReplicaName, tried: &Tried) {
    let why = format!("its seed came to nothing: {}", tried.words());
    let keys = [KeyKind::AcceptSeed, KeyKind::AcceptLoss].map(|kind| (kind, name.to_string()));
    draft.hold_replica(name, Reason::NoPromotion(name.clone(), why), &keys);
}

/// It answers Secondary, its open starts are those that made it so, and none is to change that.
fn follows(look: &Look<'_>, record: &Record) -> bool {
    let Some(name) = look.home(&record.holder) else { return false };
    let made_it =
        |start: &Start| look.is_here(start, name) && start.confirmed && start.kind != StartKind::Promote;
    *look.state(name) == AppState::Secondary && record.open.iter().all(made_it)
}

/// A member whose last answer was Primary, and is not so in this round, with an open start.
pub(crate) fn may_be_alive<'b>(look: &'b Look<'_>) -> Option<&'b Record> {
    perhaps_alive(look).find(|record| record.last == Some(Role::Primary))
}

/// Whoever is not seen to run and has an open start.
pub(crate) fn perhaps_alive<'b>(look: &'b Look<'_>) -> impl Iterator<Item = &'b Record> {
    let open = look.memory.holders.values().filter(|record| !record.open.is_empty());
    open.filter(|record| look.home(&record.holder).is_none() || !look.state(&record.replica).is_running())
}

/// Primaries of this epoch that do not run, and are not given up.
pub(crate) fn lost_primaries<'b>(look: &'b Look<'_>) -> impl Iterator<Item = &'b Record> {
    ordering::primaries_lost_in(look, look.epoch())
}

fn is_promoting(look: &Look<'_>) -> bool {
    let unconfirmed =
        |start: &Start| !start.confirmed && matches!(start.kind, StartKind::Promote | StartKind::Seed);
    look.memory.holders.values().flat_map(|record| &record.open).any(unconfirmed)
}

#[cfg(test)]
mod noted;
#[cfg(test)]
mod table;
#[cfg(test)]
mod tests;
