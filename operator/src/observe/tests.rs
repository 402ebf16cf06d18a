use super::fixture::{claim, look, objects, set, with_start};
use super::*;
use planner::names::BootId;
use planner::observation::{AttemptState, Command, Output};
use planner::position::Position;
use planner::record::Reading;
use serde_json::json;
use std::sync::Arc;

#[test]
fn every_place_is_seen_that_is_wanted_or_holds_something() {
    let seen = look(&objects(), &Memory::default(), Evidence::default());
    let names: Vec<_> =
        seen.replicas.iter().map(|(name, replica)| (name.0.as_str(), replica.ordinal)).collect();
    assert_eq!(names, [("rss-x-0", 0), ("rss-x-1", 1), ("rss-x-5", 5)]);
    assert!(seen.replicas[&ReplicaName::from("rss-x-0")].pod.is_some());
    assert_eq!(seen.replicas[&ReplicaName::from("rss-x-5")].claims[0].uid, "k5".into());
    assert_eq!(seen.workload, None);
}

#[test]
fn an_answer_stands_at_the_replica_that_gave_it() {
    let silent = Status::Silent("lost".into());
    let statuses = BTreeMap::from([("rss-x-0".into(), silent.clone())]);
    let seen = look(&objects(), &Memory::default(), Evidence { statuses, ..Evidence::default() });
    assert_eq!(seen.replicas[&ReplicaName::from("rss-x-0")].pod.as_ref().unwrap().status, silent);
}

#[test]
fn nodes_are_seen_where_pods_are_and_where_a_start_may_be_alive() {
    let names = |memory: &Memory| -> Vec<String> {
        look(&objects(), memory, Evidence::default()).nodes.keys().map(ToString::to_string).collect()
    };
    assert_eq!(names(&Memory::default()), ["n0"]);
    let record = with_start("gone", "n1");
    let memory = Memory { holders: [(record.holder.clone(), record)].into(), ..Memory::default() };
    assert_eq!(names(&memory), ["n0", "n1"]);
}

#[test]
fn a_node_that_may_not_be_seen_proves_nothing() {
    let mut objects = objects();
    objects.nodes = None;
    let record = with_start("p0", "n0");
    let memory = Memory { holders: [(record.holder.clone(), record)].into(), ..Memory::default() };
    let nodes = look(&objects, &memory, Evidence::default()).nodes;
    let node = &nodes[&NodeName::from("n0")];
    assert_eq!((node.ready, node.out_of_service), (false, false));
    assert_eq!(node.boot, BootId::default(), "another boot would prove that the start is over");
}

#[test]
fn only_a_read_that_ended_has_a_reading() {
    let attempt = |command, state| Attempt {
        replica: "rss-x-0".into(),
        pod: "p0".into(),
        container: "c".into(),
        command,
        locked: true,
        starts: 0,
        at_rest: true,
        state,
    };
    let said = |stdout: &str, code| {
        AttemptState::Ended(Output { code, stdout: stdout.into(), stderr: String::new(), truncated: false })
    };
    let attempts = BTreeMap::from([
        ("read".into(), attempt(Command::Read, said("41\n", 0))),
        ("failed".into(), attempt(Command::Read, said("41\n", 1))),
        ("running".into(), attempt(Command::Read, AttemptState::Running)),
        ("stop".into(), attempt(Command::Stop, said("41\n", 0))),
    ]);
    let seen = look(&objects(), &Memory::default(), Evidence { attempts, ..Evidence::default() });
    let readings = seen.verdicts.readings;
    assert_eq!(readings.len(), 2);
    assert_eq!(readings[&AttemptId::from("read")].reading, Reading::At(Position::Ordinal(41)));
    assert!(matches!(readings[&AttemptId::from("failed")].reading, Reading::Unreadable(_)));
}

#[test]
fn a_volume_counts_as_attached_wherever_a_start_on_it_is_open() {
    let mut objects = objects();
    let record = with_start("gone", "n1");
    objects.claims.insert("rss-x-0".into(), vec![claim("k0", Some(&record))]);
    assert!(look(&objects, &Memory::default(), Evidence::default()).attached.is_empty(), "nobody asks");
    objects.set = Arc::new(set(json!({"recovery": {"detachedVolume": "Closed"}})));
    let seen = look(&objects, &Memory::default(), Evidence::default());
    assert_eq!(seen.attached, BTreeSet::from([("k0".into(), "n1".into())]));
}
