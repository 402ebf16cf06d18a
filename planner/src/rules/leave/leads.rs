//! A primary that leaves, and how long each that leaves has.

use crate::fixture::{memory, name, record, start, stopped_set};
use crate::memory::Memory;
use crate::observation::{Command, Observation, Role};
use crate::record::Record;
use crate::start::StartKind;
use crate::target::Failover;
use crate::timer::{Age, Timer};
use crate::{Step, decide, timers};

/// Members 0 and 1 follow member 2, which was primary and leaves: it is stopped, and was read.
pub(super) fn led_by_who_leaves() -> (Observation, Memory) {
    let mut seen = stopped_set(3).answers(0, 0).answers(1, 0);
    (seen.target.replicas, seen.target.primaries, seen.target.has_secondary) = (2, 1, true);
    seen.target.failover = Failover::NoKnownLoss;
    for ordinal in 0..2 {
        (seen.pod_mut(ordinal).active, seen.pod_mut(ordinal).role) = (Some(true), Some(Role::Secondary));
    }
    let mut led = record(2).confirmed_in(1).at(9);
    led.last = Some(Role::Primary);
    let follower = |n: u32, attempt| {
        let mut record = record(n).confirmed_in(1).open_start(attempt);
        record.running = record.clone().at(5).reading;
        record
    };
    (seen, memory([follower(0, "a"), follower(1, "b"), led]))
}

#[test]
fn a_primary_that_was_lost_keeps_its_pod_or_gets_it_again_until_another_has_its_place() {
    let sizes = |seen: &Observation, known: &Memory| {
        let plan = decide(seen, known);
        assert_eq!(crate::audit(seen, known, &plan), Ok(()));
        let to = |step: &Step| if let Step::Resize { to, .. } = step { Some(*to) } else { None };
        plan.steps.iter().find_map(to)
    };
    let (seen, known) = led_by_who_leaves();
    assert_eq!(sizes(&seen, &known), None, "no follower holds all that it held");
    assert!(!timers(&seen, &known).contains_key(&Timer::Leaving(name(2))), "it is no longer than it may");
    let mut away = seen.clone();
    away.replicas.get_mut(&name(2)).unwrap().pod = None;
    away.workload.as_mut().unwrap().replicas = 2;
    assert_eq!(sizes(&away, &known), Some(3), "it alone may start beside them");
    let mut given_up = known.clone();
    given_up.holders.values_mut().filter(|r| r.replica == name(2)).for_each(|r| r.waived = true);
    assert_eq!(sizes(&away, &given_up), None, "a person gave it up");
    let mut alive = known.clone();
    alive.holders.values_mut().filter(|r| r.replica == name(2)).for_each(|record| {
        record.open.push(start(2, "may go on"));
    });
    assert_eq!(sizes(&away, &alive), None, "it may be alive: it is waited for, and not made anew");
    away.target.failover = Failover::Never;
    assert_eq!(sizes(&away, &known), None, "nobody takes its place without a person");
    let mut led = seen.answers(0, 8);
    led.pod_mut(0).role = Some(Role::Primary);
    assert_eq!(sizes(&led, &known), Some(2), "another has its place");
    assert!(timers(&led, &known).contains_key(&Timer::Leaving(name(2))));
}

#[test]
fn who_was_seeded_and_alone_leads_stays_until_it_ran_well_for_a_while() {
    type Change = fn(&mut Observation, &mut Record);
    let cases: [(&str, Change, bool); 5] = [
        ("its followers may lack what it holds", |_, _| {}, false),
        ("it runs well", |seen, _| _ = seen.ages.insert(Timer::Well(name(2)), Age::Ripe), true),
        ("it was promoted or joined", |_, leads| leads.open[0].kind = StartKind::Join, true),
        ("another leads too", |seen, _| *seen = seen.clone().answers(0, 8), true),
        ("all go", |seen, _| seen.target.replicas = 0, true),
    ];
    for (sentence, change, stops) in cases {
        let (seen, mut known) = led_by_who_leaves();
        let mut seen = seen.answers(2, 8);
        (seen.pod_mut(2).active, seen.pod_mut(2).role) = (Some(true), Some(Role::Primary));
        let mut leads = record(2).confirmed_in(1).open_start("c");
        leads.open[0].kind = StartKind::Seed;
        change(&mut seen, &mut leads);
        known.holders.insert(leads.holder.clone(), leads);
        let plan = decide(&seen, &known);
        let is_stop = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Stop && run.replica == name(2));
        assert_eq!(plan.steps.iter().any(is_stop), stops, "{sentence}: {:?}", plan.steps);
        assert_eq!(plan.holds.iter().any(|hold| hold.reason.name() == "LastServer"), !stops, "{sentence}");
    }
}

/// Within how many seconds each is to have left of those beyond the wanted size, with this done to a set of five.
fn times(change: impl Fn(&mut Observation, &mut Memory)) -> Vec<(u32, u64)> {
    let mut seen = (0..5).fold(stopped_set(5), |seen, n| seen.answers(n, if n == 4 { 8 } else { 0 }));
    (seen.target.replicas, seen.target.primaries, seen.target.has_secondary) = (3, 1, true);
    (seen.target.timeouts.stop, seen.target.timeouts.sequence) = (20, 10);
    let mut known = memory((0..5).map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
    change(&mut seen, &mut known);
    let seconds =
        |n: u32| timers(&seen, &known).get(&Timer::Leaving(name(n))).map(|ripening| (n, ripening.seconds));
    (0..5).rev().filter_map(seconds).collect()
}

#[test]
fn each_that_leaves_has_its_own_time_after_those_before_it() {
    assert_eq!(times(|_, _| {}), [(4, 30), (3, 60)]);
    let seeded = |_: &mut Observation, known: &mut Memory| {
        known.holders.values_mut().for_each(|record| record.open[0].kind = StartKind::Seed);
    };
    assert_eq!(times(seeded), [(4, 630), (3, 60)], "the primary is to run well for ten minutes first");
    let headless = |seen: &mut Observation, _: &mut Memory| *seen = seen.clone().answers(4, 7);
    assert_eq!(times(headless), [(4, 30)], "a secondary stays while a primary is to be found");
}
