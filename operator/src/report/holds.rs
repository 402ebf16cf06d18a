//! What is waited for, with the time since when.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use planner::names::ReplicaName;
use planner::plan::{Reason, Scope};
use planner::{Hold, key::Key};

use super::{Told, words};
use crate::api::HoldStatus;

/// The holds of a plan. One that was there before keeps its time, also when its wording changed.
pub(super) fn holds(told: &Told<'_>) -> Vec<HoldStatus> {
    let of = |hold: &Hold| {
        let mut status = status(told, hold);
        let same = |known: &&HoldStatus| {
            (&known.scope, &known.reason, &known.blocker) == (&status.scope, &status.reason, &status.blocker)
        };
        let known = told.previous.holds.iter().find(same).and_then(|known| known.since.clone());
        status.since = known.or(Some(Time(told.now)));
        status
    };
    told.plan.holds.iter().map(of).collect()
}

fn status(told: &Told<'_>, hold: &Hold) -> HoldStatus {
    HoldStatus {
        scope: match &hold.scope {
            Scope::Set => "set".to_owned(),
            Scope::Replica(name) => name.0.clone(),
        },
        reason: hold.reason.name().to_owned(),
        message: Some(message(told, hold)),
        blocker: blocker(hold),
        cause: hold.cause.clone(),
        since: None,
        keys: hold.keys.iter().map(Key::text).collect(),
    }
}

/// Why something waits, what can be corrected first; and of one that is away until when it is waited for, where another takes its place by itself.
pub(super) fn message(told: &Told<'_>, hold: &Hold) -> String {
    let why = words::reason(&hold.reason, told.policy.active.as_ref());
    let why = match hold.cause.as_ref().filter(|cause| !why.contains(*cause)) {
        Some(cause) => format!("{cause}; {why}"),
        None => why,
    };
    match who_is_away(&hold.reason).and_then(|name| told.successions.get(name)) {
        Some(at) => {
            format!("{why}; if it is away until {at} (recovery.replaceAfter), another member takes its place")
        }
        None => why,
    }
}

fn who_is_away(reason: &Reason) -> Option<&ReplicaName> {
    match reason {
        Reason::Unheard(who, _) | Reason::NotRunning(who, _) | Reason::Unread(who, _) => Some(who),
        _ => None,
    }
}

/// Who or what is in the way.
fn blocker(hold: &Hold) -> Option<String> {
    match &hold.reason {
        Reason::Unheard(who, _)
        | Reason::NotRunning(who, _)
        | Reason::Unguarded(who)
        | Reason::GuardMissing(who)
        | Reason::Unread(who, _)
        | Reason::LostData(who, _)
        | Reason::PositionWentBack { name: who, .. }
        | Reason::BelowBase(who)
        | Reason::BaseOfOtherKind { best: who, .. }
        | Reason::PolicyHolds(who, _)
        | Reason::UnderWay(who, _)
        | Reason::Overdue(who, _)
        | Reason::AwaitsApproval(who, ..)
        | Reason::PlannedOnly(who, ..)
        | Reason::LockBusy(who)
        | Reason::Errant(who)
        | Reason::NoPrimary(who)
        | Reason::JoinsBusy(who)
        | Reason::NoPromotion(who, _)
        | Reason::RepairDelayed(who)
        | Reason::DataAlone(who, _)
        | Reason::LastServer(who)
        | Reason::NotWell(who)
        | Reason::RecordUnreadable(who)
        | Reason::ClaimTerminating(who)
        | Reason::LeaderRefused { member: who, .. }
        | Reason::SeedRefused { proposed: who, .. } => Some(who.0.clone()),
        Reason::StartOpen { who, pod, .. } => Some(format!("{who}, pod {pod}")),
        Reason::Diverged(a, b) | Reason::TwoGroups(a, b) => Some(format!("{a}, {b}")),
        Reason::NotOurs(other) | Reason::Immutable(other) | Reason::OtherWorkload(other) => {
            Some(other.clone())
        }
        Reason::PolicyUnavailable(_) => Some("spec.policy".to_owned()),
        // What names nobody stands in the way of what it holds, or waits for a person or the policy.
        _ => match &hold.scope {
            Scope::Replica(name) => Some(name.0.clone()),
            Scope::Set => None,
        },
    }
}
