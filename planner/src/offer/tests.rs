use super::*;
use crate::fixture::{holder, memory, name, record, stopped_set};
use crate::memory::Outage;
use crate::observation::Absence;
use crate::{Memory, Observation, decide};

const QUOTA: &str = "FailedCreate: exceeded quota";

/// Each key that is offered, as its kind with its subject.
fn offered(seen: &Observation, known: &Memory) -> Vec<String> {
    let plan = decide(seen, known);
    assert_eq!(crate::audit(seen, known, &plan), Ok(()));
    let keys = plan.holds.iter().flat_map(|hold| &hold.keys);
    let mut keys: Vec<String> = keys.map(|key| format!("{:?} {}", key.kind, key.subject)).collect();
    keys.sort();
    keys.dedup();
    keys
}

fn in_outage(records: impl IntoIterator<Item = Record>) -> Memory {
    Memory { outage: Some(Outage::default()), ..memory(records) }
}

/// This member has no pod, and the cluster says why.
fn absent(seen: &mut Observation, ordinal: u32, recovers: bool) {
    let replica = seen.replicas.get_mut(&name(ordinal)).unwrap();
    replica.pod = None;
    replica.absence = Some(Absence { why: QUOTA.to_owned(), recovers });
}

fn unreadable(ordinal: u32) -> Record {
    record(ordinal).confirmed_in(1).reads(Reading::Unreadable("exit 1".to_owned()))
}

fn cut(ordinal: u32) -> Record {
    let mut record = unreadable(ordinal);
    record.reading.as_mut().unwrap().cut = true;
    record
}

#[test]
fn data_is_not_given_up_while_a_correction_brings_it_back() {
    let read = |n| record(n).confirmed_in(1).at(5);
    let unread = || record(2).confirmed_in(1);
    for (sentence, third, absence, expected) in [
        ("nobody knows why it is away", unread(), None, true),
        ("a quota keeps it away", unread(), Some(true), false),
        ("its node may be lost", unread(), Some(false), true),
        ("it was not readable, and a quota keeps it away", unreadable(2), Some(true), false),
        ("it was not readable, and is away", unreadable(2), Some(false), true),
        ("its output was too long", cut(2), Some(false), false),
        ("its data was read as empty", record(2).confirmed_in(1).reads(Reading::Empty), Some(true), true),
    ] {
        let mut seen = stopped_set(3);
        absent(&mut seen, 2, absence == Some(true));
        if absence.is_none() {
            seen.replicas.get_mut(&name(2)).unwrap().absence = None;
        }
        let keys = offered(&seen, &in_outage([read(0), read(1), third]));
        assert_eq!(keys, if expected { vec!["AcceptLoss x-2"] } else { Vec::new() }, "{sentence}");
    }
}

#[test]
fn data_whose_claim_is_gone_may_be_given_up_whatever_keeps_its_member_away() {
    let read = |n| record(n).confirmed_in(1).at(5);
    let mut seen = stopped_set(3);
    absent(&mut seen, 2, true);
    seen.replicas.get_mut(&name(2)).unwrap().claims.clear();
    let known = in_outage([read(0), read(1), record(2).confirmed_in(1)]);
    assert_eq!(offered(&seen, &known), ["AcceptLoss x-2"]);
}

#[test]
fn a_hold_for_a_member_that_is_away_or_for_an_output_that_is_too_long_says_so_and_no_other_does() {
    let mut seen = stopped_set(3);
    absent(&mut seen, 2, true);
    let known = in_outage([0, 1, 2].map(|n| record(n).confirmed_in(1)));
    for hold in decide(&seen, &known).holds {
        let is_its = hold.scope == Scope::Replica(name(2));
        assert_eq!(hold.cause.as_deref(), is_its.then_some(QUOTA), "{}", hold.reason);
    }
    let known = in_outage([cut(0), unreadable(1)]);
    let holds = decide(&stopped_set(2), &known).holds;
    let too_long =
        |hold: &Hold| hold.cause.as_ref().is_some_and(|cause| cause.starts_with("OutputTooLong: "));
    assert_eq!(holds.iter().map(too_long).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn nobody_vouches_for_a_start_while_a_correction_shows_whether_it_is_over() {
    let started = || {
        let mut record = record(0).confirmed_in(1).open_start("a");
        record.open[0].pod = "before".into();
        record.open[0].lock = crate::start::Lock::Held;
        record
    };
    for (sentence, recovers, node, expected) in [
        ("a quota keeps its member away", true, Some(true), false),
        ("its node may be lost", false, Some(true), true),
        ("the node of the start is silent", true, Some(false), true),
        ("the node of the start is gone", true, None, true),
    ] {
        let mut seen = stopped_set(2);
        absent(&mut seen, 0, recovers);
        match node {
            Some(ready) => seen.nodes.get_mut(&"node-0".into()).unwrap().ready = ready,
            None => _ = seen.nodes.remove(&"node-0".into()),
        }
        let keys = offered(&seen, &in_outage([started(), record(1).confirmed_in(1).at(5)]));
        assert_eq!(keys.contains(&"AssertFenced before".to_owned()), expected, "{sentence}: {keys:?}");
    }
}

#[test]
fn all_data_that_is_there_is_never_offered_to_be_given_up() {
    let unread = |n| record(n).confirmed_in(1);
    let empty = |n| record(n).confirmed_in(1).reads(Reading::Empty);
    let behind = |n| {
        let mut record = record(n).confirmed_in(1).at(5);
        record.left = true;
        record
    };
    let mut waived = record(2).confirmed_in(1).at(5);
    waived.waived = true;
    for (sentence, known, expected) in [
        ("nobody was read", [0, 1, 2].map(unread), vec![]),
        ("one was read", [unread(0), unread(1), unread(2).at(5)], vec!["AcceptLoss x-0", "AcceptLoss x-1"]),
        (
            "one that left before was read",
            [unread(0), unread(1), behind(2)],
            vec!["AcceptLoss x-0", "AcceptLoss x-1"],
        ),
        ("one was given up before", [unread(0), unread(1), waived], vec![]),
        ("one has nothing", [unread(0), unread(1), empty(2)], vec!["AcceptLoss x-2"]),
        (
            "nobody has anything",
            [0, 1, 2].map(empty),
            vec!["AcceptLoss x-0", "AcceptLoss x-1", "AcceptLoss x-2"],
        ),
    ] {
        let mut seen = stopped_set(3);
        seen.replicas.values_mut().for_each(|replica| replica.pod = None);
        assert_eq!(offered(&seen, &in_outage(known)), expected, "{sentence}");
    }
}

#[test]
fn where_nobody_can_be_read_one_may_be_named() {
    let mut seen = stopped_set(2);
    let known = in_outage([0, 1].map(unreadable));
    assert_eq!(offered(&seen, &known), ["AcceptSeed x-0", "AcceptSeed x-1"]);
    let hold = |seen: &Observation| {
        decide(seen, &known).holds.into_iter().find(|hold| !hold.keys.is_empty()).unwrap()
    };
    seen.target.keys = hold(&seen).keys;
    let plan = decide(&seen, &known);
    assert_eq!(plan.memory.outage.and_then(|outage| outage.named), Some(holder(0)));
    seen.target.keys.clear();
    seen.pod_mut(1).status = crate::observation::Status::Silent("no route".to_owned());
    assert_eq!(offered(&seen, &known), [""; 0], "one that is not heard may run");
}

#[test]
fn a_set_that_is_wanted_no_more_may_be_given_up() {
    let mut seen = stopped_set(1);
    seen.target.replicas = 0;
    let mut holds = decide(&stopped_set(1), &in_outage([unreadable(0)])).holds;
    let known = in_outage([unreadable(0)]);
    let look = Look::new(&seen, known);
    let key = Key::bound(KeyKind::AcceptLoss, name(0).0, &seen, &look.memory);
    holds[0].keys = vec![key.clone()];
    spare_the_last(&look, &mut holds, &[]);
    assert_eq!(holds[0].keys, [key]);
}
