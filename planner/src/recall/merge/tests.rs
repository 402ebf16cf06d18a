use super::*;
use crate::fixture;
use crate::memory::Base;
use crate::names::ReplicaName;
use crate::position::Position;

#[test]
fn the_record_with_more_starts_wins_and_no_open_start_is_forgotten() {
    let status = fixture::record(0).confirmed_in(2).starts(4).open_start("a");
    let claim = fixture::record(0).confirmed_in(2).starts(5).open_start("b");
    for (one, other) in [(status.clone(), claim.clone()), (claim, status)] {
        let united = unite(vec![one, other]).unwrap();
        assert_eq!(united.starts, 5);
        let open: Vec<&str> = united.open.iter().map(|start| start.attempt.0.as_str()).collect();
        assert_eq!(open, ["a", "b"]);
    }
}

#[test]
fn what_one_record_saw_of_a_start_the_other_does_not_make_unseen() {
    use crate::start::Lock::{Held, NotHeld, Unasked};
    let known = |starts, lock| {
        let mut record = fixture::record(0).confirmed_in(2).open_start("a").starts(starts);
        record.open[0].lock = lock;
        record
    };
    for (sentence, one, other, expected) in [
        ("one asked", (1, Held), (1, Unasked), Held),
        ("one asked, and it was free", (1, NotHeld), (1, Unasked), NotHeld),
        ("one was asked later, and is it that sees it held", (1, NotHeld), (1, Held), Held),
        ("it was asked before a command was sent", (1, Held), (2, Unasked), Unasked),
        ("and after it", (1, Unasked), (2, Held), Held),
    ] {
        for (a, b) in [(one, other), (other, one)] {
            let united = unite(vec![known(a.0, a.1), known(b.0, b.1)]).unwrap();
            assert_eq!((united.open.len(), united.open[0].lock), (1, expected), "{sentence}");
        }
    }
    let with_another = fixture::record(0).confirmed_in(2).starts(4).open_start("b");
    let three = [with_another, known(3, Unasked), known(3, Held)];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let united = unite(order.map(|at| three[at].clone()).to_vec()).unwrap();
        let of_a = united.open.iter().find(|start| start.attempt.0 == "a").unwrap();
        assert_eq!((united.open.len(), of_a.lock), (2, Held), "{order:?}");
    }
    let mut unseen = known(1, Unasked);
    let start = &mut unseen.open[0];
    (start.confirmed, start.began, start.ended) = (false, false, false);
    let seen = known(1, Unasked);
    for (a, b) in [(unseen.clone(), seen.clone()), (seen.clone(), unseen)] {
        assert_eq!(unite(vec![a, b]).unwrap().open, seen.open);
    }
}

#[test]
fn no_start_is_uncounted_by_a_record_that_was_confirmed_later() {
    let (one, other) =
        (fixture::record(0).confirmed_in(2).starts(4), fixture::record(0).confirmed_in(1).starts(5));
    for (a, b) in [(one.clone(), other.clone()), (other, one)] {
        let united = unite(vec![a, b]).unwrap();
        assert_eq!((united.starts, united.confirmed), (5, 2));
    }
}

#[test]
fn a_lock_is_as_the_record_says_that_was_written_last() {
    use crate::start::Lock;
    // In status, and on the claim: how many starts there were, and what was known of the lock of the first.
    for (sentence, status, claim, closed) in [
        ("a watch of claims is late", (1, Lock::Held), (1, Lock::Unasked), false),
        ("the status was not written", (1, Lock::Held), (2, Lock::Unasked), true),
    ] {
        let mut world = fixture::stopped_set(1);
        let known = |(starts, lock)| {
            let mut record = fixture::record(0).confirmed_in(1).open_start("a");
            record.open[0].lock = lock;
            record.starts = starts;
            record
        };
        world.replicas.get_mut(&fixture::name(0)).unwrap().claims[0].record = Some(known(claim));
        world.ages.insert(crate::timer::Timer::StoppedOpen("a".into()), crate::timer::Age::Ripe);
        let before = fixture::memory([known(status)]);
        let plan = crate::decide(&world, &before);
        let is_open = plan.memory.of(&fixture::name(0)).any(|record| !record.open.is_empty());
        assert_eq!(is_open, !closed, "{sentence}");
        assert_eq!(crate::audit(&world, &before, &plan), Ok(()), "{sentence}");
    }
}

#[test]
fn that_a_join_was_seen_to_end_is_believed_by_the_one_claim_on_which_it_was_written() {
    let mut world = fixture::stopped_set(2).answers(0, 8);
    let claims = &mut world.replicas.get_mut(&fixture::name(1)).unwrap().claims;
    claims.push(Claim { uid: "other".into(), ..claims[0].clone() });
    let holder = HolderId::Claims(claims.iter().map(|claim| claim.uid.clone()).collect());
    let mut joining = Record { holder, joining: true, ..fixture::record(1).open_start("join") };
    joining.open[0].confirmed = false;
    let mut joined = Record { joining: false, confirmed: 1, ..joining.clone() };
    joined.open[0].confirmed = true;
    for (first, second) in [(&joining, &joined), (&joined, &joining)] {
        let claims = &mut world.replicas.get_mut(&fixture::name(1)).unwrap().claims;
        (claims[0].record, claims[1].record) = (Some(first.clone()), Some(second.clone()));
        let before = fixture::memory([fixture::record(0).confirmed_in(1).open_start("a"), joining.clone()]);
        let plan = crate::decide(&world, &before);
        assert!(plan.memory.of(&fixture::name(1)).all(|record| !record.joining && record.confirmed == 1));
        assert_eq!(crate::audit(&world, &before, &plan), Ok(()));
    }
}

#[test]
fn data_is_of_the_replica_that_has_it_whatever_its_records_name() {
    let misnamed = Record { replica: fixture::name(2), ..fixture::record(0) };
    for (on_claim, in_status) in [(true, true), (true, false), (false, true)] {
        let mut world = fixture::stopped_set(1);
        world.replicas.get_mut(&fixture::name(0)).unwrap().claims[0].record =
            on_claim.then(|| misnamed.clone());
        let before = fixture::memory(in_status.then(|| misnamed.clone()));
        let (look, _) = super::super::recall(&world, &before);
        let record = look.record(&fixture::name(0)).unwrap();
        assert_eq!(record.replica, fixture::name(0), "on its claim: {on_claim}, in status: {in_status}");
    }
}

#[test]
fn an_epoch_that_only_a_claim_knows_is_believed() {
    let mut world = fixture::stopped_set(3);
    let name = ReplicaName::from("x-1");
    let mut record = fixture::record(1).confirmed_in(7);
    record.epoch.number = 7;
    world.replicas.get_mut(&name).unwrap().claims[0].record = Some(record);
    let (look, _) = super::super::recall(&world, &crate::Memory::default());
    assert_eq!(look.epoch(), 7);
}

#[test]
fn of_two_that_name_the_same_epoch_the_status_says_what_it_began_with() {
    let base = |number| Some(Base { position: Position::Ordinal(number), measure: fixture::measure(1) });
    let mut known = fixture::memory([fixture::record(0).confirmed_in(3)]);
    known.epoch = Epoch { number: 3, base: base(7), ..Epoch::default() };
    for (number, expected) in [(3, base(7)), (2, base(7)), (4, base(9))] {
        let mut world = fixture::stopped_set(1);
        let mut record = fixture::record(0).confirmed_in(2);
        record.epoch = Epoch { number, base: base(9), ..Epoch::default() };
        world.replicas.get_mut(&fixture::name(0)).unwrap().claims[0].record = Some(record);
        let (look, _) = super::super::recall(&world, &known);
        assert_eq!(look.memory.epoch.base, expected, "a claim of epoch {number}");
    }
}

#[test]
fn a_claim_with_the_record_of_another_is_its_copy_and_what_that_one_held_is_not_forgotten() {
    let mut world = fixture::stopped_set(1);
    let original = fixture::record(7).confirmed_in(1).at(9);
    world.replicas.get_mut(&fixture::name(0)).unwrap().claims[0].record = Some(original.clone());
    let (look, _) = super::super::recall(&world, &crate::Memory::default());
    let copy = &look.memory.holders[&fixture::holder(0)];
    assert_eq!(copy.copied_from, Some(original.holder.clone()));
    assert_eq!(look.memory.holders[&original.holder].confirmed, 1);
}

#[test]
fn no_outage_has_the_number_of_one_in_which_a_claim_says_that_it_was_read() {
    let mut world = fixture::stopped_set(2);
    let mut record = fixture::record(1).confirmed_in(1).at(9);
    record.reading.as_mut().unwrap().measure.outage = 6;
    world.replicas.get_mut(&fixture::name(1)).unwrap().claims[0].record = Some(record);
    let plan = crate::decide(&world, &crate::Memory::default());
    assert_eq!(plan.memory.outages, 7);
    assert_eq!(crate::audit(&world, &crate::Memory::default(), &plan), Ok(()));
    let mut starting = fixture::record(1).confirmed_in(1).open_start("a");
    starting.open[0].measure.outage = 8;
    world.replicas.get_mut(&fixture::name(1)).unwrap().claims[0].record = Some(starting);
    let plan = crate::decide(&world, &crate::Memory::default());
    assert_eq!(plan.memory.outages, 9, "what it began from was read in that one");
    assert_eq!(crate::audit(&world, &crate::Memory::default(), &plan), Ok(()));
}

#[test]
fn a_restored_claim_takes_its_originals_place_only_if_it_holds_what_that_held() {
    for (at, reader, recognised) in [(9, "reader", true), (8, "reader", false), (9, "another", false)] {
        let mut world = fixture::stopped_set(1);
        // While nobody reads, what two have read stands side by side.
        world.reader = None;
        let mut original = fixture::record(7).confirmed_in(1).at(9);
        original.reading.as_mut().unwrap().measure.reader = Some(reader.into());
        original.replica = fixture::name(0);
        world.replicas.get_mut(&fixture::name(0)).unwrap().claims[0].record = Some(original.clone());
        let mut copy = fixture::record(0).at(at);
        copy.copied_from = Some(original.holder.clone());
        let known = fixture::memory([copy, original.clone()]);
        let (look, _) = super::super::recall(&world, &known);
        assert_eq!(
            look.memory.holders[&fixture::holder(0)].confirmed == 1,
            recognised,
            "at {at} by {reader}"
        );
        assert_eq!(look.memory.holders.contains_key(&original.holder), !recognised, "at {at} by {reader}");
    }
}
