//! Who leaves where identities are given once, and what has to be known before.

use super::leads::led_by_who_leaves;
use crate::fixture::{holder, measure, memory, name, record, start, stopped_set};
use crate::memory::Base;
use crate::names::ReplicaName;
use crate::observation::{Command, Role, Status};
use crate::plan::Scope;
use crate::position::{History, Position};
use crate::record::Reading;
use crate::target::Identities;
use crate::timer::{Age, Timer};
use crate::{Memory, Observation, Plan, Record, Step, audit, decide};

type Change = fn(&mut Observation, &mut Memory);

/// Members 1 and 2 serve, 0 rests and was left behind, read as a number; two are wanted.
fn shrinking(change: Change) -> (Observation, Memory) {
    let mut seen = stopped_set(3).answers(1, 0).answers(2, 0);
    (seen.target.identities, seen.target.replicas, seen.target.primaries) = (Identities::GivenOnce, 2, 2);
    for ordinal in 1..3 {
        let pod = seen.pod_mut(ordinal);
        (pod.active, pod.role) = (Some(true), Some(Role::Primary));
    }
    let last = Record { left: true, ..record(0).confirmed_in(1).at(3) };
    let serves = |n: u32| record(n).confirmed_in(1).open_start(&format!("a{n}"));
    let mut known = memory([last, serves(1), serves(2)]);
    change(&mut seen, &mut known);
    (seen, known)
}

fn last(known: &mut Memory) -> &mut Record {
    known.holders.get_mut(&holder(0)).unwrap()
}

/// The others are of a newer epoch than the one that rests.
fn older(known: &mut Memory) {
    known.epoch.number = 2;
    known.holders.values_mut().for_each(|record| record.confirmed = 2);
    last(known).confirmed = 1;
}

fn read_as(known: &mut Memory, reading: Reading) {
    last(known).reading = record(0).confirmed_in(1).reads(reading).reading;
}

fn given_up(plan: &Plan) -> Option<Vec<ReplicaName>> {
    plan.steps.iter().find_map(|step| match step {
        Step::Resize { to: 2, released, .. } => Some(released.clone()),
        _ => None,
    })
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn who_holds_least_goes_with_its_name_once_nobody_needs_what_it_held() {
    let silent: Change = |seen, known| {
        seen.replicas.get_mut(&name(0)).unwrap().pod = None;
        last(known).reading = None;
    };
    let cases: [(&str, Change, bool, Option<&str>); 16] = [
        ("others went on without it", |_, _| {}, true, None),
        (
            "nobody is known to have gone on without it",
            |_, known| last(known).left = false,
            false,
            Some("Unread"),
        ),
        (
            "its history is known, and every later seed has to include it",
            |_, known| {
                last(known).left = false;
                read_as(known, Reading::At(Position::History(History::up_to("a", 3))));
            },
            true,
            None,
        ),
        ("it lost its data", |_, known| read_as(known, Reading::Empty), false, Some("LostData")),
        ("it is of an older epoch", |_, known| older(known), false, Some("Errant")),
        (
            "it is of an older epoch, and this one began with as much",
            |_, known| {
                older(known);
                let position = Position::History(History::up_to("a", 9));
                known.epoch.base = Some(Base { position, measure: measure(0) });
                read_as(known, Reading::At(Position::History(History::up_to("a", 3))));
                last(known).confirmed = 1;
            },
            true,
            None,
        ),
        (
            "it is of an older epoch, and left unread",
            |seen, known| {
                older(known);
                seen.replicas.get_mut(&name(0)).unwrap().pod = None;
                last(known).reading = None;
            },
            false,
            Some("Unread"),
        ),
        (
            "a person gave its data up",
            |seen, known| {
                seen.replicas.get_mut(&name(0)).unwrap().pod = None;
                (last(known).waived, last(known).reading) = (true, None);
            },
            true,
            None,
        ),
        ("it left unread", silent, false, Some("Unread")),
        (
            "its claim never had a volume",
            |seen, known| {
                let waits = seen.replicas.get_mut(&name(0)).unwrap();
                waits.claims[0].bound = false;
                waits.pod.as_mut().unwrap().container = None;
                *last(known) = record(0);
            },
            true,
            None,
        ),
        (
            "something that was started of it may live",
            |_, known| {
                let mut open = start(0, "b");
                (open.pod, open.container) = ("before".into(), "before".into());
                last(known).open.push(open);
            },
            false,
            Some("StartOpen"),
        ),
        (
            "it is one of its own beside those of the other workload",
            |seen, _| {
                seen.elsewhere.insert("pod rss-x-0".to_owned());
            },
            false,
            Some("OtherWorkload"),
        ),
        (
            "its pod and its claims are gone",
            |seen, _| {
                let gone = seen.replicas.get_mut(&name(0)).unwrap();
                (gone.pod, gone.claims) = (None, Vec::new());
            },
            true,
            None,
        ),
        (
            "it was given up before",
            |seen, _| {
                let workload = seen.workload.as_mut().unwrap();
                workload.released.insert(name(0));
                workload.replicas = 2;
            },
            false,
            None,
        ),
        (
            "somebody else wrote the size, and named nobody",
            |seen, _| {
                seen.workload.as_mut().unwrap().replicas = 2;
            },
            true,
            None,
        ),
        ("all are wanted", |seen, _| seen.target.replicas = 3, false, None),
    ];
    for (sentence, change, goes, hold) in cases {
        let (seen, known) = shrinking(change);
        let plan = decide(&seen, &known);
        assert_eq!(audit(&seen, &known, &plan), Ok(()), "{sentence}");
        let expected = goes.then(|| vec![name(0)]);
        assert_eq!(given_up(&plan), expected, "{sentence}: {:?} {:?}", plan.steps, plan.holds);
        let told: Vec<_> = plan.holds.iter().map(|hold| hold.reason.name()).collect();
        assert!(hold.is_none_or(|hold| told.contains(&hold)), "{sentence}: {told:?}");
    }
}

#[test]
fn no_time_gives_up_who_cannot_be_read_and_a_person_can() {
    for epoch in ["the newest", "an older one"] {
        let (mut seen, mut known) = shrinking(|seen, known| {
            seen.replicas.get_mut(&name(0)).unwrap().pod = None;
            last(known).reading = None;
        });
        if epoch == "an older one" {
            older(&mut known);
        }
        seen.ages.insert(Timer::Leaving(name(0)), Age::Ripe);
        let plan = decide(&seen, &known);
        assert_eq!(given_up(&plan), None, "{epoch}: {:?}", plan.steps);
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "Unread").unwrap();
        seen.target.keys = hold.keys.clone();
        let plan = decide(&seen, &known);
        assert_eq!(given_up(&plan), Some(vec![name(0)]), "{epoch}: {:?}", plan.holds);
        assert_eq!(audit(&seen, &known, &plan), Ok(()), "{epoch}");
    }
}

#[test]
fn of_a_set_that_is_only_to_rest_nobody_is_given_up() {
    let (seen, known) = shrinking(|seen, known| {
        seen.target.replicas = 0;
        *seen = seen.clone().answers(1, 7).answers(2, 7);
        for record in known.holders.values_mut() {
            (record.open, record.left) = (Vec::new(), true);
        }
        for ordinal in 1..3 {
            (seen.pod_mut(ordinal).active, seen.pod_mut(ordinal).role) = (Some(false), Some(Role::Stopped));
            let read = Record { left: true, ..record(ordinal).confirmed_in(1).at(3) };
            known.holders.insert(read.holder.clone(), read);
        }
    });
    let plan = decide(&seen, &known);
    let goes = |step: &Step| matches!(step, Step::Resize { .. } | Step::Recycle { .. });
    assert!(!plan.steps.iter().any(goes), "{:?}", plan.steps);
    assert_eq!(plan.memory.restore_replicas, Some(3));
}

#[test]
fn who_leaves_is_stopped_first_and_it_is_one_that_takes_no_writes() {
    let (mut seen, known) = shrinking(|_, _| {});
    (seen.target.replicas, seen.target.primaries, seen.target.has_secondary) = (1, 1, true);
    seen.pod_mut(1).role = Some(Role::Secondary);
    let seen = seen.answers(1, 0).answers(2, 8);
    let plan = decide(&seen, &known);
    let stops = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Stop && run.replica == name(1));
    assert!(plan.steps.iter().any(stops), "{:?} {:?}", plan.steps, plan.holds);
    assert!(!plan.steps.iter().any(|step| step.replica() == Some(&name(2))), "{:?}", plan.steps);
}

#[test]
fn a_primary_that_was_lost_is_not_given_up_until_another_has_its_place() {
    let (mut seen, mut known) = led_by_who_leaves();
    seen.target.identities = Identities::GivenOnce;
    let led = known.holders.get_mut(&holder(2)).unwrap();
    led.reading.as_mut().unwrap().reading = Reading::At(Position::History(History::up_to("a", 9)));
    let plan = decide(&seen, &known);
    assert_eq!(given_up(&plan), None, "no follower holds all that it held");
    assert!(plan.holds.iter().any(|hold| hold.reason.name() == "LastServer"), "{:?}", plan.holds);
    let mut seen = seen.answers(0, 8);
    seen.pod_mut(0).role = Some(Role::Primary);
    let plan = decide(&seen, &known);
    assert_eq!(given_up(&plan), Some(vec![name(2)]), "another has its place: {:?}", plan.holds);
    assert_eq!(audit(&seen, &known, &plan), Ok(()));
}

#[test]
fn a_primary_that_was_lost_is_not_given_up_while_it_is_not_clear_what_the_one_holds_that_leads_unbidden() {
    for (is_clear, reason) in [(true, "Errant"), (false, "NoPrimary")] {
        let (seen, mut known) = led_by_who_leaves();
        let mut seen = seen.answers(0, 8);
        seen.target.identities = Identities::GivenOnce;
        seen.pod_mut(0).role = Some(Role::Primary);
        known.holders.values_mut().filter(|record| record.last.is_none()).for_each(|record| {
            record.last = Some(Role::Secondary);
        });
        let led = known.holders.get_mut(&holder(2)).unwrap();
        led.reading.as_mut().unwrap().reading = Reading::At(Position::History(History::up_to("a", 9)));
        if !is_clear {
            seen.pod_mut(1).status = Status::Silent("lost".to_owned());
        }
        let plan = decide(&seen, &known);
        assert_eq!(audit(&seen, &known, &plan), Ok(()));
        let of_it = plan.holds.iter().filter(|hold| hold.scope == Scope::Replica(name(2)));
        let told: Vec<_> = of_it.map(|hold| hold.reason.name()).collect();
        assert_eq!((given_up(&plan), told), (None, vec![reason]), "{:?}", plan.holds);
    }
}
