//! What is waited for, with the time since when.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use planner::plan::{Reason, Scope};
use planner::{Hold, key::Key};

use super::words;
use crate::api::{HoldStatus, PolicyStatus};

/// The holds of a plan. One that was there before keeps its time, also when its wording changed.
pub(super) fn holds(
    holds: &[Hold],
    policy: Option<&PolicyStatus>,
    before: &[HoldStatus],
    now: Timestamp,
) -> Vec<HoldStatus> {
    holds
        .iter()
        .map(|hold| {
            let mut status = status(hold, policy);
            let same = |known: &&HoldStatus| {
                (&known.scope, &known.reason, &known.blocker)
                    == (&status.scope, &status.reason, &status.blocker)
            };
            let known = before.iter().find(same).and_then(|known| known.since.clone());
            status.since = known.or(Some(Time(now)));
            status
        })
        .collect()
}

fn status(hold: &Hold, policy: Option<&PolicyStatus>) -> HoldStatus {
    HoldStatus {
        scope: match &hold.scope {
            Scope::Set => "set".to_owned(),
            Scope::Replica(name) => name.0.clone(),
        },
        reason: hold.reason.name().to_owned(),
        message: Some(words::reason(&hold.reason, policy)),
        blocker: blocker(hold),
        since: None,
        keys: hold.keys.iter().map(Key::text).collect(),
    }
}

/// Who or what is in the way.
fn blocker(hold: &Hold) -> Option<String> {
    match &hold.reason {
        Reason::Unheard(who, _)
        | Reason::NotRunning(who, _)
        | Reason::Unguarded(who)
        | Reason::Unread(who, _)
        | Reason::LostData(who, _)
        | Reason::BelowBase(who)
        | Reason::BaseOfOtherKind { best: who, .. }
        | Reason::PolicyHolds(who, _)
        | Reason::UnderWay(who, _)
        | Reason::Overdue(who, _)
        | Reason::AwaitsApproval(who, _)
        | Reason::PlannedOnly(who, _)
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
        | Reason::LeaderRefused { member: who, .. }
        | Reason::SeedRefused { proposed: who, .. } => Some(who.0.clone()),
        Reason::StartOpen(who, _, pod, _) => Some(format!("{who}, pod {pod}")),
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
