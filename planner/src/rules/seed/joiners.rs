//! Who was joining when the others went: it may hold more than all of them.

use super::tests::{outage, proposes, read_set, seeded};
use crate::fixture::{container, holder, memory, name, record, stopped_set};
use crate::observation::{Command, Status};
use crate::timer::{Age, Timer};
use crate::{Memory, Observation, Plan, Record, Step, decide, timers};

#[test]
fn a_joiner_that_holds_more_than_every_candidate_waits_for_a_person() {
    let mut known = read_set([9, 9, 12]);
    let joiner = known.holders.get_mut(&crate::fixture::holder(2)).unwrap();
    (joiner.joining, joiner.confirmed) = (true, 0);
    let mut seen = proposes(stopped_set(3), 0);
    let plan = decide(&seen, &known);
    assert_eq!(seeded(&plan), None);
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == "JoinerAhead").unwrap();
    for (key, expected) in [(0, "x-2"), (1, "x-0")] {
        seen = proposes(seen, if key == 0 { 2 } else { 0 });
        seen.target.keys = vec![hold.keys[key].clone()];
        assert_eq!(seeded(&decide(&seen, &plan.memory)).as_deref(), Some(expected));
    }
    let holds = |at: u64| {
        let joiner = &mut known.clone();
        let record = joiner.holders.get_mut(&crate::fixture::holder(2)).unwrap();
        record.reading = record.clone().at(at).reading;
        seeded(&decide(&proposes(stopped_set(3), 0), joiner))
    };
    for (at, sentence) in [(9, "it holds no more"), (8, "it holds less")] {
        assert_eq!(holds(at).as_deref(), Some("x-0"), "{sentence}");
    }
}

/// Two that are read, and one between them that was joining.
fn with_a_joiner() -> Memory {
    let mut joiner = record(1).confirmed_in(1);
    joiner.joining = true;
    outage(memory([record(0).confirmed_in(1).at(9), joiner, record(2).confirmed_in(1).at(5)]))
}

fn reads_the_joiner(plan: &Plan) -> bool {
    let is_read = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Read && run.replica == name(1));
    plan.steps.iter().any(is_read)
}

#[test]
fn who_was_joining_is_read_for_as_long_as_another_is_waited_for() {
    let mut known = with_a_joiner();
    known.holders.insert(holder(2), record(2).confirmed_in(1));
    let mut away = proposes(stopped_set(3), 0);
    away.replicas.get_mut(&name(2)).unwrap().pod = None;
    away.ages.insert(Timer::Unasked(name(1), container(1)), Age::Ripe);
    let plan = decide(&away, &known);
    assert!(reads_the_joiner(&plan) && seeded(&plan).is_none(), "{:?}", plan.steps);
}

#[test]
fn who_was_joining_is_read_before_another_begins_and_not_waited_for_for_ever() {
    let asked = Timer::Unasked(name(1), container(1));
    type Change = fn(&mut Observation, &mut Record);
    let cases: [(&str, Change, bool); 5] = [
        ("it may hold more", |_, _| {}, true),
        ("it is not there", |seen, _| seen.replicas.get_mut(&name(1)).unwrap().pod = None, false),
        ("it gives no answer", |seen, _| seen.pod_mut(1).status = Status::Silent("no route".into()), false),
        ("it was given up", |_, joiner| joiner.waived = true, false),
        ("it never was one", |_, joiner| (joiner.joining, joiner.waived) = (false, true), false),
    ];
    for (sentence, change, expected) in cases {
        let (mut seen, mut known) = (proposes(stopped_set(3), 0), with_a_joiner());
        change(&mut seen, known.holders.get_mut(&holder(1)).unwrap());
        let plan = decide(&seen, &known);
        assert_eq!(reads_the_joiner(&plan), expected, "{sentence}: {:?} {:?}", plan.steps, plan.holds);
        assert_eq!(timers(&seen, &known).contains_key(&asked), expected, "{sentence}");
        if expected {
            assert_eq!(seeded(&plan), None, "{sentence}");
            seen.ages.insert(asked.clone(), Age::Ripe);
            assert_eq!(seeded(&decide(&seen, &known)).as_deref(), Some("x-0"), "{sentence}");
        }
    }
    let mut busy = with_a_joiner();
    busy.holders.get_mut(&holder(1)).unwrap().lock_busy = true;
    assert!(
        !timers(&stopped_set(3), &busy).contains_key(&asked),
        "only its lock tells whether it can be read"
    );
}

#[test]
fn a_joiner_that_is_ahead_is_read_anew_in_another_container_before_another_begins() {
    let mut known = with_a_joiner();
    let joiner = known.holders.get_mut(&holder(1)).unwrap();
    joiner.reading = joiner.clone().at(12).reading;
    let mut seen = proposes(stopped_set(3), 0);
    let plan = decide(&seen, &known);
    assert!(plan.holds.iter().any(|hold| hold.reason.name() == "JoinerAhead"), "{:?}", plan.holds);
    let pod = seen.pod_mut(1);
    pod.container.as_mut().unwrap().id = Some("another".into());
    if let Status::Answer(answer) = &mut pod.status {
        answer.container = "another".into();
    }
    let plan = decide(&seen, &plan.memory);
    assert!(reads_the_joiner(&plan) && seeded(&plan).is_none(), "{:?} {:?}", plan.steps, plan.holds);
}
