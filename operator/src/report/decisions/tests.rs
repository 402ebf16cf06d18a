use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};

use super::*;
use crate::api::{Installation, SetStatus};
use crate::observe::Evidence;
use crate::observe::fixture::{look, objects};
use crate::policy::Judge;
use k8s_openapi::jiff::Timestamp;
use largest_integer::LargestInteger;
use planner::Memory;
use planner::decision::{Candidate, Verdict};
use planner::names::ReplicaName;
use planner::plan::{Cause, Hold, Run, Scope};
use planner::position::Position;
use serde::Deserialize;
use serde_json::json;

/// What the operator's own policy decides among members that hold this much.
fn asked(seed: &[u64], order: &[u64]) -> Vec<Record> {
    let judge = Judge::builtin(LargestInteger::default());
    let policy = judge.decider.decisions().unwrap();
    let candidates = |held: &[u64]| -> Vec<Candidate> {
        let one = |(ordinal, held): (u32, &u64)| Candidate {
            replica: name(ordinal),
            ordinal,
            position: Some(Position::Ordinal(*held)),
            created_at: None,
            facts: Vec::new(),
        };
        (0..).zip(held).map(one).collect()
    };
    if !seed.is_empty() {
        assert!(matches!(policy.seed(&candidates(seed)), Verdict::Proposed { .. }));
    }
    if !order.is_empty() {
        assert!(matches!(policy.primaries(&candidates(order)), Verdict::Proposed { .. }));
    }
    judge.decider.take_records()
}

fn told(plan: &Plan, records: &[Record], before: Vec<Decision>) -> Vec<Decision> {
    told_of(1, plan, records, before)
}

/// What a set of so many members is told, each time a second later.
fn told_of(members: u32, plan: &Plan, records: &[Record], before: Vec<Decision>) -> Vec<Decision> {
    static SECONDS: AtomicI64 = AtomicI64::new(0);
    let mut observation = look(&objects(), &Memory::default(), Evidence::default());
    let one = observation.replicas.values().next().cloned().unwrap();
    observation.replicas = (0..members).map(|ordinal| (name(ordinal), one.clone())).collect();
    let previous = SetStatus { decisions: before, ..SetStatus::default() };
    decisions(&Told {
        target: &Target::parse(&objects().set).unwrap(),
        observation: &observation,
        plan,
        previous: &previous,
        remembered: &Memory::default(),
        policy: &Judge::builtin(LargestInteger::default()),
        candidate: None,
        readiness: None,
        successions: &BTreeMap::new(),
        records,
        installation: &Installation::default(),
        trouble: None,
        now: Timestamp::from_second(SECONDS.fetch_add(1, Ordering::Relaxed)).unwrap(),
    })
}

fn name(ordinal: u32) -> ReplicaName {
    ReplicaName(format!("rss-x-{ordinal}"))
}

fn seeding() -> Plan {
    let run = Run {
        replica: "rss-x-1".into(),
        command: Command::Seed,
        attempt: "a".into(),
        if_pod: "p".into(),
        if_container: "c".into(),
        lock: true,
        starts: 1,
        at_rest: true,
        epoch: 1,
        peers: Vec::new(),
        cause: Cause::Answer,
    };
    Plan { memory: Memory::default(), steps: vec![Step::Run(run)], ..Plan::default() }
}

fn refused() -> Plan {
    let reason = Reason::SeedRefused { proposed: "rss-x-1".into(), why: "it lacks 3".into() };
    Plan { holds: vec![Hold { scope: Scope::Set, reason, keys: Vec::new(), cause: None }], ..Plan::default() }
}

fn interfaces(kept: &[Decision]) -> Vec<&str> {
    kept.iter().map(|one| one.0["interface"].as_str().unwrap()).collect()
}

#[test]
fn the_record_of_a_seed_is_whole_and_can_be_read_again() {
    let kept = told(&seeding(), &asked(&[3, 9], &[]), Vec::new());
    assert_eq!(interfaces(&kept), ["seed@0.1.0"]);
    assert_eq!(kept[0].0["answer"]["proposal"]["replica"], "rss-x-1");
    assert_eq!(kept[0].0["set"]["name"], "x");
    let read = Record::deserialize(&*kept[0].0).unwrap();
    let Question::Seed(input) = read.question else { panic!("a seed") };
    assert_eq!(input.candidates.len(), 2);
}

#[test]
fn what_nothing_follows_from_is_no_decision() {
    let records = asked(&[3, 9], &[]);
    assert!(told(&Plan::default(), &records, Vec::new()).is_empty(), "a reading is still owed");
    let kept = told(&refused(), &records, Vec::new());
    assert_eq!(kept[0].0["vetoes"][0], "it lacks 3");
    assert_eq!(told(&refused(), &records, kept.clone()), kept, "a refusal is kept once");
    assert_eq!(told(&seeding(), &records, kept).len(), 2, "each seed is a decision of its own");
}

#[test]
fn that_the_policy_itself_names_no_seed_is_recorded_and_is_no_veto_of_the_host() {
    let reason = Reason::NoSeedVerdict("there is no candidate".into());
    let waits = Plan {
        holds: vec![Hold { scope: Scope::Set, reason, keys: Vec::new(), cause: None }],
        ..Plan::default()
    };
    let kept = told(&waits, &asked(&[3, 9], &[]), Vec::new());
    assert_eq!(interfaces(&kept), ["seed@0.1.0"]);
    assert_eq!(kept[0].0.get("vetoes"), None);
}

#[test]
fn what_the_data_does_not_allow_of_an_order_or_a_leader_is_recorded_too() {
    let proposed = vec!["x-9".into()];
    let order = Reason::OrderRefused { proposed, why: "it is no order".into() };
    let leader = |member: &str| Reason::LeaderRefused {
        member: member.into(),
        proposed: "x-9".into(),
        why: "it does not run".into(),
    };
    let waits = |reason: Reason| Plan {
        holds: vec![Hold { scope: Scope::Set, reason, keys: Vec::new(), cause: None }],
        ..Plan::default()
    };
    let judge = Judge::builtin(LargestInteger::default());
    let member =
        Candidate { replica: name(1), ordinal: 1, position: None, created_at: None, facts: Vec::new() };
    judge.decider.decisions().unwrap().replicas(&member, &[name(0)]);
    let treated = judge.decider.take_records();
    for (records, reason, vetoes) in [
        (asked(&[], &[9, 3]), order.clone(), serde_json::json!(["it is no order"])),
        (asked(&[], &[9, 3]), leader("rss-x-1"), Value::Null),
        (treated.clone(), leader("rss-x-1"), serde_json::json!(["it does not run"])),
        (treated.clone(), leader("rss-x-0"), Value::Null),
        (treated, order, Value::Null),
    ] {
        let kept = told(&waits(reason), &records, Vec::new());
        assert_eq!(kept[0].0["vetoes"], vetoes, "{:?}", kept[0]);
    }
}

#[test]
fn an_order_is_kept_when_it_changes_whatever_the_members_hold() {
    let kept = told(&Plan::default(), &asked(&[], &[9, 3]), Vec::new());
    assert_eq!(told(&Plan::default(), &asked(&[], &[12, 3]), kept.clone()), kept);
    let changed = told(&Plan::default(), &asked(&[], &[3, 9]), kept);
    assert_eq!(changed.len(), 2, "{changed:?}");
}

#[test]
fn of_refused_readings_of_a_member_the_newest_is_kept() {
    let refused = |held: u64| -> Record {
        let answer = json!({"reading": {"at": {"position": {"ordinal": held}, "facts": {}}}, "why": ""});
        let record = json!({"interface": "sequence@0.1.0", "input": {"output": {"replica": "rss-x-0"}},
            "policy": {}, "answer": answer, "vetoes": ["an output that was cut"]});
        serde_json::from_value(record).unwrap()
    };
    let plan = Plan::default();
    let first = told(&plan, &[refused(3)], Vec::new());
    assert_eq!(told(&plan, &[refused(3)], first.clone()), first, "it said so before");
    let second = told(&plan, &[refused(4)], first);
    let held = &second[0].0["answer"]["reading"]["at"]["position"]["ordinal"];
    assert_eq!((second.len(), held), (1, &json!(4)));
}

#[test]
fn a_bounded_number_is_kept_and_no_kind_drives_out_another() {
    let mut kept = told(&seeding(), &asked(&[1], &[]), Vec::new());
    for round in 0..20 {
        let order = if round % 2 == 0 { [1, 2] } else { [2, 1] };
        kept = told(&Plan::default(), &asked(&[], &order), kept);
    }
    assert_eq!(interfaces(&kept).iter().filter(|name| **name == "primaries@0.1.0").count(), 4);
    assert_eq!(interfaces(&kept)[0], "seed@0.1.0");
    for held in 0..20 {
        kept = told(&seeding(), &asked(&[held], &[]), kept);
    }
    assert_eq!(interfaces(&kept).iter().filter(|name| **name == "seed@0.1.0").count(), 8);
}

mod large;
mod members;
