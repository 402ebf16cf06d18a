use super::*;
use crate::observe::Evidence;
use crate::observe::fixture::{self, claim};
use crate::observe::names::replica;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use planner::memory::Epoch;
use planner::position::{History, Position};
use planner::record::Reading;
use planner::rehearsal::Rehearsal;

fn record(uid: &str, ordinal: u32, confirmed: u64) -> Record {
    let holder = HolderId::Claims(vec![uid.into()]);
    let mut record = Record::new(holder, format!("rss-x-{ordinal}").as_str().into(), Epoch::default());
    record.confirmed = confirmed;
    record
}

/// A set whose claims are these, by number.
fn objects(claims: &[(&str, Option<Record>)]) -> Objects {
    let claims = claims.iter().map(|(uid, record)| vec![claim(uid, record.as_ref())]);
    let members = (0..).map(|number| replica("x", number));
    Objects { claims: members.zip(claims).collect(), ..fixture::objects() }
}

fn order(objects: &Objects, records: &[Record]) -> Vec<String> {
    let seen = fixture::look(objects, &Memory::default(), Evidence::default());
    let writes = claim_writes(objects, &seen, &plan(records));
    writes.iter().map(|write| write.record.replica.0.clone()).collect()
}

fn plan(records: &[Record]) -> Plan {
    let mut plan = Plan::default();
    plan.memory.holders = records.iter().map(|record| (record.holder.clone(), record.clone())).collect();
    plan
}

#[test]
fn those_confirmed_in_the_newest_epoch_are_written_first() {
    let objects = objects(&[("k0", None), ("k1", None), ("k2", None)]);
    let records = [record("k0", 0, 0), record("k1", 1, 2), record("k2", 2, 1)];
    assert_eq!(order(&objects, &records), ["rss-x-1", "rss-x-2", "rss-x-0"]);
}

#[test]
fn a_claim_that_says_it_already_costs_no_write() {
    let objects = objects(&[("k0", Some(record("k0", 0, 1))), ("k1", Some(record("k1", 1, 1)))]);
    assert_eq!(order(&objects, &[record("k0", 0, 1), record("k1", 1, 2)]), ["rss-x-1"]);
}

#[test]
fn an_annotation_that_cannot_be_read_is_not_written_over() {
    let mut objects = objects(&[("k0", None)]);
    let mut torn = PersistentVolumeClaim::clone(&objects.claims[&"rss-x-0".into()][0]);
    torn.metadata.annotations = Some([(RECORD.to_owned(), "{".to_owned())].into());
    objects.claims.insert("rss-x-0".into(), vec![Arc::new(torn)]);
    assert!(order(&objects, &[record("k0", 0, 1)]).is_empty());
}

#[test]
fn only_a_conflict_is_a_reason_to_look_again() {
    let error = |code: u16| {
        let status: kube::core::Status = serde_json::from_value(json!({"code": code})).unwrap();
        Error::Status(kube::Error::Api(Box::new(status)))
    };
    assert!(error(409).is_conflict() && error(404).is_conflict());
    assert!(!error(403).is_conflict() && !error(500).is_conflict() && !error(422).is_conflict());
}

#[test]
fn what_does_not_fit_an_object_is_refused_and_never_cut() {
    assert!(within(5, 5, String::new).is_ok());
    assert!(matches!(within(5, 6, String::new), Err(Error::TooLarge { bytes: 6, .. })));
}

/// A memory in which so many members said this while they ran.
fn rehearsed(members: u32, source: &str) -> Memory {
    let mut memory = Memory::default();
    for ordinal in 0..members {
        let said = Reading::At(Position::History(History::up_to(source, 1)));
        let rehearsal = Rehearsal {
            holder: HolderId::Claims(vec![format!("k{ordinal}").as_str().into()]),
            starts: 1,
            container: "c".into(),
            attempt: "a".into(),
            reader: None,
            heard: Heard::Said(said.into()),
            held: None,
        };
        memory.rehearsals.insert(format!("rss-x-{ordinal}").as_str().into(), rehearsal);
    }
    memory
}

#[test]
fn what_members_said_while_they_ran_gives_way_to_what_is_promised() {
    for (members, source, is_kept) in [(14, "s".to_owned(), true), (14, "s".repeat(60 * 1024), false)] {
        let mut memory = rehearsed(members, &source);
        let promised = record("k0", 0, 2);
        memory.holders.insert(promised.holder.clone(), promised);
        let written = told(&memory).unwrap();
        assert!(written.to_string().len() <= LARGEST_MEMORY, "{}", written.to_string().len());
        let read: Memory = serde_json::from_value(written).unwrap();
        assert_eq!((read == memory, read.rehearsals.len()), (is_kept, members as usize), "each was asked");
        assert_eq!(read.holders, memory.holders, "of what is promised nothing gives way");
    }
}

#[test]
fn a_claim_that_was_made_anew_is_a_conflict_though_the_server_calls_it_invalid() {
    let status = json!({"code": 422, "details": {"causes": [{"field": "metadata.uid", "reason": "FieldValueInvalid"}]}});
    let source = kube::Error::Api(serde_json::from_value(status).unwrap());
    assert!(Error::Claim { claim: "data-rss-x-0".into(), source }.is_conflict());
}

#[test]
fn a_resource_is_as_decided_on_while_it_wants_and_remembers_the_same_and_is_not_deleted() {
    type Change = fn(&mut ReplicatedStatefulSet);
    let cases: [(&str, Change, bool); 6] = [
        ("nothing was changed", |_| (), true),
        ("somebody wrote beside", |set| set.metadata.resource_version = Some("2".to_owned()), true),
        ("it is another one", |set| set.metadata.uid = Some("another".to_owned()), false),
        ("it wants something else", |set| set.metadata.generation = Some(99), false),
        ("it remembers something else", |set| set.status = Some(SetStatus::default()), false),
        (
            "it is being deleted",
            |set| set.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH)),
            false,
        ),
    ];
    let then = ReplicatedStatefulSet::clone(&fixture::objects().set);
    for (sentence, change, expected) in cases {
        let mut now = then.clone();
        change(&mut now);
        assert_eq!(is_as_decided_on(&then, &now), expected, "{sentence}");
    }
}
