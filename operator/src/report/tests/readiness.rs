//! What is said of a lights-out before there is one.

use super::*;
use crate::events::of_readiness;
use planner::Doubt;
use planner::names::ReplicaName;
use planner::observation::Command;
use planner::plan::{Cause, Run};

fn foretold(readiness: Option<&Readiness>, previous: &SetStatus) -> SetStatus {
    let policy = Judge::builtin(LargestInteger::default());
    telling(readiness, &policy, &answering([0, 0]), &planned(3, vec![]), previous, 1, report)
}

fn held(reason: Why) -> Readiness {
    Readiness::NotReady(Hold { scope: Scope::Set, reason, keys: Vec::new(), cause: None })
}

#[test]
fn what_would_become_of_a_lights_out_is_told_in_words_with_who_and_why() {
    let (who, why) = (|| ReplicaName::from("rss-x-1"), || "it is so".to_owned());
    let refused = Why::SeedRefused { proposed: who(), why: why() };
    let doubt = Readiness::Unknown;
    let cases = [
        (
            Readiness::Ready(who(), why()),
            ("True", "WouldRecover"),
            "rss-x-1 would be started first, and the others join it: it is so",
        ),
        (
            held(refused),
            ("False", "SeedRefused"),
            "if all members stopped now, this would hold them: policy largest-integer proposed rss-x-1 as seed; refused \
             because it is so",
        ),
        (doubt(Doubt::Outage), ("Unknown", "NoMemberServes"), "no member runs"),
        (
            doubt(Doubt::NotAsked(who(), Some("rss-x-2".into()))),
            ("Unknown", "NotAsked"),
            "rss-x-1 was not asked what it holds since its last start: nobody is asked while rss-x-2 is not well",
        ),
        (
            doubt(Doubt::NotHeard(who(), why())),
            ("Unknown", "NotHeard"),
            "rss-x-1 gave no position while it ran: it is so",
        ),
        (doubt(Doubt::Stale(who(), None)), ("Unknown", "Stale"), "what rss-x-1 said of its data is too old"),
        (
            doubt(Doubt::Unheard(who(), why())),
            ("Unknown", "Unheard"),
            "it is not known how rss-x-1 is: it is so",
        ),
        (doubt(Doubt::Changing), ("Unknown", "Changing"), "something else would be done first"),
        (
            doubt(Doubt::Passing(Why::Failing(who(), why()))),
            ("Unknown", "Changing"),
            "this would have to end first: rss-x-1 says that it failed: it is so",
        ),
    ];
    for (readiness, expected, message) in cases {
        let status = foretold(Some(&readiness), &SetStatus::default());
        assert_eq!(is(&status, ConditionType::RecoveryReady), expected);
        assert_eq!(get(&status.conditions, ConditionType::RecoveryReady).unwrap().message, message);
        assert_eq!(is(&status, ConditionType::Stalled), ("False", "Settled"), "it is well now");
    }
}

#[test]
fn where_nobody_wants_to_know_nothing_is_said_of_a_lights_out() {
    let before = foretold(Some(&Readiness::Unknown(Doubt::Changing)), &SetStatus::default());
    assert!(get(&before.conditions, ConditionType::RecoveryReady).is_some());
    assert_eq!(get(&foretold(None, &before).conditions, ConditionType::RecoveryReady), None);
}

#[test]
fn that_a_lights_out_would_not_be_recovered_is_told_when_it_turns_so_and_not_again() {
    let policy = Judge::builtin(LargestInteger::default());
    let (world, plan) = (answering([0, 0]), planned(3, vec![]));
    let told_of = |readiness: &Readiness, previous: &SetStatus| {
        telling(Some(readiness), &policy, &world, &plan, previous, 2, of_readiness)
    };
    let after = |readiness: &Readiness| foretold(Some(readiness), &SetStatus::default());
    let ready = Readiness::Ready("rss-x-1".into(), "it is so".to_owned());
    let lost = held(Why::LostData("rss-x-1".into(), "empty".to_owned()));
    let held_back = held(Why::Paused);
    let happened = told_of(&lost, &after(&ready)).unwrap();
    let message = get(&after(&lost).conditions, ConditionType::RecoveryReady).unwrap().message.clone();
    assert_eq!(happened.note, format!("RecoveryReady is False (LostData): {message}"));
    assert_eq!((happened.reason.as_str(), happened.is_warning), ("WouldNotRecover", true));
    assert_eq!(told_of(&lost, &after(&lost)), None);
    assert!(told_of(&lost, &after(&held_back)).is_some(), "for another reason");
    assert!(told_of(&lost, &SetStatus::default()).is_some(), "nothing was said before");
    for other in [ready, Readiness::Unknown(Doubt::Changing)] {
        assert_eq!(told_of(&other, &after(&lost)), None);
    }
}

#[test]
fn a_set_whose_members_are_asked_while_they_run_is_not_reconciling() {
    let rehearsal = || {
        Step::Run(Run {
            replica: "rss-x-0".into(),
            command: Command::Rehearse,
            attempt: "a".into(),
            if_pod: "p0".into(),
            if_container: "c://p0".into(),
            lock: false,
            starts: 1,
            at_rest: false,
            epoch: 3,
            peers: Vec::new(),
            cause: Cause::Answer,
        })
    };
    let after = |steps: Vec<Step>| first(&answering([0, 0]), &Plan { steps, ..planned(3, vec![]) });
    let status = after(vec![rehearsal()]);
    assert_eq!(is(&status, ConditionType::Reconciling), ("False", "Settled"));
    assert_eq!(is(&status, ConditionType::Ready), ("True", "AllMembersServe"));
    let status = after(vec![rehearsal(), Step::Recreate]);
    assert_eq!(is(&status, ConditionType::Reconciling), ("True", "Recreate"), "the other step is work");
}
