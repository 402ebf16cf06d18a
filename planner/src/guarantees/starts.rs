//! 4.2, 4.7: what a start that may be alive keeps from being started, and what closes it.

use super::{Change, attempt, ended, in_outage, is_closed, key, ordered, proposed, sends};
use crate::decide;
use crate::fixture::{container, memory, name, record, stopped_set};
use crate::key::KeyKind;
use crate::names::{BootId, ContainerId, NodeName, PodUid};
use crate::observation::{AttemptState, Command, Role};
use crate::record::Reading;
use crate::start::{Lock, Start, StartKind};
use crate::target::{DetachedVolume, Failover};
use crate::timer::{Age, Timer};
use crate::{Memory, Observation, Plan, Position};

#[test]
fn a_start_of_data_that_owes_nothing_keeps_others_from_seeding_too() {
    let read = || [record(0).confirmed_in(2).at(9), record(1).confirmed_in(2).at(5)];
    let seen = proposed(stopped_set(3), 0);
    let older = record(2).confirmed_in(1).at(3);
    let known = in_outage(memory(read().into_iter().chain([older.clone()])));
    assert!(sends(&decide(&seen, &known), Command::Seed, 0));
    let mut open = older.open_start("late");
    open.open[0].lock = Lock::NotHeld;
    let known = in_outage(memory(read().into_iter().chain([open])));
    assert!(!sends(&decide(&seen, &known), Command::Seed, 0));
}

#[test]
fn a_member_that_answers_failed_may_be_a_database_that_somebody_started() {
    let known = in_outage(memory([record(0).confirmed_in(1).at(9), record(1).confirmed_in(1).at(5)]));
    let seen = proposed(stopped_set(2), 0);
    assert!(sends(&decide(&seen, &known), Command::Seed, 0));
    assert!(!sends(&decide(&seen.answers(1, 1), &known), Command::Seed, 0));
}

/// It was sent to a pod that is gone, on another node.
fn far(start: &mut Start) {
    (start.pod, start.container) = (PodUid::from("before"), ContainerId::from("before"));
    start.node = NodeName::from("far");
}

fn read_here(seen: &mut Observation) {
    seen.attempts.insert("r".into(), attempt(0, Command::Read, ended()));
    seen.verdicts.readings.insert("r".into(), Reading::At(Position::Ordinal(5)).into());
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn what_is_no_proof_closes_no_start() {
    let cases: [(&str, Change, bool); 9] = [
        ("a boot that is not known", |start, _| start.boot = BootId::default(), false),
        (
            "an administrator's word, while it may still begin in its pod",
            |start, seen| {
                (start.confirmed, start.began, start.ended) = (false, false, false);
                seen.nodes.get_mut(&start.node).unwrap().out_of_service = true;
            },
            false,
        ),
        (
            "a member's word, with a command in flight",
            |start, seen| {
                seen.ages.insert(Timer::StoppedOpen("a".into()), Age::Ripe);
                seen.attempts.insert("r".into(), attempt(0, Command::Read, AttemptState::Running));
                start.container = container(0);
            },
            false,
        ),
        (
            "the lock of its own node, seen held and now free",
            |start, seen| {
                start.lock = Lock::Held;
                read_here(seen);
            },
            true,
        ),
        (
            "the same, where no boot is told now",
            |start, seen| {
                start.lock = Lock::Held;
                seen.nodes.values_mut().for_each(|node| node.boot = BootId::default());
                read_here(seen);
            },
            true,
        ),
        (
            "the lock of another node",
            |start, seen| {
                far(start);
                start.lock = Lock::Held;
                read_here(seen);
            },
            false,
        ),
        ("a lock that was never seen held", |_, seen| read_here(seen), false),
        (
            "a volume that is still attached there",
            |start, seen| {
                far(start);
                seen.target.detached_volume = DetachedVolume::Closed;
                seen.attached.insert(("claim-0".into(), start.node.clone()));
            },
            false,
        ),
        (
            "a volume that is not",
            |start, seen| {
                far(start);
                seen.target.detached_volume = DetachedVolume::Closed;
            },
            true,
        ),
    ];
    for (sentence, change, expected) in cases {
        assert_eq!(is_closed(change), expected, "{sentence}");
    }
}

#[test]
fn a_person_vouches_for_one_pod_and_no_other() {
    let mut seen = stopped_set(2);
    seen.replicas.values_mut().for_each(|replica| replica.pod = None);
    let open = |n| record(n).confirmed_in(1).open_start(&format!("a{n}"));
    let known = in_outage(memory([0, 1].map(open)));
    seen.target.keys = vec![key(KeyKind::AssertFenced, "pod-1", &seen, &known)];
    let plan = decide(&seen, &known);
    assert!(plan.memory.of(&name(1)).all(|record| record.open.is_empty()));
    assert!(plan.memory.of(&name(0)).all(|record| !record.open.is_empty()));
}

/// A set without a primary, of which the policy names the last first.
pub(super) fn headless(primary: u64, followers: [u64; 2]) -> (Observation, Memory) {
    let (seen, known) = crate::fixture::headless(primary, followers);
    (ordered(seen, &[2]), known)
}

#[test]
fn the_old_primary_starts_beside_followers_only_if_nothing_else_may_be_alive() {
    let (seen, mut known) = headless(9, [4, 7]);
    assert!(sends(&decide(&seen, &known), Command::Seed, 0));
    let mut stray = record(3).open_start("stray");
    stray.open[0].lock = Lock::NotHeld;
    known.holders.insert(stray.holder.clone(), stray);
    assert!(!sends(&decide(&seen, &known), Command::Seed, 0));
}

#[test]
fn with_failover_never_nobody_is_promoted_and_only_an_old_primary_that_has_it_all_starts() {
    let never = |primary: u64| {
        let (mut seen, known) = headless(primary, [4, 7]);
        seen.target.failover = Failover::Never;
        decide(&seen, &known)
    };
    assert!(sends(&never(7), Command::Seed, 0));
    let plan = never(5);
    assert!(!sends(&plan, Command::Promote, 2), "it holds all, and is not to be promoted");
    assert!(!sends(&plan, Command::Seed, 0), "a secondary holds more");
    assert!(super::holds(&plan, "NoPromotion"));
}

#[test]
fn a_loss_that_the_resource_allows_is_told() {
    let (mut seen, known) = headless(9, [4, 7]);
    seen.target.failover = Failover::AllowLoss;
    let plan = decide(&seen, &known);
    assert!(sends(&plan, Command::Promote, 2));
    assert!(plan.news.contains(&crate::plan::News::LossAccepted(name(0))), "{:?}", plan.news);
}

#[test]
fn while_one_is_being_promoted_no_other_is() {
    let (mut seen, mut known) = headless(5, [7, 7]);
    seen = ordered(seen, &[2, 1]);
    assert!(sends(&decide(&seen, &known), Command::Promote, 2));
    let mut start = crate::fixture::start(1, "p");
    (start.kind, start.confirmed) = (StartKind::Promote, false);
    // Else its lock is asked for first, once that start is over.
    known.lockless.insert(start.container.clone());
    let promoting = known.holders.get_mut(&crate::fixture::holder(1)).unwrap();
    promoting.open.push(start);
    promoting.running.as_mut().unwrap().starts = promoting.starts;
    for (sentence, ended, late, another) in [
        ("it goes on past its timeout", false, true, false),
        ("its command is over, and it may lead yet", true, false, false),
        ("its command is over, and came to nothing", true, true, true),
    ] {
        let promoting = known.holders.get_mut(&crate::fixture::holder(1)).unwrap();
        promoting.open.last_mut().unwrap().ended = ended;
        seen.ages.clear();
        if late {
            seen.ages.insert(Timer::Deadline("p".into()), Age::Ripe);
        }
        let plan = decide(&seen, &known);
        assert_eq!(sends(&plan, Command::Promote, 2), another, "{sentence}: {:?}", plan.steps);
        let waits = plan.holds.iter().any(|hold| hold.reason.name() == "NotTurned");
        assert_eq!(waits, ended && !late, "{sentence}: {:?}", plan.holds);
    }
}

/// Member 0 led and is stopped at 5; 1 was promoted in its place, and its container ended before anybody saw it lead; 2
/// follows at 7.
fn promoted_unseen(held: Reading) -> Plan {
    let (mut seen, mut known) = headless(5, [7, 7]);
    seen = seen.answers(1, 7);
    (seen.pod_mut(1).active, seen.pod_mut(1).role) = (Some(false), Some(Role::Stopped));
    seen.terminated.insert("before".into());
    let mut start = crate::fixture::start(1, "p");
    (start.kind, start.confirmed) = (StartKind::Promote, false);
    (start.pod, start.container) = ("pod-before".into(), "before".into());
    let promoted = known.holders.get_mut(&crate::fixture::holder(1)).unwrap();
    (promoted.open, promoted.running, promoted.last) = (vec![start], None, Some(Role::Secondary));
    let plan = decide(&seen, &known);
    assert!(!sends(&plan, Command::Promote, 2), "{:?}", plan.steps);
    assert!(super::holds(&plan, "NoPromotion"), "it was not read: {:?}", plan.holds);
    assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
    let mut read = plan.memory;
    let promoted = read.holders.get_mut(&crate::fixture::holder(1)).unwrap();
    *promoted = promoted.clone().reads(held);
    decide(&seen, &read)
}

#[test]
fn nobody_is_promoted_who_does_not_hold_what_one_holds_that_may_have_led_unseen() {
    let at = |number| Reading::At(Position::Ordinal(number));
    let (none, more) = (promoted_unseen(at(7)), promoted_unseen(at(8)));
    assert!(sends(&none, Command::Promote, 2), "it took no write: {:?}", none.holds);
    assert!(!sends(&more, Command::Promote, 2), "{:?}", more.steps);
    assert!(sends(&more, Command::Seed, 1), "it goes on itself: {:?} {:?}", more.steps, more.holds);
}
