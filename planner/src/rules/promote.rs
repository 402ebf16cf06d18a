//! Which running members are primary: promotion, after the old primary is surely gone, and demotion.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::{Command, Role};
use crate::ordering::{is_headless, lower_bound, members, possible_primaries, secondaries};
use crate::plan::{Cause, News};
use crate::position::Position;
use crate::record::Record;
use crate::target::Failover;
use crate::veto;

pub(crate) fn promote(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    if look.target().all_primaries() || look.epoch() == 0 {
        return Flow::On;
    }
    if is_headless(look) {
        return fail_over(draft);
    }
    let live = look.live_primaries().count();
    let wanted = look.target().primaries as usize;
    if live > wanted {
        return demote(draft);
    }
    if live > 0 && possible_primaries(look) < wanted {
        return promote_beside(draft);
    }
    Flow::On
}

/// A primary lives and there are to be more: the next in order among those that follow it.
fn promote_beside(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    let order = match veto::order(look, &members(look)) {
        Ok(order) => order,
        Err(reason) => {
            draft.hold(reason, &[]);
            return Flow::On;
        }
    };
    match order.iter().find(|name| secondaries(look).any(|other| other == *name)) {
        Some(name) => draft.run_alone(name, Command::Promote, Cause::Size),
        None => Flow::On,
    }
}

/// The lowest in order goes first: the last of the policy's order.
fn demote(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    match veto::order(look, &members(look)) {
        Ok(order) => {
            let live = |name: &&ReplicaName| look.live_primaries().any(|other| other == *name);
            if let Some(name) = order.iter().rev().find(live) {
                draft.run(name, Command::Demote, Cause::Size);
            }
        }
        Err(reason) => draft.hold(reason, &[]),
    }
    Flow::On
}

fn fail_over(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    if let Some(record) = may_be_alive(look) {
        let start = &record.open[0];
        let reason = Reason::StartOpen(record.replica.clone(), start.attempt.clone(), start.pod.clone());
        draft.hold_replica(&record.replica, reason, &[(KeyKind::AssertFenced, start.pod.to_string())]);
        return Flow::On;
    }
    if is_promoting(look) {
        return Flow::On;
    }
    let unread: Vec<ReplicaName> =
        secondaries(look).filter(|name| lower_bound(look, name).is_none()).cloned().collect();
    for name in &unread {
        draft.run(name, Command::Read, Cause::Answer);
        draft.hold_replica(name, Reason::Unread(name.clone()), &[]);
    }
    let lost: Vec<&Record> = lost_primaries(look).collect();
    for record in lost.iter().filter(|record| record.standing().is_none()) {
        let name = &record.replica;
        if record.open.is_empty() && *look.state(name) == AppState::Stopped {
            draft.run(name, Command::Read, Cause::Answer);
        }
        let why = "its position is not known".to_owned();
        draft.hold_replica(
            name,
            Reason::NoPromotion(name.clone(), why),
            &[(KeyKind::AcceptLoss, name.to_string())],
        );
    }
    let loss_allowed = look.target().failover == Failover::AllowLoss;
    if !unread.is_empty() || (!loss_allowed && lost.iter().any(|record| record.standing().is_none())) {
        return Flow::On;
    }
    choose(draft, &lost)
}

fn choose(draft: &mut Draft<'_>, lost: &[&Record]) -> Flow {
    let look = draft.look;
    let order = match veto::order(look, &members(look)) {
        Ok(order) => order,
        Err(reason) => {
            draft.hold(reason, &[]);
            return Flow::On;
        }
    };
    let includes = |name: &&ReplicaName, record: &Record| match (lower_bound(look, name), record.position()) {
        (Some(mine), Some(owed)) => mine.includes(owed),
        _ => false,
    };
    let safe = order.iter().find(|name| lost.iter().all(|record| includes(name, record)));
    match (look.target().failover, safe, order.first()) {
        (Failover::NoKnownLoss | Failover::AllowLoss, Some(name), _) => {
            draft.run_alone(name, Command::Promote, Cause::Answer)
        }
        (Failover::AllowLoss, None, Some(name)) => {
            draft.plan.news.push(News::LossAccepted(name.clone()));
            draft.run_alone(name, Command::Promote, Cause::Answer)
        }
        _ => seed_old_primary(draft, lost),
    }
}

/// No secondary has it all: the old primary itself starts beside them, if it holds what they have.
fn seed_old_primary(draft: &mut Draft<'_>, lost: &[&Record]) -> Flow {
    let look = draft.look;
    let bounds: Vec<&Position> = secondaries(look).filter_map(|name| lower_bound(look, name)).collect();
    let holds_all = |record: &&&Record| {
        record.position().is_some_and(|mine| bounds.iter().all(|other| mine.includes(other)))
    };
    let others_open = |record: &Record| {
        look.memory.holders.values().any(|other| {
            other.holder != record.holder
                && !other.open.is_empty()
                && *look.state(&other.replica) != AppState::Secondary
        })
    };
    for record in lost.iter().filter(holds_all) {
        let name = &record.replica;
        if *look.state(name) == AppState::Stopped && record.open.is_empty() && !others_open(record) {
            return draft.run_alone(name, Command::Seed, Cause::Answer);
        }
    }
    for record in lost {
        let why = format!(
            "recovery.failover is {:?}, and no secondary holds all that it held",
            look.target().failover
        );
        let name = &record.replica;
        draft.hold_replica(
            name,
            Reason::NoPromotion(name.clone(), why),
            &[(KeyKind::AcceptLoss, name.to_string())],
        );
    }
    Flow::On
}

/// A member whose last answer was Primary, and is not so in this round, with an open start.
fn may_be_alive<'b>(look: &'b Look<'_>) -> Option<&'b Record> {
    let holders = look.memory.holders.values();
    let mut open = holders.filter(|record| !record.open.is_empty() && record.last == Some(Role::Primary));
    open.find(|record| look.home(&record.holder).is_none() || !look.state(&record.replica).is_running())
}

/// Primaries of this epoch that do not run, and are not given up.
fn lost_primaries<'b>(look: &'b Look<'_>) -> impl Iterator<Item = &'b Record> {
    let epoch = look.epoch();
    look.memory.holders.values().filter(move |record| {
        let was = record.confirmed == epoch && record.last == Some(Role::Primary) && !record.joining;
        was && !record.waived && !record.ended && !look.state(&record.replica).is_running()
    })
}

fn is_promoting(look: &Look<'_>) -> bool {
    use crate::start::StartKind::{Promote, Seed};
    let unconfirmed = |start: &crate::start::Start| !start.confirmed && matches!(start.kind, Promote | Seed);
    look.memory.holders.values().flat_map(|record| &record.open).any(unconfirmed)
}
