//! Planners with one fault each: every law of the world is broken by one of them, and seen to be.

pub(crate) mod vetoes;

use crate::chance::Chance;
use crate::operator::Decide;
use crate::options::{Options, Positions};
use crate::policy::policy;
use crate::run::tell_with;
use planner::decision::{Verdict, Verdicts};
use planner::observation::{Answer, Observation, Replica, Status};
use planner::position::Position;
use planner::record::Reading;
use planner::{AppState, Memory, Plan, decide, judge, questions};

/// The first breach of the world's own laws by this planner that says one of these words.
fn found(decide: Decide, words: &[&str]) -> Option<String> {
    heard(decide, false, words)
}

fn heard(decide: Decide, audited: bool, words: &[&str]) -> Option<String> {
    (1..=400).find_map(|seed| {
        let mut chance = Chance::new(seed ^ 0x0073_6565_6473);
        let options = Options { audited, ..Options::draw(&mut chance) };
        let breaches = tell_with(seed, options, decide).breaches;
        breaches.into_iter().find(|breach| words.iter().any(|word| breach.contains(word)))
    })
}

/// Believes that every start is over.
fn careless(seen: &Observation, memory: &Memory) -> Plan {
    let (mut seen, mut memory) = (seen.clone(), memory.clone());
    memory.holders.values_mut().for_each(|record| record.open.clear());
    let claims = seen.replicas.values_mut().flat_map(|replica| &mut replica.claims);
    claims.filter_map(|claim| claim.record.as_mut()).for_each(|record| record.open.clear());
    decide(&seen, &memory)
}

/// Takes silence for an answer.
pub(crate) fn deaf(seen: &Observation, memory: &Memory) -> Plan {
    let mut seen = seen.clone();
    for pod in seen.replicas.values_mut().filter_map(|replica| replica.pod.as_mut()) {
        let container = pod.container_id().cloned();
        if let (Status::Silent(_), Some(container)) = (&pod.status, container) {
            let text = String::new();
            pod.status = Status::Answer(Answer { code: 7, container, group: None, progress: None, text });
        }
    }
    decide(&seen, memory)
}

/// Finds that all data is worth the same.
pub(crate) fn fair(seen: &Observation, memory: &Memory) -> Plan {
    let (mut seen, mut memory) = (seen.clone(), memory.clone());
    let same = || Reading::At(Position::Ordinal(1));
    memory.epoch.base = None;
    for taken in memory.holders.values_mut().filter_map(|record| record.reading.as_mut()) {
        (taken.reading, taken.measure.outage) = (same(), memory.outages);
    }
    seen.verdicts.readings.values_mut().for_each(|judged| *judged = same().into());
    for claim in seen.replicas.values_mut().flat_map(|replica| &mut replica.claims) {
        claim.record = None;
    }
    let verdict = Verdict::Proposed { answer: "x-0".into(), why: "it is the first".to_owned() };
    seen.verdicts.seed = seen.verdicts.seed.map(|_| verdict);
    decide(&seen, &memory)
}

/// Forgets that others than the first were of any epoch but the first, and writes that down.
pub(crate) fn belittling(seen: &Observation, memory: &Memory) -> Plan {
    let (mut seen, mut memory) = (seen.clone(), memory.clone());
    let claims = seen.replicas.values_mut().flat_map(|replica| &mut replica.claims);
    let records = claims.filter_map(|claim| claim.record.as_mut()).chain(memory.holders.values_mut());
    records
        .filter(|record| record.replica.0 != "x-0")
        .for_each(|record| record.confirmed = record.confirmed.min(1));
    let readings = std::mem::take(&mut seen.verdicts.readings);
    let asked = judge(policy(Positions::Counter), &questions(&seen, &memory));
    seen.verdicts = Verdicts { readings, ..asked };
    decide(&seen, &memory)
}

/// Writes nothing down.
pub(crate) fn forgetful(seen: &Observation, memory: &Memory) -> Plan {
    Plan { memory: memory.clone(), ..decide(seen, memory) }
}

/// As soon as somebody runs, wants nobody to.
pub(crate) fn shrinking(seen: &Observation, memory: &Memory) -> Plan {
    let runs = |replica: &Replica| {
        matches!(AppState::of(replica.pod.as_ref(), &seen.target), AppState::Primary | AppState::Secondary)
    };
    let mut less = seen.clone();
    if seen.replicas.values().any(runs) {
        less.target.replicas = 0;
    }
    decide(&less, memory)
}

/// Does not see that it is to keep its hands off.
fn eager(seen: &Observation, memory: &Memory) -> Plan {
    let mut going_on = seen.clone();
    going_on.target.paused = false;
    decide(&going_on, memory)
}

/// Never says why it waits.
pub(crate) fn silent(seen: &Observation, memory: &Memory) -> Plan {
    Plan { holds: Vec::new(), ..decide(seen, memory) }
}

#[test]
fn who_believes_that_every_start_is_over_seeds_twice() {
    assert!(found(careless, &["is alive", "at the same time"]).is_some());
}

#[test]
fn who_takes_silence_for_an_answer_is_refused_by_the_audit() {
    assert!(heard(deaf, true, &["the audit refuses"]).is_some());
}

#[test]
fn who_finds_all_data_worth_the_same_loses_some() {
    assert!(found(fair, &["lacks", "destroys"]).is_some());
}

#[test]
fn who_forgets_that_data_is_of_the_newest_epoch_loses_some_whatever_its_record_says() {
    assert!(found(belittling, &["whatever its record says"]).is_some());
}

#[test]
fn who_writes_nothing_down_never_comes_to_rest() {
    assert!(found(forgetful, &["never comes to rest", "is alive", "nothing is done"]).is_some());
}

#[test]
fn who_stops_the_last_that_serves_though_some_are_wanted_is_found_out() {
    assert!(found(shrinking, &["the last member that serves is ended (Some(Size))"]).is_some());
}

#[test]
fn who_does_not_keep_hands_off_a_paused_set_is_found_out() {
    assert!(found(eager, &["paused, and yet"]).is_some());
}

#[test]
fn who_never_says_why_it_waits_is_found_out() {
    assert!(found(silent, &["nothing is done any more"]).is_some());
}

#[test]
fn policies_that_read_under_one_name_lose_data() {
    let options = Options { names_readers: false, audited: false, ..Options::calm() };
    let breaches = crate::stories::changed_amid_an_outage(options).breaches;
    assert!(breaches.iter().any(|breach| breach.contains("lacks acknowledged write")), "{breaches:?}");
}

#[test]
fn readers_that_exclude_each_other_are_taken_for_a_database() {
    let breach = (1..=6000).find_map(|seed| {
        let mut chance = Chance::new(seed);
        let flock = crate::options::Flock::Dropped;
        let storage = planner::target::Storage::Claims { lock: true };
        let drawn = Options::draw(&mut chance);
        let options = Options { flock, storage, readers_share: false, rivals: true, audited: false, ..drawn };
        let breaches = tell_with(seed, options, decide).breaches;
        breaches.into_iter().find(|breach| breach.contains("is alive"))
    });
    assert!(breach.is_some());
}
