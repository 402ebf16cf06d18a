//! When an epoch begins, look by look.

use crate::decision::Verdict;
use crate::fixture::{
    answer, confirmed, container, holder, memory, name, record, running, start, stopped_set,
};
use crate::measure::Measure;
use crate::memory::{Epoch, Outage};
use crate::observation::{Command, Role, Status};
use crate::start::{Start, StartKind};
use crate::timer::{Age, Timer};
use crate::{Memory, Observation, Position, Record, Step, decide};

#[test]
fn a_seed_seen_primary_opens_an_epoch_with_what_it_held() {
    let mut seeding: Record = record(0).confirmed_in(1);
    let mut promised = start(0, "seed");
    (promised.kind, promised.confirmed, promised.from) = (StartKind::Seed, false, Some(Position::Ordinal(9)));
    seeding.open.push(promised);
    let mut known = memory([seeding, record(1).confirmed_in(1)]);
    known.outage = Some(Outage::default());
    let plan = decide(&stopped_set(2).answers(0, 0), &known);
    assert_eq!(plan.memory.epoch.number, 2);
    assert_eq!(plan.memory.epoch.base.unwrap().position, Position::Ordinal(9));
    assert_eq!(plan.memory.outage, None);
    let confirmed: Vec<u64> = plan.memory.holders.values().map(|record| record.confirmed).collect();
    assert_eq!(confirmed, [2, 1], "the other has to be brought in");
}

#[test]
fn who_comes_up_when_an_epoch_has_begun_without_it_and_another_leads_in_that_begins_no_further_one() {
    for (sentence, leads, epoch) in [("another leads", true, 2), ("nobody does", false, 3)] {
        let mut late: Record = record(0).confirmed_in(1);
        let mut promised = start(0, "seed");
        (promised.kind, promised.confirmed) = (StartKind::Seed, false);
        late.open.push(promised);
        let other = record(1).confirmed_in(2).open_start("b");
        let known = memory([late, if leads { other } else { record(1).confirmed_in(2) }]);
        let seen = stopped_set(2).answers(0, 0);
        let seen = if leads { seen.answers(1, 0) } else { seen };
        let plan = decide(&seen, &known);
        assert_eq!(plan.memory.epoch.number, epoch, "{sentence}");
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
    }
}

#[test]
fn what_an_epoch_began_with_is_of_the_outage_and_the_reader_by_which_it_was_read() {
    let mut seeding: Record = record(0).confirmed_in(1);
    let mut promised = start(0, "seed");
    (promised.kind, promised.confirmed, promised.from) = (StartKind::Seed, false, Some(Position::Ordinal(9)));
    promised.measure = Measure { outage: 4, reader: Some("another".into()) };
    let read = promised.measure.clone();
    seeding.open.push(promised);
    let mut known = memory([seeding]);
    (known.outage, known.outages) = (Some(Outage::default()), 5);
    let plan = decide(&stopped_set(1).answers(0, 0), &known);
    assert_eq!(
        plan.memory.epoch.base.unwrap().measure,
        read,
        "one more was counted while it came up, and another reads by now"
    );
}

#[test]
fn a_set_that_healed_itself_is_adopted_in_a_new_epoch() {
    let mut known = memory([0, 1, 2].map(|n| record(n).confirmed_in(4).at(7)));
    known.outage = Some(Outage::default());
    let plan = decide(&running(3), &known);
    assert_eq!((plan.memory.epoch.number, confirmed(&plan.memory)), (5, vec![5, 5, 5]));
}

/// Members 0 and 1 in these epochs, of which those run; 2 rests in epoch 4, the newest.
fn in_outage(confirmed: [u64; 2], runs: [bool; 2], change: fn(&mut Memory)) -> Memory {
    let mut known = memory([
        record(0).confirmed_in(confirmed[0]).at(7),
        record(1).confirmed_in(confirmed[1]).at(7),
        record(2).confirmed_in(4).at(7),
    ]);
    known.outage = Some(Outage::default());
    change(&mut known);
    let seen =
        [0, 1].iter().filter(|n| runs[**n as usize]).fold(stopped_set(3), |seen, n| seen.answers(*n, 0));
    let plan = decide(&seen, &known);
    assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
    let mut wrong = plan.clone();
    let older = wrong.memory.holders.get_mut(&holder(0)).unwrap();
    let is_left = (1..4).contains(&older.confirmed);
    older.confirmed = wrong.memory.epoch.number;
    assert_eq!(crate::audit(&seen, &known, &wrong).is_err(), is_left);
    plan.memory
}

/// Before the pause ended, member 0 was known to run by this.
fn ran(known: &mut Memory, kind: StartKind, opens: bool) {
    let record = known.holders.get_mut(&holder(0)).unwrap();
    record.open.push(Start { kind, opens, ..start(0, "before") });
    known.paused = true;
}

#[test]
fn after_an_outage_only_data_of_the_newest_epoch_or_what_a_person_started_begins_another() {
    let nothing: fn(&mut Memory) = |_| {};
    let paused: fn(&mut Memory) = |known| known.paused = true;
    let joining: fn(&mut Memory) = |known| known.holders.get_mut(&holder(0)).unwrap().joining = true;
    let before: fn(&mut Memory) = |known| ran(known, StartKind::Found, false);
    let by_hand: fn(&mut Memory) = |known| ran(known, StartKind::Found, true);
    let ours: fn(&mut Memory) = |known| ran(known, StartKind::Promote, true);
    let later: fn(&mut Memory) = |known| {
        ran(known, StartKind::Found, true);
        known.paused = false;
    };
    for (sentence, of, runs, change, epoch, after) in [
        ("the newest", [4, 4], [true, false], nothing, 5, [5, 4]),
        ("an older one alone", [3, 4], [true, false], nothing, 4, [3, 4]),
        ("an older one beside the newest", [3, 4], [true, true], nothing, 5, [3, 5]),
        ("one that was joining", [3, 4], [true, false], joining, 5, [5, 4]),
        ("one without a past", [0, 4], [true, false], nothing, 5, [5, 4]),
        ("an older one alone, after a pause", [3, 4], [true, false], paused, 5, [5, 4]),
        ("an older one beside the newest, after a pause", [3, 4], [true, true], paused, 5, [5, 5]),
        ("an older one that was seen after the pause before", [3, 4], [true, false], by_hand, 5, [5, 4]),
        ("an older one that ran before the pause", [3, 4], [true, false], before, 4, [3, 4]),
        ("an older one that ran before it, beside the newest", [3, 4], [true, true], before, 5, [3, 5]),
        ("an older one of ours, after a pause", [3, 4], [true, false], ours, 4, [3, 4]),
        ("an older one that a person started, in a later outage", [3, 4], [true, false], later, 4, [3, 4]),
    ] {
        let memory = in_outage(of, runs, change);
        assert_eq!((memory.epoch.number, &confirmed(&memory)[..2]), (epoch, &after[..]), "{sentence}");
        assert_eq!(memory.outage.is_none(), epoch == 5, "{sentence}");
    }
}

/// A person started member 0 of epoch 3 in a pause, and 1 says this in the first look after it; then it rests.
fn after_a_pause(first: Status, age: Option<Timer>) -> [Memory; 2] {
    let mut known = memory([
        record(0).confirmed_in(3).at(7),
        record(1).confirmed_in(4).at(7),
        record(2).confirmed_in(4).at(7),
    ]);
    (known.outage, known.paused) = (Some(Outage::default()), true);
    let mut seen = stopped_set(3).answers(0, 0);
    seen.pod_mut(1).status = first;
    seen.ages.extend(age.map(|timer| (timer, Age::Ripe)));
    let look = |seen: &Observation, known: &Memory| {
        let plan = decide(seen, known);
        assert_eq!(crate::audit(seen, known, &plan), Ok(()));
        let touches = |step: &Step| matches!(step, Step::Run(run) if run.replica == name(0) && run.command != Command::Probe);
        assert!(!plan.steps.iter().any(touches), "{:?}", plan.steps);
        plan.memory
    };
    let one = look(&seen, &known);
    let two = look(&seen.answers(1, 7), &one);
    [one, two]
}

#[test]
fn what_a_person_started_in_a_pause_counts_until_all_are_heard_or_silent_for_long() {
    let silent = || Status::Silent("lost".to_owned());
    for (sentence, first, age, epoch, paused) in [
        ("all are heard", answer(1, 7), None, 5, false),
        ("one gives no answer for once", silent(), None, 4, true),
        ("one gives none for long", silent(), Some(Timer::Silent(name(1), container(1))), 5, false),
        ("one says for once that it failed", answer(1, 1), None, 4, true),
        ("one says so for long", answer(1, 1), Some(Timer::Failed(name(1), container(1))), 5, false),
    ] {
        let [one, two] = after_a_pause(first, age);
        assert_eq!((one.epoch.number, one.paused), (epoch, paused), "{sentence}");
        assert_eq!(
            (two.epoch.number, confirmed(&two)[0], two.paused),
            (5, 5, false),
            "{sentence}: it is adopted"
        );
    }
}

/// Member 0 was primary of epoch 4 and rests at 12, 1 follows and says that it holds at least 9; an outage began.
fn followed(primaries: u32, change: fn(&mut Observation, &mut Memory)) -> (Observation, Memory) {
    let mut seen = stopped_set(2).answers(1, 0);
    (seen.target.has_secondary, seen.target.primaries) = (true, primaries);
    seen.pod_mut(1).active = Some(true);
    seen.pod_mut(1).role = Some(Role::Secondary);
    let answer = vec![name(1)];
    seen.verdicts.primaries = Some(Verdict::Proposed { answer, why: String::new() });
    let mut old = record(0).confirmed_in(4).at(12);
    old.last = Some(Role::Primary);
    let mut follower = record(1).confirmed_in(4).at(9);
    follower.running = follower.reading.take();
    follower = follower.open_start("b");
    follower.running.as_mut().unwrap().starts = follower.starts;
    follower.last = Some(Role::Secondary);
    let mut known = memory([old, follower]);
    known.outage = Some(Outage::default());
    change(&mut seen, &mut known);
    (seen, known)
}

#[test]
fn who_follows_begins_no_epoch_after_an_outage_and_who_led_keeps_what_it_holds() {
    let nothing: fn(&mut Observation, &mut Memory) = |_, _| {};
    let joining: fn(&mut Observation, &mut Memory) =
        |_, known| known.holders.get_mut(&holder(1)).unwrap().joining = true;
    let paused: fn(&mut Observation, &mut Memory) = |_, known| known.paused = true;
    let by_hand: fn(&mut Observation, &mut Memory) = |_, known| {
        known.paused = true;
        known.holders.get_mut(&holder(1)).unwrap().open.clear();
    };
    let leads: fn(&mut Observation, &mut Memory) = |seen, _| {
        *seen = seen.clone().answers(1, 8);
        seen.pod_mut(1).role = Some(Role::Primary);
    };
    for (sentence, primaries, change, epoch, goes_on, starts) in [
        ("it follows", 1, nothing, 4, true, Some(Command::Seed)),
        ("it was being brought in", 1, joining, 4, true, Some(Command::Seed)),
        ("nobody is to lead", 0, nothing, 4, false, None),
        ("the set was paused", 1, paused, 4, true, None),
        ("it was started in a pause", 1, by_hand, 4, true, None),
        ("it leads", 1, leads, 5, false, None),
    ] {
        let (seen, known) = followed(primaries, change);
        let plan = decide(&seen, &known);
        assert_eq!(plan.memory.epoch.number, epoch, "{sentence}");
        assert_eq!(plan.memory.outage.is_some(), goes_on, "{sentence}");
        let begun = plan.steps.iter().find_map(|step| match step {
            Step::Run(run) if run.command.is_start() && run.replica == name(0) => Some(run.command),
            _ => None,
        });
        if goes_on {
            let mut wrong = plan.clone();
            (wrong.memory.epoch, wrong.memory.outage) = (Epoch { number: 5, ..Epoch::default() }, None);
            let found = crate::audit(&seen, &known, &wrong).unwrap_err();
            assert!(found.iter().any(|breach| breach.rule == crate::audit::Rule::Epoch), "{found:?}");
        }
        assert_eq!(begun.filter(|command| *command == Command::Seed), starts, "{sentence}: {:?}", plan.steps);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
    }
}

/// Members 0 and 1 led epoch 1; 0 was seeded at 9 in an outage, and was seen to follow before it led.
fn led_at_last(change: fn(&mut Observation, &mut Memory)) -> (Observation, Memory) {
    let mut seen = stopped_set(2).answers(0, 0);
    (seen.target.has_secondary, seen.target.primaries) = (true, 1);
    (seen.pod_mut(0).active, seen.pod_mut(0).role) = (Some(true), Some(Role::Secondary));
    let mut known = memory([0, 1].map(|n| record(n).confirmed_in(1).at(u64::from(9 - n))));
    known.holders.values_mut().for_each(|record| record.last = Some(Role::Primary));
    known.outage = Some(Outage::default());
    let seeding = known.holders.get_mut(&holder(0)).unwrap();
    let mut promised = start(0, "seed");
    (promised.kind, promised.confirmed, promised.opens) = (StartKind::Seed, false, true);
    promised.from = Some(Position::Ordinal(9));
    seeding.open.push(promised);
    seeding.starts += 1;
    let followed = decide(&seen, &known);
    assert_eq!(crate::audit(&seen, &known, &followed), Ok(()));
    assert_eq!((followed.memory.epoch.number, followed.memory.outage.is_some()), (1, true));
    (seen, known) = (seen.answers(0, 8), followed.memory);
    change(&mut seen, &mut known);
    (seen, known)
}

/// What comes of that stands on one claim already.
pub(super) fn write(seen: &mut Observation, known: &Memory, ordinal: u32) {
    let record = decide(seen, known).memory.holders.remove(&holder(ordinal));
    seen.replicas.get_mut(&name(ordinal)).unwrap().claims[0].record = record;
}

#[test]
fn a_seed_that_is_seen_to_follow_before_it_leads_begins_with_what_it_held() {
    type Change = fn(&mut Observation, &mut Memory);
    let before: Change = |_, known| known.outages += 1;
    let over: Change = |_, known| known.outage = None;
    let joined: Change = |_, known| {
        known.holders.get_mut(&holder(0)).unwrap().open[0].kind = StartKind::Follow;
    };
    let nine = Some(Position::Ordinal(9));
    for (sentence, change, base) in [
        ("it leads now", (|_, _| {}) as Change, nine.clone()),
        ("that stands on its own claim already", |seen, known| write(seen, known, 0), nine.clone()),
        ("that stands on another claim already", |seen, known| write(seen, known, 1), nine),
        ("it was seeded in an outage before", before, None),
        ("the outage is over since", over, None),
        ("it was told to follow", joined, None),
    ] {
        let (seen, known) = led_at_last(change);
        let plan = decide(&seen, &known);
        let of_epoch = plan.memory.epoch.base.as_ref().map(|base| base.position.clone());
        assert_eq!((plan.memory.epoch.number, of_epoch), (2, base), "{sentence}");
        assert_eq!((confirmed(&plan.memory), &plan.memory.outage), (vec![2, 1], &None), "{sentence}");
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
    }
}
