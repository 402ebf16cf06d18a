//! What proves that a start is over, and what only looks like it.

use super::starts::{closed, container, read};
use super::{Case, each_is_caught, running};
use crate::audit::Rule;
use crate::fixture::{holder, name, start};
use crate::names::{AttemptId, ClaimUid, NodeName};
use crate::observation::{Attempt, AttemptState, Command, ContainerState, Fate, Refusal};
use crate::start::{Start, StartKind};
use crate::target::{DetachedVolume, ForcedDeletion};

fn as_it_is(_: &mut Start) {}

/// Nothing was heard of its command.
fn just_sent(start: &mut Start) {
    (start.confirmed, start.began, start.ended) = (false, false, false);
}

#[test]
fn a_start_that_was_refused_for_its_lock_never_began() {
    for (refusal, never_began) in [
        (Refusal::LockBusy, true),
        (Refusal::NoLock, true),
        (Refusal::BeganBefore, false),
        (Refusal::OtherPod, false),
    ] {
        let refused = |case: &mut Case| {
            let id = case.after(2).open[0].attempt.clone();
            let container = container(case);
            read(case, container, true, AttemptState::Refused(refusal));
            let read = case.seen.attempts.remove(&AttemptId::from("another")).unwrap();
            case.seen.attempts.insert(id, Attempt { command: Command::Join, ..read });
        };
        assert_eq!(closed(refused, just_sent), never_began, "{refusal:?}");
    }
}

#[test]
fn a_command_that_asks_for_the_lock_proves_nothing_before_it_is_over() {
    let asks = |case: &mut Case| {
        let container = container(case);
        read(case, container, true, AttemptState::Running);
    };
    assert!(!closed(asks, as_it_is));
}

#[test]
fn another_boot_closes_nothing_whose_container_is_said_to_run() {
    let reboots = |case: &mut Case| {
        case.seen.nodes.get_mut(&NodeName::from("node-2")).unwrap().boot = "next".into();
    };
    assert!(!closed(reboots, as_it_is), "the other boot was told late");
    let waits = |case: &mut Case| {
        reboots(case);
        case.seen.pod_mut(2).container.as_mut().unwrap().state = ContainerState::Waiting("Backoff".into());
    };
    assert!(closed(waits, as_it_is));
}

#[test]
fn what_ran_on_a_machine_that_a_person_says_is_off_is_over_where_nobody_serves_by_it() {
    let off = |case: &mut Case| {
        case.seen.nodes.get_mut(&NodeName::from("node-2")).unwrap().out_of_service = true;
    };
    assert!(closed(off, as_it_is));
    assert!(!closed(off, just_sent), "it may begin yet");
    assert!(!closed(off, |start| start.node = "node-1".into()), "another machine is off");
    assert!(!closed(off, |start| start.container = "container-1".into()), "somebody serves by it");
}

#[test]
fn what_was_sent_into_a_pod_that_is_over_begins_no_more() {
    let evicted = |case: &mut Case, ordinal| {
        let container = container(case);
        case.seen.terminated.insert(container);
        case.answers(ordinal, Some(7));
        case.seen.pod_mut(ordinal).finished = true;
    };
    assert!(closed(|case| evicted(case, 2), just_sent));
    assert!(!closed(|case| evicted(case, 1), just_sent), "another pod is over");
}

#[test]
fn what_began_before_another_container_or_has_no_pod_any_more_is_over_with_its_container() {
    let ended = |case: &mut Case| {
        let container = container(case);
        case.seen.terminated.insert(container);
    };
    let told = |fate: Fate| {
        move |case: &mut Case| {
            ended(case);
            let id = case.after(2).open[0].attempt.clone();
            case.seen.fates.insert(id, fate);
        }
    };
    assert!(closed(told(Fate::Over), just_sent), "it began before the container that was asked");
    assert!(!closed(told(Fate::Began), just_sent), "it may have begun in that one");
    assert!(!closed(told(Fate::Ended(0)), just_sent), "and ended, which closes nothing");
    let gone = |case: &mut Case| {
        ended(case);
        case.seen.pod_mut(2).uid = "new".into();
    };
    assert!(closed(gone, just_sent), "its pod is gone");
}

#[test]
fn a_volume_that_left_the_old_node_closes_a_start_there_where_that_is_asked_for() {
    let attached = |to: &'static [(&str, &str)]| {
        move |case: &mut Case| {
            case.seen.pod_mut(2).uid = "new".into();
            case.seen.target.forced_deletion = ForcedDeletion::Hold;
            case.seen.target.detached_volume = DetachedVolume::Closed;
            let to = to.iter().map(|(claim, node)| (ClaimUid::from(*claim), NodeName::from(*node)));
            case.seen.attached = to.collect();
        }
    };
    assert!(closed(attached(&[]), as_it_is));
    assert!(!closed(attached(&[("claim-2", "node-2")]), as_it_is), "it is there still");
    let elsewhere = &[("claim-1", "node-2"), ("claim-2", "node-1")];
    assert!(closed(attached(elsewhere), as_it_is), "another is there, and it is at another");
}

#[test]
fn a_claim_tells_of_a_start_that_the_status_forgot() {
    let erased = |case: &mut Case| {
        case.memory.holders.remove(&holder(2));
    };
    assert!(!closed(erased, as_it_is));
}

/// The plan that takes what x-1 was told while it ran for a part of the start that it runs by.
fn folding() -> Case {
    let mut case = Case::settled(running(true));
    case.always(1, |record| {
        let container = record.open[0].container.clone();
        record.open.push(Start { kind: StartKind::Follow, container, ..start(1, "told") });
    });
    case.after(1).open.pop();
    case
}

/// Changes what was known of what x-1 was told.
fn told(case: &mut Case, change: impl Fn(&mut Start)) {
    case.always(1, |record| {
        record.open.iter_mut().filter(|start| start.attempt.0 == "told").for_each(&change);
    });
}

#[test]
fn a_command_is_over_where_one_record_knows_that_it_is() {
    for knows in 0..2 {
        let mut case = folding();
        assert_eq!(case.before(1).count(), 2, "in status, and on its claim");
        for (at, record) in case.before(1).enumerate() {
            record.open.iter_mut().for_each(|start| start.ended = at == knows);
        }
        case.after(1).open[0].ended = true;
        assert_eq!(case.breaches(), [].into(), "{knows}");
    }
}

#[test]
fn what_a_running_member_was_told_is_folded_into_the_start_that_it_runs_by() {
    each_is_caught(
        &folding(),
        &[
            ("its command is not over", &[Rule::Unproven], |case| told(case, |start| start.ended = false)),
            ("it was a join", &[Rule::Unproven], |case| told(case, |start| start.kind = StartKind::Join)),
            ("it was told to lead, and may yet", &[Rule::Unproven], |case| {
                told(case, |start| (start.kind, start.confirmed) = (StartKind::Promote, false));
            }),
            ("the member is not heard", &[Rule::Unproven], |case| case.answers(1, None)),
            ("the member stopped", &[Rule::Unproven], |case| case.answers(1, Some(7))),
            ("another container was told", &[Rule::Unproven], |case| {
                told(case, |start| start.container = "another".into());
            }),
            ("the start that stays is of another container", &[Rule::Unproven, Rule::Unpromised], |case| {
                let here = case.seen.replicas[&name(1)].pod.clone().unwrap().uid;
                case.always(1, |record| {
                    let stays = record.open.iter_mut().filter(|start| start.attempt.0 != "told");
                    stays.for_each(|start| (start.container, start.pod) = ("another".into(), here.clone()));
                });
            }),
            ("no start stays", &[Rule::Unproven, Rule::Unpromised], |case| {
                case.always(1, |record| record.open.retain(|start| start.attempt.0 == "told"));
            }),
        ],
    );
}
