mod away;
mod readiness;

use super::*;
use crate::api::Phase;
use crate::api::condition::{ConditionType, get};
use crate::observe::fixture::{look, objects, pod};
use crate::observe::{Evidence, Objects};
use crate::policy::{Decider, Obstacle};
use largest_integer::LargestInteger;
use planner::key::{Key, KeyKind};
use planner::memory::Epoch;
use planner::names::ReplicaName;
use planner::observation::{Answer, Replica, Status, Workload};
use planner::plan::{Hold, Reason as Why, Scope};
use planner::record::{HolderId, Record};
use planner::timer::{Age, Timer};
use planner::{Memory, Step};
use serde::Deserialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// Both members run; one answers with each of these codes.
fn answering(codes: [i32; 2]) -> (Objects, Observation) {
    let mut objects = objects();
    objects.claims.remove(&"rss-x-5".into());
    objects.pods = BTreeMap::from([("rss-x-0".into(), pod("p0", "n0")), ("rss-x-1".into(), pod("p1", "n1"))]);
    let status = |ordinal: usize| {
        let container = format!("c://p{ordinal}").as_str().into();
        let code = codes[ordinal];
        let answer = Answer { code, container, group: None, progress: None, text: String::new() };
        (ReplicaName(format!("rss-x-{ordinal}")), Status::Answer(answer))
    };
    let statuses = [0, 1].map(status).into();
    let mut seen = look(&objects, &Memory::default(), Evidence { statuses, ..Evidence::default() });
    seen.workload = Some(Workload {
        replicas: 2,
        revision: "".into(),
        immutable: None,
        current: Some(true),
        released: BTreeSet::new(),
    });
    (objects, seen)
}

fn planned(epoch: u64, holds: Vec<Hold>) -> Plan {
    let memory = Memory { epoch: Epoch { number: epoch, ..Epoch::default() }, ..Memory::default() };
    Plan { memory, holds, ..Plan::default() }
}

fn told(world: &(Objects, Observation), plan: &Plan, previous: &SetStatus, now: i64) -> SetStatus {
    by(&Judge::builtin(LargestInteger::default()), world, plan, previous, now)
}

fn by(
    policy: &Judge,
    world: &(Objects, Observation),
    plan: &Plan,
    previous: &SetStatus,
    now: i64,
) -> SetStatus {
    telling(None, policy, world, plan, previous, now, report)
}

/// What is told of a look, by this.
fn telling<T>(
    readiness: Option<&Readiness>,
    policy: &Judge,
    world: &(Objects, Observation),
    plan: &Plan,
    previous: &SetStatus,
    now: i64,
    tell: impl FnOnce(&Told<'_>) -> T,
) -> T {
    let target = Target::parse(&world.0.set).unwrap();
    let installation = Installation { name: "here".into(), ..Installation::default() };
    let remembered = previous.memory.as_ref().map(|memory| Memory::deserialize(&*memory.0).unwrap());
    tell(&Told {
        target: &target,
        observation: &world.1,
        plan,
        previous,
        remembered: &remembered.unwrap_or_default(),
        policy,
        candidate: None,
        readiness,
        successions: &BTreeMap::new(),
        records: &[],
        installation: &installation,
        trouble: None,
        now: at(now),
    })
}

fn first(world: &(Objects, Observation), plan: &Plan) -> SetStatus {
    told(world, plan, &SetStatus::default(), 1)
}

fn is(status: &SetStatus, kind: ConditionType) -> (&str, &str) {
    let condition = get(&status.conditions, kind).unwrap();
    (condition.status.as_str(), condition.reason.as_str())
}

fn for_a_person() -> Hold {
    let key = Key { kind: KeyKind::AcceptLoss, subject: "rss-x-1".into(), facts: "00ff".into() };
    let reason = Why::LostData("rss-x-1".into(), "it is empty".into());
    Hold { scope: Scope::Replica("rss-x-1".into()), reason, keys: vec![key], cause: None }
}

#[test]
fn a_set_whose_members_all_serve_is_ready() {
    let status = first(&answering([0, 0]), &planned(3, vec![]));
    assert_eq!((status.phase, status.reason.as_deref()), (Some(Phase::Running), Some("AllMembersServe")));
    assert_eq!((status.ready.as_deref(), status.primaries, status.epoch), (Some("2/2"), 2, Some(3)));
    assert_eq!(status.members.primary, ["rss-x-0", "rss-x-1"]);
    assert_eq!(status.selector.as_deref(), Some("app=x,rss-operator-managed=true"));
    assert_eq!(is(&status, ConditionType::Ready), ("True", "AllMembersServe"));
    assert_eq!(is(&status, ConditionType::Reconciling), ("False", "Settled"));
    assert_eq!(is(&status, ConditionType::Stalled), ("False", "Settled"));
    assert_eq!(status.observed_generation, Some(2));
}

#[test]
fn a_member_that_fails_makes_the_set_available_and_not_ready() {
    let status = first(&answering([0, 1]), &planned(3, vec![]));
    assert_eq!(status.members.failed, ["rss-x-1"]);
    assert_eq!(status.members.ready, ["rss-x-0"]);
    assert_eq!(status.members.unready, ["rss-x-1"]);
    assert_eq!(is(&status, ConditionType::Available), ("True", "SomeMembersServe"));
    assert_eq!(is(&status, ConditionType::Ready), ("False", "SomeMembersServe"));
    assert_eq!(is(&status, ConditionType::Recovering), ("True", "Recovering"));
    assert_eq!(status.phase, Some(Phase::Running));
}

/// `rss-x-1` is sent a start, which is as these fields say.
fn starting(epoch: u64, fields: serde_json::Value) -> Plan {
    let mut start =
        json!({"attempt": "a", "kind": "Join", "pod": "p1", "container": "c://p1", "node": "n1", "boot": ""});
    start.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let mut record = Record::new(HolderId::Claims(vec!["k1".into()]), "rss-x-1".into(), Default::default());
    record.open.push(serde_json::from_value(start).unwrap());
    let mut plan = planned(epoch, vec![]);
    plan.memory.holders.insert(record.holder.clone(), record);
    plan
}

#[test]
fn a_member_that_is_being_started_is_not_told_as_failed() {
    let cases = [
        ("it says that something is wrong", 1, json!({}), "Starting"),
        ("it does not run yet", 7, json!({}), "Starting"),
        ("the command is over, and the application comes up", 1, json!({"ended": true}), "Starting"),
        ("the command is over, and nothing runs", 7, json!({"ended": true}), "Stopped"),
        ("it ran, and failed then", 1, json!({"confirmed": true}), "Failed"),
        ("that was in an earlier container", 1, json!({"container": "c://p0"}), "Failed"),
        ("that was in an earlier pod", 1, json!({"pod": "p0"}), "Failed"),
        ("it serves", 0, json!({}), "Primary"),
        ("nothing is heard", 130, json!({}), "Unknown"),
    ];
    for (sentence, code, start, expected) in cases {
        let status = first(&answering([0, code]), &starting(3, start));
        assert_eq!(status.replica_states[1].app_state.as_deref(), Some(expected), "{sentence}");
        assert_eq!(!status.members.failed.is_empty(), expected == "Failed", "{sentence}");
        assert_eq!(status.members.unready.is_empty(), expected == "Primary", "{sentence}");
    }
}

#[test]
fn a_start_that_takes_too_long_has_failed_unless_the_member_gets_on() {
    let mut world = answering([0, 1]);
    let state = |world: &(Objects, Observation)| {
        first(world, &starting(3, json!({}))).replica_states[1].app_state.clone().unwrap()
    };
    world.1.ages.insert(Timer::Deadline("a".into()), Age::TooSoon(1));
    assert_eq!(state(&world), "Starting");
    world.1.ages.insert(Timer::Deadline("a".into()), Age::Ripe);
    assert_eq!(state(&world), "Failed");
    let pod = world.1.replicas.get_mut(&ReplicaName::from("rss-x-1")).unwrap().pod.as_mut().unwrap();
    let Status::Answer(answer) = &mut pod.status else { panic!("it answers") };
    answer.progress = Some("half".into());
    assert_eq!(state(&world), "Starting");
    world.1.ages.insert(Timer::NoProgress("a".into(), Some("half".into())), Age::Ripe);
    assert_eq!(state(&world), "Failed");
}

#[test]
fn a_dark_set_that_only_a_person_can_help_has_failed_and_says_what_to_allow() {
    let status = first(&answering([7, 7]), &planned(3, vec![for_a_person()]));
    assert_eq!((status.phase, status.reason.as_deref()), (Some(Phase::Failed), Some("LostData")));
    assert_eq!(is(&status, ConditionType::Stalled), ("True", "LostData"));
    let message = &get(&status.conditions, ConditionType::Stalled).unwrap().message;
    assert!(message.contains("AcceptLoss/rss-x-1/00ff"), "{message}");
    assert_eq!(status.holds[0].keys, ["AcceptLoss/rss-x-1/00ff"]);
    assert_eq!(status.holds[0].blocker.as_deref(), Some("rss-x-1"));
    let serving = first(&answering([0, 7]), &planned(3, vec![for_a_person()]));
    assert_eq!(serving.phase, Some(Phase::Running), "while one serves it has not failed");
}

#[test]
fn whom_a_recovery_waits_for_stands_in_the_first_report_with_what_is_wrong_and_since_when() {
    let mut world = answering([7, 7]);
    let member = ReplicaName::from("rss-x-1");
    world.1.replicas.get_mut(&member).unwrap().pod.as_mut().unwrap().terminating = true;
    let reason = Why::Unheard(member.clone(), "the pod is being deleted".into());
    let plan = planned(3, vec![Hold { scope: Scope::Replica(member), reason, keys: vec![], cause: None }]);
    let status = first(&world, &plan);
    assert_eq!(is(&status, ConditionType::Reconciling), ("True", "Unheard"));
    let message = &get(&status.conditions, ConditionType::Reconciling).unwrap().message;
    assert!(message.contains("rss-x-1") && message.contains("being deleted"), "{message}");
    let hold = &status.holds[0];
    assert_eq!((hold.reason.as_str(), hold.blocker.as_deref()), ("Unheard", Some("rss-x-1")));
    assert_eq!(hold.since.clone().unwrap().0, at(1));
    assert_eq!(status.replica_states[1].app_state.as_deref(), Some("Unknown"));
    assert_eq!(status.members.unready, ["rss-x-0", "rss-x-1"], "it is still shown");
}

#[test]
fn a_set_that_never_served_is_being_made() {
    let status = first(&answering([7, 7]), &planned(0, vec![]));
    assert_eq!((status.phase, status.reason.as_deref()), (Some(Phase::Creating), Some("Creating")));
    assert_eq!(is(&status, ConditionType::Recovering), ("False", "Settled"));
    let member = ReplicaName::from("rss-x-1");
    let reason = Why::NotRunning(member.clone(), "ErrImagePull".into());
    let hold = Hold { scope: Scope::Replica(member), reason, keys: vec![], cause: None };
    let status = first(&answering([7, 7]), &planned(0, vec![hold]));
    assert_eq!((status.phase, status.reason.as_deref()), (Some(Phase::Creating), Some("NotRunning")));
}

#[test]
fn what_is_under_way_is_told_in_the_words_of_the_steps() {
    let mut plan = planned(1, vec![]);
    plan.steps = vec![Step::Recreate];
    let status = first(&answering([0, 7]), &plan);
    assert_eq!(is(&status, ConditionType::Reconciling), ("True", "Recreate"));
}

#[test]
fn nothing_is_written_as_long_as_nothing_changes() {
    let (world, plan) = (answering([0, 7]), planned(3, vec![for_a_person()]));
    let before = told(&world, &plan, &SetStatus::default(), 1);
    assert_eq!(told(&world, &plan, &before, 99), before);
}

#[test]
fn a_hold_and_a_state_keep_the_time_since_when_they_are_so() {
    let plan = planned(3, vec![for_a_person()]);
    let before = told(&answering([0, 7]), &plan, &SetStatus::default(), 1);
    let after = told(&answering([7, 7]), &plan, &before, 99);
    let since = |status: &SetStatus, at: usize| status.replica_states[at].since.clone().unwrap().0;
    assert_eq!((since(&after, 0), since(&after, 1)), (at(99), at(1)));
    assert_eq!(after.holds[0].since, before.holds[0].since);
}

#[test]
fn a_set_is_settled_when_only_a_person_can_help() {
    let (_, seen) = answering([0, 0]);
    let waits =
        Hold { scope: Scope::Set, reason: Why::Unread("rss-x-1".into(), None), keys: vec![], cause: None };
    assert!(is_settled(&seen, &planned(1, vec![for_a_person()])));
    assert!(!is_settled(&seen, &planned(1, vec![waits])));
    let mut acting = planned(1, vec![]);
    acting.steps = vec![Step::Recreate];
    assert!(!is_settled(&seen, &acting));
}

#[test]
fn a_memory_in_which_nothing_is_new_stays_as_it_was_written() {
    let world = answering([0, 0]);
    let written = crate::api::Memory(json!({"epoch": {"number": 1}, "of another version": true}).into());
    let previous = SetStatus { memory: Some(written.clone()), ..SetStatus::default() };
    let memory = |epoch| told(&world, &planned(epoch, vec![]), &previous, 1).memory.unwrap();
    assert_eq!(memory(1), written);
    assert_eq!(memory(2).0["epoch"]["number"], 2);
    assert_eq!(memory(2).0["of another version"], json!(null));
}

#[test]
fn trouble_of_the_shell_is_told_first() {
    let world = answering([0, 0]);
    let target = Target::parse(&world.0.set).unwrap();
    let trouble = Trouble { reason: Reason::ChildrenFailed, message: "no right to".into() };
    let status = report(&Told {
        target: &target,
        observation: &world.1,
        plan: &planned(1, vec![]),
        previous: &SetStatus::default(),
        remembered: &planner::Memory::default(),
        policy: &Judge::builtin(LargestInteger::default()),
        candidate: None,
        readiness: None,
        successions: &BTreeMap::new(),
        records: &[],
        installation: &Installation::default(),
        trouble: Some(&trouble),
        now: at(1),
    });
    assert_eq!(status.reason.as_deref(), Some("ChildrenFailed"));
    assert_eq!(is(&status, ConditionType::Stalled), ("True", "ChildrenFailed"));
}

#[test]
fn a_set_that_has_more_pods_than_are_wanted_is_not_ready_yet() {
    let mut world = answering([0, 0]);
    assert_eq!(is(&first(&world, &planned(3, vec![])), ConditionType::Ready), ("True", "AllMembersServe"));
    world.1.workload.as_mut().unwrap().replicas = 4;
    assert_eq!(is(&first(&world, &planned(3, vec![])), ConditionType::Ready), ("False", "Scaling"));
}

#[test]
fn who_was_given_up_is_not_waited_for_though_its_pod_is_on_a_machine_that_nobody_hears() {
    let (objects, mut seen) = answering([0, 0]);
    let mut set = (*objects.set).clone();
    set.spec.workload = Some(crate::api::Workload::StatefulCluster);
    let lost = Replica { ordinal: 0, ..seen.replicas[&ReplicaName::from("rss-x-1")].clone() };
    seen.replicas.insert("rss-x-lost".into(), lost);
    seen.replicas.get_mut(&"rss-x-lost".into()).unwrap().pod.as_mut().unwrap().terminating = true;
    let mut world = (Objects { set: Arc::new(set), ..objects }, seen);
    let ready = |world: &(Objects, Observation)| {
        let status = first(world, &planned(3, vec![]));
        let (truth, reason) = is(&status, ConditionType::Ready);
        (truth.to_owned(), reason.to_owned())
    };
    assert_eq!(ready(&world), ("False".to_owned(), "Scaling".to_owned()));
    world.1.workload.as_mut().unwrap().released.insert("rss-x-lost".into());
    assert_eq!(ready(&world), ("True".to_owned(), "AllMembersServe".to_owned()));
}

#[test]
fn a_policy_that_does_not_decide_is_told_with_what_decides_in_its_place() {
    let plan = planned(3, vec![]);
    let obstacle = || Some(Obstacle { reason: Reason::PolicyRefused, message: "it is text".into() });
    let decider = Decider::Nobody("it is text".into());
    let builtin = Judge::builtin(LargestInteger::default());
    let nobody = Judge { decider, active: None, obstacle: obstacle(), is_named: false, unkept: None };
    let older = Judge { obstacle: obstacle(), is_named: false, ..builtin.clone() };
    let unsure = Judge { obstacle: obstacle(), ..builtin.clone() };
    let full = Some(Obstacle { reason: Reason::PolicyNotKept, message: "32 are".into() });
    let unkept = Judge { unkept: full, ..builtin.clone() };
    for (policy, ready, stale) in [
        (builtin, ("True", "PolicyActive"), ("False", "PolicyActive")),
        (nobody, ("False", "PolicyRefused"), ("False", "PolicyRefused")),
        (older, ("True", "PolicyActive"), ("True", "PolicyRefused")),
        (unsure, ("True", "PolicyActive"), ("Unknown", "PolicyRefused")),
        (unkept, ("True", "PolicyNotKept"), ("False", "PolicyActive")),
    ] {
        let status = by(&policy, &answering([0, 0]), &plan, &SetStatus::default(), 1);
        assert_eq!(is(&status, ConditionType::PolicyReady), ready);
        assert_eq!(is(&status, ConditionType::PolicyStale), stale);
        assert_eq!(status.policy, policy.active);
        assert_eq!(is(&status, ConditionType::Ready), ("True", "AllMembersServe"), "it runs all the same");
    }
}

#[test]
fn a_replica_is_told_with_the_data_that_it_has_now_and_not_with_what_was_there_before() {
    let mut plan = planned(3, vec![]);
    // A reading of what is gone, after more starts than the new claim had.
    for (claim, at, starts) in [("gone", 78, 4), ("k0", 0, 0)] {
        let mut record =
            Record::new(HolderId::Claims(vec![claim.into()]), "rss-x-0".into(), Default::default());
        let reading = json!({"reading": {"at": {"ordinal": at}}, "starts": starts, "container": "c://p0",
            "outage": 1, "raw": ""});
        (record.starts, record.reading) = (starts, serde_json::from_value(reading).unwrap());
        plan.memory.holders.insert(record.holder.clone(), record);
    }
    let told = first(&answering([7, 7]), &plan).replica_states.swap_remove(0);
    assert_eq!((told.holder.as_deref(), told.reading.as_deref()), (Some("claim k0"), Some("0")));
}

#[test]
fn what_a_member_said_while_it_ran_is_told_of_it_as_what_it_holds_at_least() {
    let holder = HolderId::Claims(vec!["k0".into()]);
    let told = |starts: u64, heard: serde_json::Value| {
        let mut plan = planned(3, vec![]);
        let record = Record::new(holder.clone(), "rss-x-0".into(), Default::default());
        plan.memory.holders.insert(holder.clone(), record);
        let said = json!({"holder": {"claims": ["k0"]}, "starts": starts, "container": "c", "attempt": "a", "heard": heard});
        plan.memory.rehearsals.insert("rss-x-0".into(), serde_json::from_value(said).unwrap());
        first(&answering([7, 7]), &plan).replica_states.swap_remove(0).reading
    };
    let nine = json!({"said": {"reading": {"at": {"ordinal": 9}}}});
    assert_eq!(told(0, nine.clone()).as_deref(), Some("at least 9"));
    assert_eq!(told(1, nine), None, "it was of data before a start");
    assert_eq!(told(0, json!({"nothing": "late"})), None);
}
