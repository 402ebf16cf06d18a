//! Planners with one veto missing: each is found out once a policy answers anything.

use crate::adversary::Lies;
use crate::chance::Chance;
use crate::operator::Decide;
use crate::options::Options;
use crate::run::tell_with;
use planner::decision::{Treatment, Verdict};
use planner::hold::Reason;
use planner::names::ReplicaName;
use planner::observation::{Command, Observation};
use planner::record::Record;
use planner::{HolderId, Memory, Plan, Step, decide, holder_of, questions};

/// The first breach of the world's own laws that says this.
fn found(decide: Decide, lies: Lies, words: &str) -> Option<String> {
    (1..=400).find_map(|seed| {
        let mut chance = Chance::new(seed ^ 0x0073_6565_6473);
        let options = Options { lies: Some(lies), audited: false, ..Options::draw(&mut chance) };
        tell_with(seed, options, decide).breaches.into_iter().find(|breach| breach.contains(words))
    })
}

fn holder(seen: &Observation, name: &ReplicaName) -> Option<HolderId> {
    seen.replicas.get(name).and_then(|replica| holder_of(replica, &seen.target))
}

/// Whoever is proposed seeds, as if a person had named it.
pub(crate) fn without_a_veto_of_seeds(seen: &Observation, memory: &Memory) -> Plan {
    let plan = decide(seen, memory);
    let refused = plan.holds.iter().find_map(|hold| match &hold.reason {
        Reason::SeedRefused { proposed, .. } => holder(seen, proposed),
        _ => None,
    });
    let Some(named) = refused else { return plan };
    let mut memory = plan.memory.clone();
    if let Some(outage) = memory.outage.as_mut() {
        (outage.named, outage.candidates) = (Some(named), None);
    }
    let mut plan = decide(seen, &memory);
    plan.memory.outage.as_mut().into_iter().for_each(|outage| outage.named = None);
    plan
}

/// Whoever is to be followed is named to who follows.
pub(crate) fn without_a_veto_of_leaders(seen: &Observation, memory: &Memory) -> Plan {
    let mut seen = seen.clone();
    let mut led = Vec::new();
    for (name, verdict) in &mut seen.verdicts.replicas {
        if let Verdict::Proposed { answer: Treatment::RunSecondary { follow }, .. } = verdict {
            led.extend(follow.take().map(|leader| (name.clone(), leader)));
        }
    }
    let mut plan = decide(&seen, memory);
    for step in &mut plan.steps {
        let Step::Run(run) = step else { continue };
        let leader = led.iter().find(|(name, _)| *name == run.replica).map(|(_, leader)| leader.clone());
        if run.command == Command::Follow {
            run.peers.splice(0..0, leader);
        }
    }
    plan
}

/// Decides by what this makes of each record, and remembers what it was told.
fn seen_as(seen: &Observation, memory: &Memory, change: fn(&mut Record)) -> Plan {
    let plan = decide(seen, memory);
    let mut believed = plan.memory.clone();
    believed.holders.values_mut().for_each(change);
    let mut seen = seen.clone();
    seen.verdicts = planner::judge(
        crate::policy::policy(crate::options::Positions::Counter),
        &questions(&seen, &believed),
    );
    let mut misled = decide(&seen, &believed);
    for (holder, record) in &mut misled.memory.holders {
        if let Some(told) = plan.memory.holders.get(holder) {
            (record.reading, record.joining) = (told.reading.clone(), record.joining && told.joining);
        }
    }
    misled
}

/// Who was not read owes nothing.
fn without_waiting(seen: &Observation, memory: &Memory) -> Plan {
    seen_as(seen, memory, |record| record.joining |= record.reading.is_none())
}

/// What the set began with is nobody's concern.
fn without_a_base(seen: &Observation, memory: &Memory) -> Plan {
    let (mut seen, mut memory) = (seen.clone(), memory.clone());
    memory.epoch.base = None;
    for claim in seen.replicas.values_mut().flat_map(|replica| &mut replica.claims) {
        claim.record.as_mut().into_iter().for_each(|record| record.epoch.base = None);
    }
    decide(&seen, &memory)
}

#[test]
fn a_proposed_seed_that_nobody_checks_lacks_what_others_told() {
    assert!(found(without_a_veto_of_seeds, Lies::Choices, "it seeds at").is_some());
}

#[test]
fn a_proposed_leader_that_nobody_checks_is_named_to_a_follower() {
    assert!(found(without_a_veto_of_leaders, Lies::Choices, "which is no running primary").is_some());
}

#[test]
fn data_that_was_not_read_and_counts_for_nothing_is_passed_over() {
    assert!(found(without_waiting, Lies::Everything, "not read").is_some());
}

#[test]
fn a_set_that_forgets_what_it_began_with_is_found_out() {
    assert!(found(without_a_base, Lies::Everything, "is forgotten").is_some());
}
