//! Planners that say of a world at rest what is not so.

use super::found;
use crate::operator::Decide;
use crate::small::{Budget, Setting};
use planner::hold::{Reason, Scope};
use planner::names::ReplicaName;
use planner::observation::Replica;
use planner::{AppState, Hold, Memory, Observation, Plan, decide};

/// Says this besides, where nothing is to be done, of the first that is like this.
fn also(
    seen: &Observation,
    memory: &Memory,
    is_meant: fn(&Observation, &Replica) -> bool,
    reason: fn(ReplicaName) -> Reason,
) -> Plan {
    let mut plan = decide(seen, memory);
    let meant = seen.replicas.iter().find(|(_, replica)| is_meant(seen, replica));
    if let Some((name, _)) = meant.filter(|_| plan.steps.is_empty()) {
        plan.holds.push(Hold {
            scope: Scope::Set,
            reason: reason(name.clone()),
            keys: Vec::new(),
            cause: None,
        });
    }
    plan
}

/// It is stopped, and told how much it holds.
fn was_read(seen: &Observation, replica: &Replica) -> bool {
    let mut records = replica.claims.iter().filter_map(|claim| claim.record.as_ref());
    AppState::of(replica.pod.as_ref(), &seen.target) == AppState::Stopped
        && records.any(|record| record.position().is_some())
}

/// Says of whoever runs that it does not.
fn lying(seen: &Observation, memory: &Memory) -> Plan {
    also(seen, memory, |_, _| true, Reason::NoPrimary)
}

/// Says of a volume that somebody uses it.
fn wary(seen: &Observation, memory: &Memory) -> Plan {
    also(seen, memory, was_read, Reason::LockBusy)
}

/// Says of what was read that it was not.
fn inattentive(seen: &Observation, memory: &Memory) -> Plan {
    also(seen, memory, was_read, |name| Reason::Unread(name, None))
}

/// Says of data that nobody may replace yet that a join would destroy it.
fn slandering(seen: &Observation, memory: &Memory) -> Plan {
    also(seen, memory, was_read, Reason::Errant)
}

#[test]
fn who_says_what_is_not_so_is_found_out() {
    let words = ["says what is not so"];
    let planners: [Decide; 4] = [lying, wary, inattentive, slandering];
    let is_found =
        |decide| found(Setting::Equal, Budget::NOTHING, |rules| rules.decide = decide, &words).is_some();
    assert_eq!(planners.map(is_found), [true; 4]);
}
