use crate::decision::Judgement;
use crate::fixture::{container, holder, memory, name, record, stopped_set};
use crate::guarantees::attempt;
use crate::names::ReplicaName;
use crate::observation::{AttemptState, Command, Output, Role, Status};
use crate::position::{History, Position};
use crate::record::{Reading, Record};
use crate::start::StartKind;
use crate::target::{Failover, Identities, Mode};
use crate::timer::{Age, Timer};
use crate::{Memory, Observation, Plan, Step, audit, decide, timers};

pub(crate) type Change = fn(&mut Observation, &mut Memory);

fn of(known: &mut Memory, ordinal: u32) -> &mut Record {
    known.holders.get_mut(&holder(ordinal)).unwrap()
}

/// Members 0 and 1 serve, 2 is on a machine that was not heard of for long.
pub(crate) fn stranded(change: Change) -> (Observation, Memory) {
    let mut seen = stopped_set(3).answers(0, 0).answers(1, 0);
    (seen.target.identities, seen.target.failover) = (Identities::GivenOnce, Failover::AllowLoss);
    for ordinal in 0..3 {
        let pod = seen.pod_mut(ordinal);
        (pod.active, pod.role) = (Some(ordinal < 2), Some(Role::Primary));
    }
    seen.pod_mut(2).status = Status::Silent("no route to host".to_owned());
    seen.nodes.get_mut(&"node-2".into()).unwrap().ready = false;
    seen.ages.insert(Timer::Lost(name(2)), Age::Ripe);
    let led = |n: u32| {
        let mut record = record(n).confirmed_in(1).open_start(&format!("a{n}"));
        record.last = Some(Role::Primary);
        record
    };
    let mut known = memory([0, 1, 2].map(led));
    change(&mut seen, &mut known);
    (seen, known)
}

/// The pod of the lost one was made anew from this template, and is on no node.
fn unplaced(seen: &mut Observation, revision: &str) {
    let pod = seen.pod_mut(2);
    (pod.node, pod.container, pod.revision) = (None, None, revision.into());
}

/// A member that serves was asked, and said this.
pub(crate) fn said(seen: &mut Observation, ordinal: u32, reading: Reading) {
    let (stdout, stderr) = (String::new(), String::new());
    let ended = AttemptState::Ended(Output { code: 0, stdout, stderr, truncated: false });
    let mut asked = attempt(ordinal, Command::Read, ended);
    (asked.at_rest, asked.locked) = (false, false);
    let id = crate::names::AttemptId(format!("read-{ordinal}"));
    seen.attempts.insert(id.clone(), asked);
    seen.verdicts.readings.insert(id, Judgement::from(reading));
}

pub(crate) fn nine() -> Reading {
    Reading::At(Position::History(History::up_to("a", 9)))
}

fn asked(plan: &Plan) -> Vec<ReplicaName> {
    let reads = |step: &Step| match step {
        Step::Run(run) if run.command == Command::Read => Some(run.replica.clone()),
        _ => None,
    };
    plan.steps.iter().filter_map(reads).collect()
}

#[test]
fn an_epoch_begins_without_who_is_lost_with_what_one_that_serves_says_that_it_holds() {
    let (mut seen, known) = stranded(|_, _| {});
    let plan = decide(&seen, &known);
    assert_eq!((asked(&plan), plan.memory.epoch.number), (vec![name(0), name(1)], 1), "{:?}", plan.holds);
    assert_eq!(audit(&seen, &known, &plan), Ok(()));
    said(&mut seen, 1, nine());
    let plan = decide(&seen, &known);
    assert_eq!(audit(&seen, &known, &plan), Ok(()));
    let epoch = &plan.memory.epoch;
    let base = epoch.base.as_ref().map(|base| Reading::At(base.position.clone()));
    assert_eq!((epoch.number, base, &epoch.without), (2, Some(nine()), &vec![holder(2)]));
    let of = |n: u32| plan.memory.holders[&holder(n)].confirmed;
    assert_eq!([of(0), of(1), of(2)], [2, 2, 1]);
    let lost = &plan.memory.holders[&holder(2)];
    assert!(lost.waived && lost.open.len() == 1, "what was started of it keeps others from seeding");
    let again = decide(&seen, &plan.memory);
    assert_eq!((again.memory.epoch.number, asked(&again)), (2, Vec::new()));
    assert_eq!(audit(&seen, &plan.memory, &again), Ok(()));
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn nobody_is_given_up_that_may_come_back_be_read_or_is_not_to_be_lost() {
    let cases: [(&str, Change, bool); 24] = [
        ("it is lost", |_, _| {}, true),
        ("not for long", |seen, _| seen.ages.clear(), false),
        (
            "its machine is heard of",
            |seen, _| seen.nodes.get_mut(&"node-2".into()).unwrap().ready = true,
            false,
        ),
        ("it answers Stopped", |seen, _| *seen = seen.clone().answers(2, 7), false),
        ("its pod is gone", |seen, _| seen.replicas.get_mut(&name(2)).unwrap().pod = None, true),
        ("its pod has ended", |seen, _| seen.pod_mut(2).finished = true, true),
        (
            "its pod has ended, on a machine that is heard of",
            |seen, _| {
                seen.nodes.get_mut(&"node-2".into()).unwrap().ready = true;
                seen.pod_mut(2).finished = true;
            },
            true,
        ),
        (
            "its pod was told to end, on a machine that is heard of",
            |seen, _| {
                seen.nodes.get_mut(&"node-2".into()).unwrap().ready = true;
                seen.pod_mut(2).terminating = true;
            },
            true,
        ),
        ("its new pod fits on no machine", |seen, _| unplaced(seen, "r1"), true),
        (
            "its new pod fits on no machine, with a template that no other pod has",
            |seen, _| unplaced(seen, "r2"),
            false,
        ),
        (
            "its new pod fits on no machine, with a template that was good for all",
            |seen, known| {
                unplaced(seen, "r2");
                known.good = Some("r2".into());
            },
            true,
        ),
        (
            "its claim is gone, too, and no other is wanted",
            |seen, _| {
                seen.replicas.remove(&name(2));
                (seen.target.replicas, seen.target.primaries) = (2, 2);
                seen.workload.as_mut().unwrap().replicas = 2;
            },
            true,
        ),
        (
            "nobody has the place of another one that was given up",
            |seen, _| {
                (seen.target.replicas, seen.target.primaries) = (4, 4);
                seen.workload.as_mut().unwrap().replicas = 4;
            },
            false,
        ),
        (
            "it may have taken writes, and no loss is allowed",
            |seen, _| seen.target.failover = Failover::NoKnownLoss,
            false,
        ),
        (
            "it followed, and no loss is allowed",
            |seen, known| {
                seen.target.failover = Failover::NoKnownLoss;
                of(known, 2).last = Some(Role::Secondary);
            },
            true,
        ),
        (
            "it followed, and may have come to lead",
            |seen, known| {
                seen.target.failover = Failover::NoKnownLoss;
                let record = of(known, 2);
                record.last = Some(Role::Secondary);
                let mut promoted = record.open[0].clone();
                (promoted.kind, promoted.confirmed, promoted.attempt) =
                    (StartKind::Promote, false, "p".into());
                record.open.push(promoted);
            },
            false,
        ),
        ("nobody but a person gives up anything", |seen, _| seen.target.failover = Failover::Never, false),
        ("a person is asked each time", |seen, _| seen.target.mode = Mode::Ask, false),
        ("nobody is ever replaced", |seen, _| seen.target.replace_after = None, false),
        ("identities are numbers", |seen, _| seen.target.identities = Identities::Numbered, false),
        ("another one does not run", |seen, _| *seen = seen.clone().answers(1, 7), true),
        (
            "nobody leads that led",
            |_, known| {
                (0..2).for_each(|n| of(known, n).last = Some(Role::Secondary));
            },
            false,
        ),
        ("a person gave it up", |_, known| of(known, 2).waived = true, false),
        (
            "it was given up by name",
            |seen, _| {
                seen.workload.as_mut().unwrap().released.insert(name(2));
            },
            false,
        ),
    ];
    for (sentence, change, begins) in cases {
        let (mut seen, known) = stranded(change);
        said(&mut seen, 0, nine());
        let plan = decide(&seen, &known);
        assert_eq!(audit(&seen, &known, &plan), Ok(()), "{sentence}");
        assert_eq!(plan.memory.epoch.number == 2, begins, "{sentence}: {:?}", plan.holds);
    }
}

#[test]
fn an_epoch_that_stands_on_some_claims_when_an_operator_dies_is_everybodys_but_of_who_was_given_up() {
    let (mut seen, known) = stranded(|_, _| {});
    said(&mut seen, 0, nine());
    let begun = decide(&seen, &known).memory;
    for (sentence, written) in [("one that serves", 0), ("who is given up", 2)] {
        let (mut seen, known) = stranded(|_, _| {});
        seen.ages.clear();
        seen.replicas.get_mut(&name(written)).unwrap().claims[0].record =
            Some(begun.holders[&holder(written)].clone());
        for dark in [false, true] {
            let seen = if dark { seen.clone().answers(0, 7).answers(1, 7) } else { seen.clone() };
            let plan = decide(&seen, &known);
            assert_eq!(audit(&seen, &known, &plan), Ok(()), "{sentence}, dark {dark}");
            assert_eq!(plan.memory.epoch, begun.epoch, "{sentence}");
            let of = |n: u32| plan.memory.holders[&holder(n)].confirmed;
            assert_eq!([of(0), of(1), of(2)], [2, 2, 1], "{sentence}, dark {dark}");
            assert!(plan.memory.holders[&holder(2)].waived, "{sentence}");
        }
    }
}

#[test]
fn who_is_lost_is_measured_and_a_person_is_told_why_it_is_not_given_up() {
    let (seen, known) = stranded(|seen, _| seen.target.failover = Failover::NoKnownLoss);
    assert_eq!(timers(&seen, &known)[&Timer::Lost(name(2))].seconds, 600);
    let plan = decide(&seen, &known);
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == "Unread").unwrap();
    let said = "it is lost with its machine or its volume; recovery.failover is NoKnownLoss, and it may have taken writes";
    assert!(hold.reason.to_string().ends_with(said), "{}", hold.reason);
    let mut allowed = seen;
    allowed.target.keys.clone_from(&hold.keys);
    let plan = decide(&allowed, &known);
    assert!(plan.memory.holders[&holder(2)].waived, "{:?}", plan.holds);
    assert_eq!(audit(&allowed, &known, &plan), Ok(()));
}

#[test]
fn whoever_is_away_is_measured_whether_its_data_counts_or_not() {
    let cases: [(&str, Change, bool); 8] = [
        ("its data counts", |_, _| {}, true),
        ("it is to be brought in", |_, known| of(known, 2).joining = true, true),
        ("a person gave up what it held", |_, known| of(known, 2).waived = true, true),
        ("it is of an older epoch", |_, known| of(known, 2).confirmed = 0, true),
        (
            "its claims are gone before the set began",
            |seen, known| {
                *seen = seen.clone().answers(0, 7).answers(1, 7);
                seen.replicas.remove(&name(2));
                *known = memory([0, 1, 2].map(record));
            },
            false,
        ),
        ("it answers", |seen, _| *seen = seen.clone().answers(2, 7), false),
        ("nobody is ever replaced", |seen, _| seen.target.replace_after = None, false),
        (
            "it was given up by name",
            |seen, _| {
                seen.workload.as_mut().unwrap().released.insert(name(2));
            },
            false,
        ),
    ];
    for (sentence, change, expected) in cases {
        let (seen, known) = stranded(change);
        assert_eq!(timers(&seen, &known).contains_key(&Timer::Lost(name(2))), expected, "{sentence}");
    }
}

#[test]
fn one_that_serves_and_cannot_say_what_it_holds_is_asked_again_later() {
    let (mut seen, known) = stranded(|_, _| {});
    for ordinal in 0..2 {
        said(&mut seen, ordinal, Reading::Unreadable("exit 1".to_owned()));
    }
    let plan = decide(&seen, &known);
    assert_eq!((asked(&plan), plan.memory.epoch.number), (Vec::new(), 1));
    assert_eq!(audit(&seen, &known, &plan), Ok(()));
    seen.attempts.clear();
    seen.ages.insert(Timer::Unreadable(name(1), container(1)), Age::Ripe);
    assert_eq!(asked(&decide(&seen, &plan.memory)), [name(1)]);
}
