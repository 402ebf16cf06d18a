use crate::fixture::{memory, name, record, running, stopped_set};
use crate::key::KeyKind;
use crate::look::Look;
use crate::memory::Outage;
use crate::observation::Role;
use crate::plan::Cause;
use crate::record::{HolderId, Reading, Record};
use crate::start::{Lock, Start, StartKind};
use crate::target::Storage;
use crate::timer::{Age, Timer};
use crate::{Memory, Observation, Plan, Position, Step, decide};

type Change = fn(&mut Observation, &mut Memory);

fn of(ordinal: u32) -> HolderId {
    HolderId::Pod(format!("pod-{ordinal}").as_str().into())
}

fn at(known: &mut Memory, ordinal: u32) -> &mut Record {
    known.holders.get_mut(&of(ordinal)).unwrap()
}

/// Two members of epoch 2 whose data ends with their pods: both rest, 0 at 9 with an older template, 1 at 7.
fn set(change: Change) -> (Observation, Memory) {
    let mut seen = stopped_set(2);
    seen.target.storage = Storage::Pod;
    seen.replicas.values_mut().for_each(|replica| replica.claims.clear());
    seen.pod_mut(0).revision = "r0".into();
    let records = [(0, 9), (1, 7)].map(|(ordinal, number)| {
        let record = record(ordinal).confirmed_in(2).at(number);
        Record { holder: of(ordinal), ..record }
    });
    let mut known = memory(records);
    change(&mut seen, &mut known);
    (seen, known)
}

fn is_replaced(plan: &Plan) -> bool {
    plan.steps.iter().any(|step| matches!(step, Step::Recycle { replica, .. } if *replica == name(0)))
}

/// The seed of 0 ended, and it is stopped; no lock tells that all of it is over.
fn failed(seen: &mut Observation, known: &mut Memory) {
    seen.pod_mut(0).revision = "r1".into();
    let mine = at(known, 0);
    let (kind, lock, from) = (StartKind::Seed, Lock::NotHeld, Some(Position::Ordinal(9)));
    mine.open.push(Start { kind, lock, from, confirmed: false, ..crate::fixture::start(0, "seed") });
    mine.starts += 1;
    seen.ages.insert(Timer::StoppedOpen("seed".into()), Age::Ripe);
}

/// What is so, and whether the first gets a new pod.
const CASES: [(&str, Change, bool); 18] = [
    ("its template is corrected", |_, _| {}, false),
    ("another holds as much", |_, known| *at(known, 1) = at(known, 1).clone().at(9), true),
    (
        "another holds as much, and its pod is being deleted",
        |seen, known| {
            *at(known, 1) = at(known, 1).clone().at(9);
            seen.pod_mut(1).terminating = true;
        },
        false,
    ),
    (
        "another holds as much, and its pod has ended",
        |seen, known| {
            *at(known, 1) = at(known, 1).clone().at(9);
            seen.pod_mut(1).finished = true;
        },
        false,
    ),
    (
        "another holds as much, and gives no answer",
        |seen, known| {
            *at(known, 1) = at(known, 1).clone().at(9);
            seen.pod_mut(1).status = crate::observation::Status::Silent("lost".to_owned());
        },
        false,
    ),
    (
        "another holds as much, and is of an older epoch",
        |_, known| *at(known, 1) = at(known, 1).clone().confirmed_in(1).at(9),
        false,
    ),
    (
        "another holds as much, and is given up",
        |_, known| {
            *at(known, 1) = at(known, 1).clone().at(9);
            at(known, 1).waived = true;
        },
        false,
    ),
    ("it was not read", |_, known| at(known, 0).reading = None, false),
    (
        "it cannot be read",
        |_, known| {
            at(known, 0).reading.as_mut().unwrap().reading = Reading::Unreadable("x".into());
        },
        false,
    ),
    ("it holds nothing", |_, known| at(known, 0).reading.as_mut().unwrap().reading = Reading::Empty, true),
    ("it is of an older epoch", |_, known| at(known, 0).confirmed = 1, true),
    (
        "the set never began",
        |_, known| {
            known.epoch.number = 0;
            known.holders.values_mut().for_each(|record| *record = record.clone().confirmed_in(0));
        },
        true,
    ),
    ("its data was being replaced", |_, known| at(known, 0).joining = true, true),
    ("it is given up", |_, known| at(known, 0).waived = true, true),
    ("nobody is to lead", |seen, _| (seen.target.has_secondary, seen.target.primaries) = (true, 0), true),
    (
        "a primary lives",
        |seen, known| {
            *seen = seen.clone().answers(1, 8);
            (seen.pod_mut(1).active, seen.pod_mut(1).role) = (Some(true), Some(Role::Primary));
            at(known, 1).open.push(crate::fixture::start(1, "b"));
        },
        true,
    ),
    ("its seed came to nothing", failed, false),
    (
        "its seed came to nothing, and another holds what it began with",
        |seen, known| {
            failed(seen, known);
            *at(known, 1) = at(known, 1).clone().at(9);
        },
        true,
    ),
];

#[test]
fn what_alone_holds_the_newest_data_keeps_the_pod_that_this_would_end_with() {
    for (sentence, change, expected) in CASES {
        let (seen, known) = set(change);
        let plan = decide(&seen, &known);
        assert_eq!(is_replaced(&plan), expected, "{sentence}: {:?} {:?}", plan.steps, plan.holds);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
        assert!(plan.memory.repairs.is_empty() || expected, "{sentence}: nothing was done");
        let holds = plan.holds.iter().any(|hold| hold.reason.name() == "DataAlone");
        assert_eq!(holds, !expected, "{sentence}: {:?}", plan.holds);
    }
}

/// Its member hangs: it led 1, which follows and said that it holds less.
fn hung(seen: &mut Observation, known: &mut Memory) {
    (seen.target.has_secondary, seen.target.primaries) = (true, 1);
    seen.pod_mut(0).revision = "r1".into();
    seen.pod_mut(0).status = crate::observation::Status::Hung { shell_answers: true };
    seen.ages.insert(Timer::Hung(name(0), crate::fixture::container(0)), Age::Ripe);
    *seen = seen.clone().answers(1, 0);
    (seen.pod_mut(1).active, seen.pod_mut(1).role) = (Some(true), Some(Role::Secondary));
    for (ordinal, last) in [(0, Role::Primary), (1, Role::Secondary)] {
        let record = at(known, ordinal);
        record.open.push(crate::fixture::start(ordinal, &format!("s{ordinal}")));
        record.last = Some(last);
    }
}

#[test]
fn a_primary_that_hangs_and_alone_holds_its_data_is_replaced_at_a_persons_word() {
    let (mut seen, known) = set(hung);
    let plan = decide(&seen, &known);
    assert_eq!((is_replaced(&plan), crate::audit(&seen, &known, &plan)), (false, Ok(())));
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == "DataAlone").unwrap();
    assert!(hold.reason.needs_person(), "{}", hold.reason);
    seen.target.keys = hold.keys.iter().filter(|key| key.kind == KeyKind::AcceptLoss).cloned().collect();
    let after = decide(&seen, &plan.memory);
    assert_eq!((is_replaced(&after), crate::audit(&seen, &plan.memory, &after)), (true, Ok(())));
}

#[test]
fn what_fell_behind_and_alone_is_left_is_given_up_by_the_key_that_its_hold_offers() {
    let (mut seen, known) = set(|_, known| {
        known.outage = Some(Outage::default());
        at(known, 0).left = true;
    });
    let plan = decide(&seen, &known);
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == "DataAlone").unwrap();
    assert!(!hold.reason.needs_person(), "it may lead with the older template");
    seen.target.keys = hold.keys.clone();
    let after = decide(&seen, &plan.memory);
    assert!(is_replaced(&after), "{:?} {:?}", after.news, after.holds);
    assert_eq!(crate::audit(&seen, &plan.memory, &after), Ok(()));
}

#[test]
fn a_person_gives_up_what_ends_with_the_pod_or_vouches_for_what_was_started_there() {
    for (kind, expected) in [(KeyKind::AcceptLoss, true), (KeyKind::AssertFenced, false)] {
        let (mut seen, known) = set(failed);
        let plan = decide(&seen, &known);
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "DataAlone").unwrap();
        seen.target.keys = hold.keys.iter().filter(|key| key.kind == kind).cloned().collect();
        let after = decide(&seen, &plan.memory);
        assert_eq!(crate::audit(&seen, &plan.memory, &after), Ok(()), "{kind:?}");
        assert_eq!(is_replaced(&after), expected, "{kind:?}: {:?}", after.steps);
        let is_open = after.memory.holders[&of(0)].open.iter().any(|start| start.kind == StartKind::Seed);
        assert_eq!(is_open, expected, "{kind:?}");
    }
}

#[test]
fn another_holds_as_much_as_a_seed_began_with_only_while_nobody_saw_that_come_up() {
    for came_up in [false, true] {
        let (seen, mut known) = set(failed);
        *at(&mut known, 1) = at(&mut known, 1).clone().at(9);
        at(&mut known, 0).open[0].confirmed = came_up;
        let look = Look::new(&seen, known);
        assert_eq!(super::holds_alone(&look, &name(0), Cause::Answer), came_up);
    }
}

#[test]
fn only_who_was_seeded_where_it_leads_was_begun_again_there() {
    for (kind, pod, expected) in [
        (StartKind::Seed, "pod-0", true),
        (StartKind::Promote, "pod-0", false),
        (StartKind::Seed, "before", false),
    ] {
        let mut seen = running(2).answers(0, 8);
        (seen.target.has_secondary, seen.target.primaries) = (true, 1);
        seen.target.storage = Storage::Pod;
        seen.workload.as_mut().unwrap().revision = "r2".into();
        let mut leads = record(0).confirmed_in(2).starts(2);
        let here = crate::fixture::start(0, "s");
        let container = if pod == "pod-0" { here.container.clone() } else { "before".into() };
        leads.open.push(Start { kind, pod: pod.into(), container, ..here });
        let known = memory([
            Record { holder: of(0), ..leads },
            Record { holder: of(1), ..record(1).confirmed_in(2) },
        ]);
        let look = Look::new(&seen, known);
        assert_eq!(super::is_last_before_rollout(&look, &name(0)), expected, "{kind:?} in {pod}");
    }
}

#[test]
fn while_another_is_to_come_up_a_rollout_waits_for_that_and_asks_nobody() {
    let (mut seen, known) = set(|seen, known| {
        *seen = seen.clone().answers(0, 8);
        at(known, 0).open.push(crate::fixture::start(0, "a"));
    });
    (seen.pod_mut(0).active, seen.pod_mut(0).role) = (Some(true), Some(Role::Primary));
    let plan = decide(&seen, &known);
    let asks = plan.holds.iter().flat_map(|hold| &hold.keys).any(|key| key.subject == "x-0");
    let waits = plan.holds.iter().any(|hold| hold.reason.name() == "NotWell");
    assert_eq!((asks, waits), (false, true), "{:?}", plan.holds);
}

#[test]
fn a_rollout_stops_no_member_that_runs_alone_with_data_that_ends_with_its_pod() {
    for (size, storage, given_up, expected) in [
        (1, Storage::Pod, false, false),
        (1, Storage::Pod, true, true),
        (2, Storage::Pod, false, true),
        (1, Storage::Claims { lock: true }, false, true),
    ] {
        let mut seen = running(size);
        let mut records = Vec::new();
        for ordinal in 0..size {
            let pod = seen.pod_mut(ordinal);
            (pod.active, pod.role) = (Some(true), Some(Role::Primary));
            let record = record(ordinal).confirmed_in(1).open_start("a");
            let holder = if storage == Storage::Pod { of(ordinal) } else { record.holder.clone() };
            records.push(Record { holder, waived: given_up, ..record });
        }
        seen.target.storage = storage;
        seen.workload.as_mut().unwrap().revision = "r2".into();
        let known = memory(records);
        let plan = decide(&seen, &known);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
        let is_told = plan.holds.iter().any(|hold| hold.reason.name() == "DataAlone");
        assert_eq!((plan.steps.is_empty(), is_told), (!expected, !expected), "{size} on {storage:?}");
        let stays = plan.memory.holders.values().any(|record| record.waived);
        assert_eq!(stays, given_up, "it runs, and is given up until its pod is gone");
        if is_told {
            seen.target.keys = plan.holds.iter().flat_map(|hold| hold.keys.clone()).collect();
            assert!(!decide(&seen, &plan.memory).steps.is_empty(), "a person gives it up");
        }
    }
}
