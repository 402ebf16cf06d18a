//! 4.7 to 4.12: who is stopped, replaced, sent away, told of, and by whose word.

use super::{attempt, holds, in_outage, key, runs, sends, serving};
use crate::fixture::{answer, container, memory, name, record, stopped_set};
use crate::key::KeyKind;
use crate::names::GroupId;
use crate::observation::{AttemptState, Command, ContainerState, Observation, Role, Status};
use crate::plan::News;
use crate::position::{History, Position};
use crate::record::Reading;
use crate::start::Lock;
use crate::timer::{Age, Timer};
use crate::{Memory, Plan, Step, decide};

fn running(number: u32) -> Memory {
    memory((0..number).map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))))
}

fn ripe(seen: &mut Observation, timer: Timer) {
    seen.ages.insert(timer, Age::Ripe);
}

fn recycled(plan: &Plan) -> usize {
    plan.steps.iter().filter(|step| matches!(step, Step::Recycle { .. })).count()
}

#[test]
fn one_of_an_older_epoch_is_left_alone_while_nobody_of_the_newest_serves() {
    let known = memory([record(0).confirmed_in(2), record(1).confirmed_in(1).open_start("a1")]);
    let mut seen = stopped_set(2).answers(1, 8);
    seen.pod_mut(0).status = Status::Silent("lost".to_owned());
    seen.pod_mut(1).role = Some(Role::Primary);
    assert!(!sends(&decide(&seen, &known), Command::Stop, 1));
}

#[test]
fn a_member_that_comes_up_is_repaired_neither_within_its_deadline_nor_while_it_gets_on() {
    let mut seen = serving(2, 1);
    let mut known = running(2);
    let start = &mut known.holders.get_mut(&crate::fixture::holder(1)).unwrap().open[0];
    (start.confirmed, start.lock) = (false, Lock::NotHeld);
    seen.pod_mut(1).status = answer(1, 1);
    ripe(&mut seen, Timer::Failed(name(1), container(1)));
    assert!(!sends(&decide(&seen, &known), Command::Stop, 1), "within its deadline");
    ripe(&mut seen, Timer::Deadline("a1".into()));
    assert!(sends(&decide(&seen, &known), Command::Stop, 1), "past it");
    let Status::Answer(mut said) = answer(1, 1) else { panic!("an answer") };
    said.progress = Some("half".to_owned());
    seen.pod_mut(1).status = Status::Answer(said);
    let plan = decide(&seen, &known);
    assert!(!sends(&plan, Command::Stop, 1) && holds(&plan, "Overdue"), "it gets on");
    ripe(&mut seen, Timer::NoProgress("a1".into(), Some("half".to_owned())));
    assert!(sends(&decide(&seen, &known), Command::Stop, 1), "it does not");
}

#[test]
fn one_member_is_repaired_at_a_time() {
    let mut seen = serving(3, 1).answers(1, 1).answers(2, 1);
    for ordinal in 1..3 {
        ripe(&mut seen, Timer::Failed(name(ordinal), container(ordinal)));
    }
    assert_eq!(runs(&decide(&seen, &running(3))).filter(|run| run.command == Command::Stop).count(), 1);
}

#[test]
fn a_container_that_cannot_start_is_given_time() {
    let mut seen = serving(2, 1);
    let pod = seen.pod_mut(1);
    pod.container.as_mut().unwrap().state = ContainerState::Waiting("CrashLoopBackOff".to_owned());
    let uid = pod.uid.clone();
    assert_eq!(recycled(&decide(&seen, &running(2))), 0);
    ripe(&mut seen, Timer::CannotStart(uid));
    assert_eq!(recycled(&decide(&seen, &running(2))), 1);
}

#[test]
fn who_leaves_waits_for_somebody_who_stays_and_for_the_end_of_its_starts() {
    let mut seen = stopped_set(2).answers(1, 8);
    seen.pod_mut(1).active = Some(true);
    seen.pod_mut(1).role = Some(Role::Primary);
    seen.target.replicas = 1;
    let plan = decide(&seen, &running(2));
    assert!(!sends(&plan, Command::Stop, 1) && holds(&plan, "LastServer"), "{:?}", plan.steps);

    let mut seen = serving(2, 1);
    seen.target.replicas = 1;
    let mut known = running(2);
    known.holders.get_mut(&crate::fixture::holder(1)).unwrap().open[0].lock = Lock::NotHeld;
    let resized = |plan: &Plan| plan.steps.iter().any(|step| matches!(step, Step::Resize { .. }));
    assert!(!resized(&decide(&seen, &known)), "its start is open");
    ripe(&mut seen, Timer::Leaving(name(1)));
    assert!(resized(&decide(&seen, &known)), "its time is up");
}

#[test]
fn a_template_that_runs_somewhere_is_not_refused() {
    let mut seen = serving(3, 2);
    let mut known = running(3);
    known.good = Some("r1".into());
    seen.workload.as_mut().unwrap().revision = "r2".into();
    seen.pod_mut(1).revision = "r2".into();
    let pod = seen.pod_mut(2);
    pod.revision = "r2".into();
    pod.container.as_mut().unwrap().state = ContainerState::Waiting("ErrImagePull".to_owned());
    let uid = pod.uid.clone();
    ripe(&mut seen, Timer::CannotStart(uid));
    assert_eq!(decide(&seen, &known).memory.refused, None);
}

#[test]
fn a_pod_in_which_a_command_runs_is_not_renewed() {
    let mut seen = serving(2, 1);
    seen.pod_mut(1).revision = "r0".into();
    let known = memory([record(0).confirmed_in(1).open_start("a0"), record(1).confirmed_in(1)]);
    assert_eq!(recycled(&decide(&seen, &known)), 1);
    seen.attempts.insert("r".into(), attempt(1, Command::Read, AttemptState::Running));
    assert_eq!(recycled(&decide(&seen, &known)), 0);
}

/// Two members that serve, each in a group of its own.
fn in_two_groups() -> Observation {
    let mut seen = serving(2, 2);
    for (ordinal, group) in [(0, "a"), (1, "b")] {
        let Status::Answer(mut said) = answer(ordinal, 8) else { panic!("an answer") };
        said.group = Some(GroupId::from(group));
        seen.pod_mut(ordinal).status = Status::Answer(said);
    }
    seen
}

#[test]
fn members_in_two_groups_lose_their_labels_and_nobody_is_stopped() {
    let (seen, by_hand) = (in_two_groups(), memory([0, 1].map(|n| record(n).confirmed_in(1))));
    for (sentence, known) in [("started by us", running(2)), ("started by a person", by_hand)] {
        let plan = decide(&seen, &known);
        let withdrawn = plan.steps.iter().filter(|step| matches!(step, Step::Label { active: false, .. }));
        assert_eq!((withdrawn.count(), runs(&plan).count()), (2, 0), "{sentence}: {:?}", plan.steps);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
    }
}

#[test]
fn who_stops_while_another_serves_has_left() {
    let known = memory([record(0).confirmed_in(1).open_start("a0"), record(1).confirmed_in(1)]);
    let left = |mut seen: Observation, lasts: bool| {
        if lasts {
            ripe(&mut seen, Timer::Behind(name(1)));
        }
        decide(&seen, &known).memory.of(&name(1)).any(|record| record.left)
    };
    assert!(left(serving(2, 1), true));
    assert!(!left(serving(2, 1), false), "one look is not enough");
    assert!(!left(stopped_set(2), true), "nobody serves");
}

#[test]
fn a_key_opens_on_its_facts_only_once_and_only_what_it_fits() {
    let read = |n| record(n).confirmed_in(1).at(9);
    let known = in_outage(memory([record(0).confirmed_in(1), read(1), read(2)]));
    let given = |known: &Memory, key: &crate::key::Key| {
        let mut seen = stopped_set(3);
        seen.target.keys = vec![key.clone()];
        decide(&seen, known)
    };
    let waived = |plan: &Plan, n| plan.memory.of(&name(n)).any(|record| record.waived);
    let offered = |kind, subject: &str| key(kind, subject, &stopped_set(3), &known);
    let fits = offered(KeyKind::AcceptLoss, "x-0");
    let plan = given(&known, &fits);
    assert!(waived(&plan, 0) && plan.news.contains(&News::KeyUsed(fits.text())));

    let mut again = plan.memory.clone();
    again.holders.values_mut().for_each(|record| record.waived = false);
    assert!(!waived(&given(&again, &fits), 0), "it was used");

    let mut changed = known.clone();
    changed.holders.values_mut().for_each(|record| record.starts += 1);
    let plan = given(&changed, &fits);
    assert!(!waived(&plan, 0) && plan.news.contains(&News::KeyRefused(fits.text())), "the facts changed");

    let mut of_another = fits.clone();
    of_another.subject = "x-1".to_owned();
    for wrong in [
        of_another,
        offered(KeyKind::AcceptLoss, "x-1"),
        offered(KeyKind::AcceptSeed, "x-0"),
        offered(KeyKind::AcceptLoss, "x-7"),
    ] {
        let plan = given(&known, &wrong);
        assert!(plan.news.contains(&News::KeyRefused(wrong.text())), "{wrong} is offered by no hold");
        assert!(plan.memory.holders.values().all(|record| !record.waived), "{wrong}");
    }
}

#[test]
fn a_set_of_another_installation_is_only_watched() {
    let known = in_outage(memory([record(0).confirmed_in(1)]));
    let mut seen = stopped_set(1);
    assert!(!decide(&seen, &known).steps.is_empty());
    seen.foreign = Some("other".to_owned());
    let plan = decide(&seen, &known);
    assert!(plan.steps.is_empty() && plan.memory == known && holds(&plan, "NotOurs"));
}

/// The audit goes by its own reading of the facts: what it takes for a breach stops the whole set.
#[test]
fn a_stale_key_is_refused_and_the_set_goes_on() {
    let known = in_outage(memory([0, 1].map(|n| record(n).confirmed_in(1))));
    let mut seen = stopped_set(2);
    let right = key(KeyKind::AcceptLoss, "x-1", &seen, &known);
    seen.target.keys = vec![crate::key::Key { facts: "7f3a9c01d2e4".to_owned(), ..right }];
    let plan = decide(&seen, &known);
    assert_eq!(plan.news, [News::KeyRefused(seen.target.keys[0].text())]);
    assert_eq!(runs(&plan).count(), 2, "both are read: {:?}", plan.holds);
    assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
}

#[test]
fn of_several_that_are_named_as_seed_at_once_the_last_counts_and_the_others_are_refused() {
    let history = |n: u32| {
        let position = Position::History(History::up_to(&format!("s{n}"), 5));
        record(n).confirmed_in(1).reads(Reading::At(position))
    };
    let known = in_outage(memory([0, 1].map(history)));
    let mut seen = stopped_set(2);
    let named = |n: u32| key(KeyKind::AcceptSeed, &name(n).0, &seen, &known);
    let keys = [named(1), named(0)];
    seen.target.keys = keys.to_vec();
    let plan = decide(&seen, &known);
    assert_eq!(plan.news, [News::KeyRefused(keys[0].text()), News::KeyUsed(keys[1].text())]);
    assert_eq!(plan.memory.outage.as_ref().unwrap().named, Some(crate::fixture::holder(0)));
    assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
}

#[test]
fn nobody_gives_up_a_member_that_is_well() {
    let known = running(2);
    let mut seen = serving(2, 2);
    seen.target.keys = vec![key(KeyKind::AcceptLoss, "x-1", &seen, &known)];
    let plan = decide(&seen, &known);
    assert_eq!(plan.news, [News::KeyRefused(seen.target.keys[0].text())]);
    assert!(plan.memory.holders.values().all(|record| !record.waived));
}
