//! Whether a lights-out would be recovered now. All members are imagined to have stopped with what they said last, and
//! the real rules are asked what they would do: there is no second copy of them here.

mod doubt;
mod imagine;

use crate::decide::{decide, known};
use crate::decision::Decisions;
use crate::hold::{Hold, Reason};
use crate::look::Look;
use crate::memory::Memory;
use crate::names::ReplicaName;
use crate::observation::{Command, Observation};
use crate::plan::{News, Plan, Step};
use crate::questions::questions;
use crate::recall::unwell;
use crate::record::Reading;
use crate::rehearsal::Heard;
use crate::timer::Timer;
pub use doubt::Doubt;

/// What would become of a lights-out now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// This member would be started first, and why.
    Ready(ReplicaName, String),
    /// This would hold it.
    NotReady(Hold),
    /// That cannot be said.
    Unknown(Doubt),
}

/// Whether a lights-out would be recovered now; none where it is not asked for, or no member is wanted.
/// `policy` is asked as it would be in the outage; without one, why there is none.
#[must_use]
pub fn ready(seen: &Observation, memory: &Memory, policy: Result<&dyn Decisions, &str>) -> Option<Readiness> {
    let target = &seen.target;
    target.rehearsal_interval.filter(|_| target.replicas > 0 && target.primaries > 0)?;
    let (look, _) = known(seen, memory);
    if look.memory.outage.is_some() {
        return Some(Readiness::Unknown(Doubt::Outage));
    }
    let plan = plan_of(imagine::all_stopped(&look), policy);
    Some(seeds(&plan).unwrap_or_else(|| why_not(&look, &plan)))
}

/// What the rules would do, with the policy asked who starts first, as they ask it; nothing else is decided then.
fn plan_of((mut seen, memory): (Observation, Memory), policy: Result<&dyn Decisions, &str>) -> Plan {
    match policy {
        Ok(policy) => seen.verdicts.seed = questions(&seen, &memory).seed.map(|them| policy.seed(&them)),
        Err(why) => seen.verdicts.unavailable = Some(why.to_owned()),
    }
    decide(&seen, &memory)
}

fn seeds(plan: &Plan) -> Option<Readiness> {
    plan.steps.iter().find(|step| matches!(step, Step::Run(run) if run.command == Command::Seed))?;
    plan.news.iter().find_map(|news| match news {
        News::SeedChosen(name, why) => Some(Readiness::Ready(name.clone(), why.clone())),
        _ => None,
    })
}

/// What would be read then is not known now; what would hold whatever is read there is.
fn why_not(look: &Look<'_>, plan: &Plan) -> Readiness {
    let reads: Vec<&ReplicaName> = plan.steps.iter().filter_map(read).collect();
    let is_to_be_read = |hold: &&Hold| match &hold.reason {
        Reason::Unread(name, _) => reads.contains(&name),
        _ => false,
    };
    let blockers: Vec<&Hold> = plan.holds.iter().filter(|hold| !is_to_be_read(hold)).collect();
    let is_absence = |hold: &&&Hold| matches!(hold.reason, Reason::NotRunning(..) | Reason::Unheard(..));
    let for_ever = blockers.iter().find(|hold| hold.reason.needs_person());
    let for_now = blockers.iter().find(|hold| !is_absence(hold) && !passes(&hold.reason, &plan.holds));
    let passing = blockers.iter().map(|hold| &hold.reason).find(|reason| passes(reason, &plan.holds));
    let silent = plan.holds.iter().find_map(|hold| match &hold.reason {
        Reason::Unheard(name, why) => Some(Doubt::Unheard(name.clone(), why.clone())),
        _ => None,
    });
    match (silent, passing, reads.first()) {
        _ if for_ever.is_some() => told(for_ever, plan),
        (Some(doubt), ..) => Readiness::Unknown(doubt),
        _ if for_now.is_some() => told(for_now, plan),
        (None, Some(reason), _) => Readiness::Unknown(Doubt::Passing(reason.clone())),
        (None, None, Some(name)) => Readiness::Unknown(unread(look, name)),
        (None, None, None) => told(blockers.first().filter(|_| plan.steps.is_empty()), plan),
    }
}

/// It is so for a moment in many a set that is well: a start or a join, and how a member answers meanwhile.
fn passes(reason: &Reason, all: &[Hold]) -> bool {
    let is_about = |who: &ReplicaName, hold: &Hold| match &hold.reason {
        Reason::UnderWay(name, _) | Reason::NotUp(name, ..) | Reason::Failing(name, _) => name == who,
        _ => false,
    };
    match reason {
        Reason::UnderWay(..) | Reason::NotUp(..) | Reason::Failing(..) | Reason::WorkloadPending => true,
        Reason::StartOpen { who, .. } | Reason::Unread(who, None) => {
            all.iter().any(|hold| is_about(who, hold))
        }
        _ => false,
    }
}

/// Without its keys: they would open what is only imagined. Of a member that could not be read also why not.
fn told(hold: Option<&&Hold>, plan: &Plan) -> Readiness {
    let Some(hold) = hold else { return Readiness::Unknown(Doubt::Changing) };
    let why = |who: &ReplicaName| {
        plan.holds.iter().find_map(|other| match &other.reason {
            Reason::NotRunning(name, why) if name == who => Some(why.clone()),
            _ => None,
        })
    };
    let reason = match &hold.reason {
        Reason::Unread(who, None) => Reason::Unread(who.clone(), why(who)),
        other => other.clone(),
    };
    Readiness::NotReady(Hold { scope: hold.scope.clone(), reason, keys: Vec::new(), cause: None })
}

fn read(step: &Step) -> Option<&ReplicaName> {
    match step {
        Step::Run(run) if run.command == Command::Read => Some(&run.replica),
        _ => None,
    }
}

/// Why it is not known what a member holds that would be read then.
fn unread(look: &Look<'_>, name: &ReplicaName) -> Doubt {
    let keeps = || unwell(look).filter(|other| *other != name).cloned();
    let Some(rehearsal) = look.memory.rehearsals.get(name).filter(|_| look.state(name).is_running()) else {
        return Doubt::NotAsked(name.clone(), keeps());
    };
    match &rehearsal.heard {
        _ if look.is_ripe(&Timer::RehearsalOld(rehearsal.attempt.clone())) => {
            Doubt::Stale(name.clone(), keeps())
        }
        Heard::Nothing(why) => Doubt::NotHeard(name.clone(), why.clone()),
        Heard::Said(judged) => match &judged.reading {
            Reading::Unreadable(why) => Doubt::NotHeard(name.clone(), why.clone()),
            Reading::At(_) | Reading::Empty => Doubt::NotAsked(name.clone(), keeps()),
        },
    }
}

#[cfg(test)]
mod tests;
