use crate::decision::Verdict;
use crate::fixture::{container, headless, measure, memory, name, record, stopped_set};
use crate::key::KeyKind;
use crate::memory::Base;
use crate::observation::{AttemptState, Command, Role, Status};
use crate::position::History;
use crate::record::Reading;
use crate::target::Failover;
use crate::timer::{Age, Timer};
use crate::{Memory, Observation, Plan, Position, Record, Step, decide};

pub(super) fn orders(seen: &mut Observation, order: &[u32]) {
    let answer = order.iter().map(|n| name(*n)).collect();
    seen.verdicts.primaries = Some(Verdict::Proposed { answer, why: String::new() });
}

pub(super) fn started(plan: &Plan) -> Vec<String> {
    let text = |step: &Step| match step {
        Step::Run(run) if run.command.is_start() => Some(format!("{:?} {}", run.command, run.replica)),
        _ => None,
    };
    plan.steps.iter().filter_map(text).collect()
}

#[test]
fn a_secondary_that_holds_all_of_the_old_primary_is_promoted() {
    let (mut seen, known) = headless(5, [4, 7]);
    orders(&mut seen, &[2]);
    assert_eq!(started(&decide(&seen, &known)), ["Promote x-2"]);
}

#[test]
fn one_that_is_given_up_is_replaced_though_nobody_else_would_be() {
    let (mut seen, mut known) = headless(9, [4, 7]);
    orders(&mut seen, &[2]);
    seen.target.failover = Failover::Never;
    assert!(started(&decide(&seen, &known)).iter().all(|step| !step.starts_with("Promote")));
    known.holders.get_mut(&crate::fixture::holder(0)).unwrap().waived = true;
    let plan = decide(&seen, &known);
    assert_eq!(started(&plan), ["Promote x-2"]);
    assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
}

#[test]
fn one_that_gave_no_position_begins_an_epoch_all_the_same_and_who_held_more_is_not_replaced_unread() {
    let (mut seen, mut known) = headless(9, [4, 7]);
    orders(&mut seen, &[2, 1]);
    seen.target.failover = Failover::AllowLoss;
    for ordinal in 1..3 {
        let follower = known.holders.get_mut(&crate::fixture::holder(ordinal)).unwrap();
        follower.running.as_mut().unwrap().reading = Reading::Unreadable("it runs".to_owned());
    }
    let plan = decide(&seen, &known);
    assert_eq!(started(&plan), ["Promote x-2"]);
    assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
    seen = seen.answers(2, 8);
    let later = decide(&seen, &plan.memory);
    assert_eq!(crate::audit(&seen, &plan.memory, &later), Ok(()));
    assert_eq!(later.memory.epoch.number, 2);
    let confirmed = |memory: &Memory, n: u32| memory.holders[&crate::fixture::holder(n)].confirmed;
    assert_eq!([0, 2].map(|n| confirmed(&later.memory, n)), [1, 2]);
    assert!(started(&later).is_empty(), "the old primary is of an older epoch: {:?}", later.steps);
}

#[test]
fn nobody_is_promoted_before_every_running_follower_was_asked() {
    let (mut seen, mut known) = headless(5, [4, 7]);
    orders(&mut seen, &[2]);
    known.holders.get_mut(&crate::fixture::holder(1)).unwrap().running = None;
    seen.attempts
        .insert("other".into(), crate::guarantees::attempt(1, Command::Rehearse, AttemptState::Running));
    let plan = decide(&seen, &known);
    assert!(started(&plan).is_empty(), "its container is not free to be asked: {:?}", plan.steps);
    assert!(plan.holds.iter().any(|hold| hold.reason.name() == "Unread"));
}

#[test]
fn an_old_primary_that_says_that_it_failed_is_not_started() {
    let (mut seen, known) = headless(9, [4, 7]);
    orders(&mut seen, &[2]);
    seen.pod_mut(0).status = crate::fixture::answer(0, 1);
    assert!(started(&decide(&seen, &known)).is_empty(), "it may be a database that somebody started");
}

#[test]
fn of_an_old_primary_that_does_not_start_it_is_said_what_is_the_matter() {
    for (sentence, primary, base, heard, reason) in [
        ("it lacks what the epoch began with", 9, 10, true, "PositionWentBack"),
        ("it lacks that, and others hold more", 5, 10, true, "PositionWentBack"),
        ("it lacks that, and somebody is not heard", 9, 10, false, "PositionWentBack"),
        ("somebody is not heard", 9, 3, false, "NoPromotion"),
    ] {
        let (mut seen, mut known) = headless(primary, [4, 7]);
        orders(&mut seen, &[2]);
        seen.target.failover = Failover::Never;
        known.epoch.base = Some(Base { position: Position::Ordinal(base), measure: measure(1) });
        if !heard {
            seen.pod_mut(1).status = Status::Silent("lost".to_owned());
        }
        let plan = decide(&seen, &known);
        let of_old = |hold: &&crate::Hold| hold.scope == crate::plan::Scope::Replica(name(0));
        let told: Vec<&str> = plan.holds.iter().filter(of_old).map(|hold| hold.reason.name()).collect();
        assert_eq!(told, [reason, "NoPrimary"], "{sentence}");
    }
}

#[test]
fn if_none_does_the_old_primary_itself_is_started() {
    let (mut seen, known) = headless(9, [4, 7]);
    orders(&mut seen, &[2]);
    assert_eq!(started(&decide(&seen, &known)), ["Seed x-0"]);
}

#[test]
fn an_old_primary_that_is_known_to_lack_what_the_epoch_began_with_waits_for_a_person() {
    let history = || Position::History(History::up_to("a", 3));
    for (sentence, base, outage, waits) in [
        ("more than it holds", Position::Ordinal(10), 1, true),
        ("no more than it holds", Position::Ordinal(9), 1, false),
        ("more, of another outage", Position::Ordinal(10), 0, false),
        ("of another kind", history(), 1, false),
        ("of another kind and outage", history(), 0, false),
    ] {
        let (mut seen, mut known) = headless(9, [4, 7]);
        orders(&mut seen, &[2]);
        known.epoch.base = Some(Base { position: base, measure: measure(outage) });
        let plan = decide(&seen, &known);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
        assert_eq!(started(&plan), if waits { &[][..] } else { &["Seed x-0"] }, "{sentence}");
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "PositionWentBack");
        assert_eq!(hold.is_some(), waits, "{sentence}");
        if let Some(hold) = hold {
            seen.target.keys = hold.keys.clone();
            assert_eq!(started(&decide(&seen, &plan.memory)), ["Promote x-2"], "{sentence}: it is given up");
        }
    }
}

/// Member 2 was primary too, and is stopped with this; the policy would promote 1.
fn two_old_primaries(other: Reading) -> (Observation, Memory) {
    let (mut seen, mut known) = headless(9, [4, 7]);
    orders(&mut seen, &[1]);
    seen = seen.answers(2, 7);
    seen.pod_mut(2).active = Some(false);
    seen.pod_mut(2).role = Some(Role::Stopped);
    let other = record(2).confirmed_in(1).reads(other);
    known.holders.insert(other.holder.clone(), Record { last: Some(Role::Primary), ..other });
    (seen, known)
}

#[test]
fn of_several_old_primaries_one_starts_that_holds_what_the_others_have() {
    let (seen, mut known) = two_old_primaries(Reading::At(Position::Ordinal(12)));
    assert_eq!(started(&decide(&seen, &known)), ["Seed x-2"]);
    let line = |lineage: &str| Reading::At(Position::History(History::up_to(lineage, 9)));
    for (ordinal, lineage) in [(0, "a"), (2, "b")] {
        let record = known.holders.get_mut(&crate::fixture::holder(ordinal)).unwrap();
        record.reading.as_mut().unwrap().reading = line(lineage);
    }
    known.holders.get_mut(&crate::fixture::holder(1)).unwrap().running.as_mut().unwrap().reading = line("a");
    assert!(started(&decide(&seen, &known)).is_empty(), "they have parted");
}

#[test]
fn an_old_primary_that_cannot_be_read_is_asked_again_and_no_other_starts_for_it() {
    let (mut seen, known) = two_old_primaries(Reading::Unreadable("exit 1".to_owned()));
    let plan = decide(&seen, &known);
    assert!(plan.steps.is_empty(), "it may hold more than member 0: {:?}", plan.steps);
    assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
    let mut later = seen.clone();
    later.ages.insert(Timer::Unreadable(name(2), container(2)), Age::Ripe);
    let again = decide(&later, &known);
    assert!(
        matches!(&again.steps[..], [Step::Run(run)] if run.command == Command::Read),
        "{:?}",
        again.steps
    );
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == "NoPromotion").unwrap();
    seen.target.keys = hold.keys.clone();
    assert_eq!(started(&decide(&seen, &plan.memory)), ["Seed x-0"], "it is given up");
}

#[test]
fn another_claim_in_the_place_of_the_old_primary_is_not_started_for_it() {
    let (mut seen, known) = headless(9, [4, 7]);
    orders(&mut seen, &[2]);
    seen.replicas.get_mut(&name(0)).unwrap().claims[0].uid = "another".into();
    let plan = decide(&seen, &known);
    assert!(started(&plan).is_empty());
    assert!(plan.holds.iter().any(|hold| hold.reason.name() == "NoPromotion" && !hold.keys.is_empty()));
}

#[test]
fn a_primary_that_cannot_be_read_holds_the_failover_unless_the_loss_is_accepted() {
    let (mut seen, mut known) = headless(9, [4, 7]);
    orders(&mut seen, &[2]);
    seen.replicas.get_mut(&name(0)).unwrap().pod = None;
    known.holders.get_mut(&crate::fixture::holder(0)).unwrap().reading = None;
    let plan = decide(&seen, &known);
    assert!(started(&plan).is_empty());
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == "NoPromotion").unwrap();
    let mut allowed = seen.clone();
    allowed.target.keys = hold.keys.clone();
    assert_eq!(started(&decide(&allowed, &plan.memory)), ["Promote x-2"]);
    seen.target.failover = Failover::AllowLoss;
    assert_eq!(started(&decide(&seen, &known)), ["Promote x-2"]);
    seen.target.failover = Failover::Never;
    assert!(started(&decide(&seen, &known)).is_empty());
}

#[test]
fn nobody_is_promoted_while_the_old_primary_may_be_alive() {
    let (mut seen, mut known) = headless(5, [4, 7]);
    orders(&mut seen, &[2]);
    let alive = record(0).confirmed_in(1).open_start("a0");
    known.holders.insert(alive.holder.clone(), Record { last: Some(Role::Primary), ..alive });
    assert!(started(&decide(&seen, &known)).is_empty());
}

#[test]
fn secondaries_are_read_before_one_is_promoted() {
    let (mut seen, mut known) = headless(5, [4, 7]);
    orders(&mut seen, &[1, 2]);
    known.holders.values_mut().for_each(|record| record.running = None);
    let plan = decide(&seen, &known);
    let reads =
        plan.steps.iter().filter(|s| matches!(s, Step::Run(run) if run.command == Command::Read)).count();
    assert_eq!((reads, started(&plan).len()), (2, 0));
}

#[test]
fn once_the_old_primary_is_given_up_every_other_follower_is_waited_for() {
    let (mut seen, mut known) = headless(9, [4, 7]);
    orders(&mut seen, &[1]);
    known.holders.get_mut(&crate::fixture::holder(0)).unwrap().waived = true;
    seen = seen.answers(2, 7);
    seen.pod_mut(2).active = Some(false);
    seen.pod_mut(2).role = Some(Role::Stopped);
    let stopped = record(2).confirmed_in(1).at(7);
    known.holders.insert(stopped.holder.clone(), Record { last: Some(Role::Secondary), ..stopped });
    let mut away = (seen.clone(), known.clone());
    away.0.replicas.get_mut(&name(2)).unwrap().pod = None;
    away.1.holders.get_mut(&crate::fixture::holder(2)).unwrap().reading = None;
    let plan = decide(&away.0, &away.1);
    assert!(started(&plan).is_empty(), "its pod is away, and it was never read");
    let mut silent = seen.clone();
    silent.pod_mut(2).status = Status::Silent("lost".to_owned());
    assert!(started(&decide(&silent, &away.1)).is_empty(), "it was not heard");
    let plan = decide(&seen, &known);
    assert!(started(&plan).is_empty(), "it holds more than the one that runs");
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == "NoPromotion").unwrap();
    seen.target.keys = hold.keys.clone();
    assert_eq!(started(&decide(&seen, &plan.memory)), ["Promote x-1"]);
}
#[test]
fn a_running_follower_that_cannot_be_read_is_asked_again_later_and_not_at_once() {
    let (mut seen, mut known) = headless(5, [4, 7]);
    orders(&mut seen, &[2]);
    known.holders.get_mut(&crate::fixture::holder(0)).unwrap().waived = true;
    let second = known.holders.get_mut(&crate::fixture::holder(1)).unwrap();
    second.running.as_mut().unwrap().reading = Reading::Unreadable("no".to_owned());
    let reads =
        |plan: &Plan| plan.steps.iter().any(|s| matches!(s, Step::Run(run) if run.command == Command::Read));
    let plan = decide(&seen, &known);
    assert!(started(&plan).is_empty() && !reads(&plan), "it may hold more than the others");
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == "NoPromotion").unwrap();
    let mut later = seen.clone();
    later.ages.insert(Timer::Unreadable(name(1), container(1)), Age::Ripe);
    assert!(reads(&decide(&later, &known)));
    seen.target.keys = hold.keys.clone();
    assert_eq!(started(&decide(&seen, &plan.memory)), ["Promote x-2"]);
}

#[test]
fn where_a_person_is_asked_nobody_is_promoted_without_a_word_and_no_loss_is_told_of() {
    let (mut seen, known) = headless(9, [4, 7]);
    orders(&mut seen, &[2]);
    (seen.target.mode, seen.target.failover) = (crate::target::Mode::Ask, Failover::AllowLoss);
    let plan = decide(&seen, &known);
    assert!(started(&plan).is_empty() && plan.news.is_empty(), "{:?}", plan.news);
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == "AwaitsApproval").unwrap();
    seen.target.keys = hold.keys.clone();
    let approved = decide(&seen, &plan.memory);
    assert_eq!(started(&approved), ["Promote x-2"]);
    assert_eq!(crate::audit(&seen, &plan.memory, &approved), Ok(()));
}

#[test]
fn whoever_is_known_to_have_begun_is_asked_for_its_end_after_all_that_is_to_be_done() {
    let asked = |plan: &Plan| plan.steps.iter().any(|step| matches!(step, Step::Revoke { .. }));
    let (mut seen, mut known) = headless(5, [4, 7]);
    orders(&mut seen, &[2]);
    let each = |known: &mut Memory, change: fn(&mut crate::start::Start)| {
        known.holders.values_mut().flat_map(|record| &mut record.open).for_each(change);
    };
    each(&mut known, |start| (start.began, start.ended) = (false, false));
    let plan = decide(&seen, &known);
    assert!(asked(&plan) && started(&plan).is_empty(), "it may yet begin: {:?}", plan.steps);
    each(&mut known, |start| start.began = true);
    let plan = decide(&seen, &known);
    assert_eq!(started(&plan), ["Promote x-2"], "a script that is the application never ends");
    assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
    known.holders.values_mut().for_each(|record| record.running = None);
    let read: Vec<_> = decide(&seen, &known).steps.iter().map(|step| step.replica().cloned()).collect();
    assert_eq!(read, [Some(name(1)), Some(name(2))]);
    assert!(!asked(&decide(&seen, &known)), "they are read");
    let (led, mut known) =
        (stopped_set(1).answers(0, 8), memory([record(0).confirmed_in(1).open_start("a")]));
    each(&mut known, |start| start.ended = false);
    let mut labelled = led;
    (labelled.pod_mut(0).active, labelled.pod_mut(0).role) = (Some(true), Some(Role::Primary));
    assert!(asked(&decide(&labelled, &known)), "nothing else is to be done");
}

#[test]
fn an_old_primary_whose_seed_came_to_nothing_beside_its_followers_waits_for_a_person() {
    let (mut seen, mut known) = headless(9, [4, 7]);
    orders(&mut seen, &[2]);
    let fell = |known: &mut Memory, why: &str| {
        let old = known.holders.get_mut(&crate::fixture::holder(0)).unwrap();
        old.tried = Some(crate::fixture::tried(0, Some(Position::Ordinal(9)), why));
    };
    fell(&mut known, "exit 4: no space");
    let plan = decide(&seen, &known);
    assert_eq!((started(&plan), crate::audit(&seen, &known, &plan)), (Vec::new(), Ok(())));
    let hold = plan.holds.iter().find(|hold| hold.reason.name() == "NoPromotion").unwrap();
    assert!(
        hold.reason.to_string().contains("its seed came to nothing: exit 4: no space"),
        "{}",
        hold.reason
    );
    for (kind, expected) in [(KeyKind::AcceptLoss, "Promote x-2"), (KeyKind::AcceptSeed, "Seed x-0")] {
        let mut allowed = seen.clone();
        allowed.target.keys = hold.keys.iter().filter(|key| key.kind == kind).cloned().collect();
        let after = decide(&allowed, &plan.memory);
        assert_eq!(started(&after), [expected], "{kind:?}: {:?}", after.holds);
        assert_eq!(crate::audit(&allowed, &plan.memory, &after), Ok(()), "{kind:?}");
    }
    let mut restarted = seen.clone();
    restarted.nodes.get_mut(&"node-0".into()).unwrap().boot = "later".into();
    assert_eq!(started(&decide(&restarted, &known)), [""; 0], "it was seen to fail before that");
    let mut cut_off = known.clone();
    fell(&mut cut_off, "");
    assert_eq!(started(&decide(&seen, &cut_off)), [""; 0], "its machine runs on");
    let again = decide(&restarted, &cut_off);
    let sound = crate::audit(&restarted, &cut_off, &again);
    assert_eq!((started(&again), sound), (vec!["Seed x-0".into()], Ok(())));
    let mut behind = known.clone();
    behind.epoch.base = Some(Base { position: Position::Ordinal(10), measure: measure(1) });
    let plan = decide(&seen, &behind);
    let keys: Vec<_> = plan.holds.iter().flat_map(|hold| &hold.keys).map(|key| key.kind).collect();
    assert_eq!(keys, [KeyKind::AcceptLoss], "to try again would help nothing: {:?}", plan.holds);
    let dark = seen.clone().answers(1, 7).answers(2, 7);
    assert!(decide(&dark, &known).memory.holders.values().all(|record| record.tried.is_none()), "an outage");
    let (_, mut other) = two_old_primaries(Reading::At(Position::Ordinal(12)));
    let (seen, _) = two_old_primaries(Reading::Empty);
    fell(&mut other, "");
    assert_eq!(started(&decide(&seen, &other)), ["Seed x-2"], "another holds it all");
}
