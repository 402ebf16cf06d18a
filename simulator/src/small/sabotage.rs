//! Planners with one fault each, and a guard: exploration finds each of them.

mod holds;
mod sought;

use super::commands::Flight;
use super::enact::Effect;
use super::explore::explore;
use super::known::Known;
use super::life::Life;
use super::mishap::Mishap;
use super::print::fingerprint;
use super::rest::Rest;
use super::{Budget, Explorer, Rules, Setting, Start, State};
use crate::options::Flock;
use crate::sabotage::{belittling, deaf, fair, forgetful, shrinking, silent};
use planner::names::ReplicaName;
use planner::observation::Command;
use planner::plan::Step;
use planner::start::Start as Begun;
use planner::{Memory, Observation, Plan, decide};

/// What is found first that says one of these words, near one of the beginnings.
fn found(setting: Setting, left: Budget, change: impl Fn(&mut Rules), words: &[&str]) -> Option<String> {
    let mut rules = Rules { audited: false, ..Rules::of(setting, 3) };
    change(&mut rules);
    found_by(&Explorer::with(setting, rules), left, words)
}

fn found_by(explorer: &Explorer, left: Budget, words: &[&str]) -> Option<String> {
    Start::all(explorer.setting).iter().find_map(|start| {
        let found = explorer.explore(start, left, 40).err()?;
        words.iter().any(|word| found.what.contains(word)).then_some(found.what)
    })
}

/// A set with data whose databases were all killed once.
fn in_its_second_epoch(rules: &Rules) -> State {
    let mut state = State::well(rules);
    let all: Vec<usize> = (0..state.members.len()).collect();
    state.write_to(state.lineages, &all, true);
    all.iter().for_each(|at| state.suffer(rules, Mishap::Kill(*at)));
    while let Some((_, next)) = state.next(rules) {
        state = next;
    }
    state.life = Life::default();
    state
}

const A_FAULT: Budget = Budget { troubles: 0, faults: 1, writes: 0 };

/// Takes the label away and gives it back for ever.
fn restless(seen: &Observation, memory: &Memory) -> Plan {
    let mut plan = decide(seen, memory);
    let idle = plan.steps.is_empty();
    let pods = seen.replicas.iter().filter_map(|(name, replica)| Some((name, replica.pod.as_ref()?)));
    let label = |(name, pod): (&ReplicaName, &planner::observation::Pod)| Step::Label {
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

/// Beginnings that do need a person, taken for such that need nobody.
#[test]
fn who_waits_for_a_person_where_nobody_has_to_help_is_found_out() {
    for setting in [Setting::Equal, Setting::Followed] {
        let (rules, known) = (Rules::of(setting, 3), Known::default());
        let well = State::well(&rules);
        let found = Start::all(setting).iter().filter(|start| !start.keeps_its_data()).find_map(|start| {
            let rest = Rest::new(&rules, &known).needs_nobody(true);
            explore(rest, start.state(&rules, &well, Budget::NOTHING), Some(40)).err()
        });
        assert!(found.is_some_and(|found| found.what.contains("it waits for a person")), "{setting:?}");
    }
}

#[test]
fn who_finds_all_data_worth_the_same_loses_some() {
    let words = ["begins without write", "destroys write"];
    assert!(found(Setting::Equal, Budget::NOTHING, |rules| rules.decide = fair, &words).is_some());
}

#[test]
fn who_takes_silence_for_an_answer_is_refused_by_the_audit() {
    let change = |rules: &mut Rules| (rules.decide, rules.audited) = (deaf, true);
    assert!(found(Setting::Followed, A_FAULT, change, &["the audit refuses"]).is_some());
}

#[test]
fn who_forgets_that_data_is_of_the_newest_epoch_loses_some_whatever_its_record_says() {
    let sound = Rules { audited: false, ..Rules::of(Setting::Equal, 3) };
    let well = in_its_second_epoch(&sound);
    let rules = Rules { decide: belittling, ..sound };
    let mut explorer = Explorer::with(Setting::Equal, rules);
    explorer.well = well;
    assert!(found_by(&explorer, Budget::NOTHING, &["whatever its record says"]).is_some());
}

#[test]
fn who_writes_nothing_down_never_comes_to_rest() {
    let words = ["never comes to rest", "seeds while"];
    assert!(found(Setting::Equal, Budget::NOTHING, |rules| rules.decide = forgetful, &words).is_some());
}

#[test]
fn who_always_finds_something_to_do_never_comes_to_rest() {
    let words = ["never comes to rest"];
    assert!(found(Setting::Equal, Budget::NOTHING, |rules| rules.decide = restless, &words).is_some());
}

#[test]
fn who_stops_the_last_that_serves_though_some_are_wanted_is_found_out() {
    let found =
        found(Setting::Equal, Budget::NOTHING, |rules| rules.decide = shrinking, &["is ended (Size)"]);
    assert!(found.is_some_and(|what| what.contains("the last member that serves")));
}

#[test]
fn who_never_says_why_it_waits_is_found_out() {
    let words = ["no key is named"];
    assert!(found(Setting::Followed, Budget::NOTHING, |rules| rules.decide = silent, &words).is_some());
}

#[test]
fn who_names_keys_that_fit_nothing_is_found_out() {
    let words = ["is refused"];
    assert!(found(Setting::Equal, Budget::NOTHING, |rules| rules.decide = misleading, &words).is_some());
}

/// What is found first near the moment in which a new set is seeded, where no lock is left behind by an application.
fn near_a_seed(moment: fn(&State) -> bool, left: Budget, change: impl Fn(&mut Rules)) -> Option<String> {
    let mut rules = Rules { audited: false, ..Rules::of(Setting::Equal, 3) };
    rules.options.flock = Flock::Dropped;
    let mut state = Start::anew(Setting::Equal).state(&rules, &State::well(&rules), left);
    while !moment(&state) {
        state = state.next(&rules).expect("a new set is seeded").1;
    }
    change(&mut rules);
    explore(Rest::new(&rules, &Known::default()), state, Some(60_000)).err().map(|found| found.what)
}

fn is_sent(state: &State) -> bool {
    state.flights.iter().any(Flight::acts)
}

fn is_to_be_promised(state: &State) -> bool {
    let seeds = |effect: &Effect| matches!(effect, Effect::Step(step) if matches!(&**step, Step::Run(run) if run.command == Command::Seed));
    state.life.queue.iter().any(seeds)
}

fn seeds_twice(found: &Option<String>) -> bool {
    found.as_ref().is_some_and(|what| what.contains("seeds while"))
}

/// Believes that a start of which this operator knows nothing is over, unless its member came to life.
fn forgetting(seen: &Observation, memory: &Memory) -> Plan {
    let (mut seen, mut memory) = (seen.clone(), memory.clone());
    let attempts = seen.attempts.clone();
    let claims = seen.replicas.values_mut().flat_map(|replica| &mut replica.claims);
    let records = claims.filter_map(|claim| claim.record.as_mut()).chain(memory.holders.values_mut());
    let knows = |start: &Begun| start.confirmed || start.ended || attempts.contains_key(&start.attempt);
    records.for_each(|record| record.open.retain(knows));
    decide(&seen, &memory)
}

/// The command of the one that died begins after the next one has made sure that it never will.
#[test]
fn a_guard_that_lets_revoked_commands_begin_is_found_out() {
    let found = near_a_seed(is_sent, Budget::A_TROUBLE, |rules| rules.guarded = false);
    assert!(seeds_twice(&found), "{found:?}");
}

/// Whoever comes after an operator that died asks what became of its commands.
#[test]
fn who_forgets_what_another_operator_began_is_found_out_by_a_crash_alone() {
    let forgets = |left| near_a_seed(is_sent, left, |rules| rules.decide = forgetting);
    assert!(seeds_twice(&forgets(Budget::A_TROUBLE)), "{:?}", forgets(Budget::A_TROUBLE));
    assert!(!seeds_twice(&forgets(Budget::NOTHING)), "{:?}", forgets(Budget::NOTHING));
}

/// It is promised on the claim and in the status, and whoever sent it knows of it too: one of them is enough.
#[test]
fn who_goes_on_without_a_promise_is_found_out_where_both_fail_before_it_dies() {
    let careless = |left| near_a_seed(is_to_be_promised, left, |rules| rules.heeds = false);
    let troubles = |troubles| careless(Budget { troubles, ..Budget::NOTHING });
    assert!(seeds_twice(&troubles(3)), "{:?}", troubles(3));
    assert_eq!(troubles(0), None);
}

#[test]
fn two_runs_of_the_same_world_differ_in_names_alone() {
    let rules = Rules::of(Setting::Equal, 3);
    let state = State::well(&rules);
    let state = Start::anew(Setting::Equal).state(&rules, &state, Budget::NOTHING);
    let mut later = state.clone();
    later.serial.name("pod");
    let next = |state: &State| state.next(&rules).map(|(_, next)| fingerprint(&next));
    assert_eq!(next(&state), next(&later));
    assert_ne!(next(&state), Some(fingerprint(&state)));
}
