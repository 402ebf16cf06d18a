//! Planners with one fault each, and a guard: exploration finds each of them.

use super::commands::Flight;
use super::explore::explore;
use super::names::fingerprint;
use super::{Budget, Explorer, Rules, Setting, Start, State};
use crate::options::Flock;
use crate::sabotage::{deaf, fair, forgetful, silent};
use planner::plan::Step;
use planner::{Memory, Observation, Plan, decide};

/// What is found first that says one of these words, near one of the beginnings.
fn found(setting: Setting, left: Budget, change: impl Fn(&mut Rules), words: &[&str]) -> Option<String> {
    let mut rules = Rules { audited: false, ..Rules::of(setting, 3) };
    change(&mut rules);
    let explorer = Explorer::with(setting, rules);
    Start::all(setting).iter().find_map(|start| {
        let found = explorer.explore(start, left, 40).err()?;
        words.iter().any(|word| found.what.contains(word)).then_some(found.what)
    })
}

const NOTHING: Budget = Budget { crashes: 0, faults: 0, writes: 0 };
const A_CRASH: Budget = Budget { crashes: 1, faults: 0, writes: 0 };
const A_FAULT: Budget = Budget { crashes: 0, faults: 1, writes: 0 };

/// Takes the label away and gives it back for ever.
fn restless(seen: &Observation, memory: &Memory) -> Plan {
    let mut plan = decide(seen, memory);
    let idle = plan.steps.is_empty();
    let pods = seen.replicas.iter().filter_map(|(name, replica)| Some((name, replica.pod.as_ref()?)));
    let label = |(name, pod): (&planner::names::ReplicaName, &planner::observation::Pod)| Step::Label {
        replica: name.clone(),
        if_pod: pod.uid.clone(),
        active: pod.active != Some(true),
        role: None,
    };
    plan.steps.extend(pods.take(1).filter(|_| idle).map(label));
    plan
}

/// Names keys that fit nothing.
fn misleading(seen: &Observation, memory: &Memory) -> Plan {
    let mut plan = decide(seen, memory);
    let keys = plan.holds.iter_mut().flat_map(|hold| &mut hold.keys);
    keys.for_each(|key| key.facts = "0".to_owned());
    plan
}

/// Says of whoever runs that it does not.
fn lying(seen: &Observation, memory: &Memory) -> Plan {
    let mut plan = decide(seen, memory);
    if let Some(name) = seen.replicas.keys().next().filter(|_| plan.steps.is_empty()) {
        let reason = planner::hold::Reason::NoPrimary(name.clone());
        plan.holds.push(planner::Hold { scope: planner::hold::Scope::Set, reason, keys: Vec::new() });
    }
    plan
}

#[test]
fn who_finds_all_data_worth_the_same_loses_some() {
    let words = ["begins without write", "destroys write"];
    assert!(found(Setting::Equal, NOTHING, |rules| rules.decide = fair, &words).is_some());
}

#[test]
fn who_takes_silence_for_an_answer_is_refused_by_the_audit() {
    let change = |rules: &mut Rules| (rules.decide, rules.audited) = (deaf, true);
    assert!(found(Setting::Followed, A_FAULT, change, &["the audit refuses"]).is_some());
}

#[test]
fn who_writes_nothing_down_never_comes_to_rest() {
    let words = ["never comes to rest", "seeds while"];
    assert!(found(Setting::Equal, NOTHING, |rules| rules.decide = forgetful, &words).is_some());
}

#[test]
fn who_always_finds_something_to_do_never_comes_to_rest() {
    let words = ["never comes to rest"];
    assert!(found(Setting::Equal, NOTHING, |rules| rules.decide = restless, &words).is_some());
}

#[test]
fn who_never_says_why_it_waits_is_found_out() {
    let words = ["no key is named"];
    assert!(found(Setting::Followed, NOTHING, |rules| rules.decide = silent, &words).is_some());
}

#[test]
fn who_says_what_is_not_so_is_found_out() {
    let words = ["says what is not so"];
    assert!(found(Setting::Equal, NOTHING, |rules| rules.decide = lying, &words).is_some());
}

#[test]
fn who_names_keys_that_fit_nothing_is_found_out() {
    let words = ["is refused"];
    assert!(found(Setting::Equal, NOTHING, |rules| rules.decide = misleading, &words).is_some());
}

/// What is found first after an operator has died whose seed was on its way, where no lock is left behind by it.
fn after_a_seed(change: impl Fn(&mut Rules)) -> Result<u64, String> {
    let mut rules = Rules { audited: false, ..Rules::of(Setting::Equal, 3) };
    rules.options.flock = Flock::Dropped;
    let state = with_a_seed_on_its_way(&rules, A_CRASH);
    change(&mut rules);
    explore(&rules, state, 8000).map(|tally| tally.states).map_err(|found| found.to_string())
}

fn seeds_twice(found: &Result<u64, String>) -> bool {
    found.as_ref().is_err_and(|what| what.contains("seeds while"))
}

/// The command of the one that died begins after the next one has made sure that it never will.
#[test]
fn a_guard_that_lets_revoked_commands_begin_is_found_out() {
    let found = after_a_seed(|rules| rules.guarded = false);
    assert!(seeds_twice(&found), "{found:?}");
}

/// A new set, just after its first seed was sent.
fn with_a_seed_on_its_way(rules: &Rules, left: Budget) -> State {
    let mut state = Start::anew(Setting::Equal).state(rules, &State::well(rules), left);
    while !state.flights.iter().any(Flight::acts) {
        state = state.next(rules).expect("a new set is seeded").1;
    }
    state
}

#[test]
fn two_runs_of_the_same_world_differ_in_names_alone() {
    let rules = Rules::of(Setting::Equal, 3);
    let state = State::well(&rules);
    let state = Start::anew(Setting::Equal).state(&rules, &state, NOTHING);
    let mut later = state.clone();
    later.serial.name("pod");
    let next = |state: &State| state.next(&rules).map(|(_, next)| fingerprint(&next));
    assert_eq!(next(&state), next(&later));
    assert_ne!(next(&state), Some(fingerprint(&state)));
}
