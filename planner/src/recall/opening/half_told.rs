//! What an operator that died when an epoch began left of that: some of the claims name it, and the status does not.

use super::tests::write;
use crate::fixture::{confirmed, holder, memory, name, record, start, stopped_set};
use crate::memory::{Base, Epoch, Outage};
use crate::observation::Role;
use crate::plan::News;
use crate::record::Reading;
use crate::start::StartKind;
use crate::{Memory, Observation, Position, Record, decide};

/// Member 0 seeded epoch 2 at 9, and its claim says so; the status is of before.
fn half_written() -> (Observation, Memory) {
    let mut seeded: Record = record(0).confirmed_in(1);
    let mut promised = start(0, "seed");
    (promised.kind, promised.confirmed, promised.from) = (StartKind::Seed, false, Some(Position::Ordinal(9)));
    seeded.open.push(promised.clone());
    let mut known = memory([seeded.clone(), record(1).confirmed_in(1)]);
    known.outage = Some(Outage::default());
    let base = Some(Base { position: Position::Ordinal(9), measure: promised.measure });
    (seeded.confirmed, seeded.epoch) = (2, Epoch { number: 2, base, ..Epoch::default() });
    seeded.open[0].confirmed = true;
    let mut seen = stopped_set(2).answers(0, 0);
    seen.replicas.get_mut(&name(0)).unwrap().claims[0].record = Some(seeded);
    (seen, known)
}

/// The status says what the claim of member 0 says.
fn tell(seen: &mut Observation, known: &mut Memory) {
    let claimed = seen.replicas[&name(0)].claims[0].record.clone().unwrap();
    known.epoch = claimed.epoch.clone();
    known.holders.insert(holder(0), claimed);
}

#[test]
fn an_epoch_that_only_the_claims_know_is_taken_on_and_not_opened_again() {
    type Change = fn(&mut Observation, &mut Memory);
    let nothing: Change = |_, _| {};
    let unconfirmed: Change = |seen, _| {
        let claim = &mut seen.replicas.get_mut(&name(0)).unwrap().claims[0];
        let mut of_another = claim.record.take().unwrap();
        let epoch = of_another.epoch.clone();
        of_another = record(1).confirmed_in(1);
        of_another.epoch = epoch;
        seen.replicas.get_mut(&name(1)).unwrap().claims[0].record = Some(of_another);
    };
    let another_start: Change = |seen, _| {
        let claim = &mut seen.replicas.get_mut(&name(0)).unwrap().claims[0];
        let base = claim.record.as_mut().unwrap().epoch.base.as_mut();
        base.unwrap().position = Position::Ordinal(8);
    };
    let long_ago: Change = |seen, _| {
        let claim = &mut seen.replicas.get_mut(&name(0)).unwrap().claims[0];
        let record = claim.record.as_mut().unwrap();
        (record.confirmed, record.epoch.number) = (3, 3);
    };
    let told: Change = |seen, known| {
        known.epoch = seen.replicas[&name(0)].claims[0].record.as_ref().unwrap().epoch.clone();
        known.outage = None;
        seen.replicas.get_mut(&name(0)).unwrap().claims[0].record = None;
    };
    let in_a_later_outage: Change = |seen, known| {
        tell(seen, known);
        known.outages += 1;
    };
    for (sentence, change, epoch) in [
        ("it came into the status while its opener was not heard", told, 2),
        ("the same, and its claim says that it runs by that start", tell, 2),
        ("that was told before another outage", in_a_later_outage, 3),
        ("its opener runs by that start", nothing, 2),
        ("another claim was written first", unconfirmed, 2),
        ("it runs by another start", another_start, 3),
        ("the status is older than that", long_ago, 4),
    ] {
        let (mut seen, mut known) = half_written();
        change(&mut seen, &mut known);
        let plan = decide(&seen, &known);
        assert_eq!((plan.memory.epoch.number, &plan.memory.outage), (epoch, &None), "{sentence}");
        assert_eq!(plan.memory.holders[&holder(0)].confirmed, epoch, "{sentence}");
        assert!(plan.news.contains(&News::EpochOpened(epoch, name(0))), "{sentence}");
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
    }
}

#[test]
fn the_claims_are_ahead_by_the_one_epoch_that_the_status_does_not_name_yet() {
    for (sentence, told, newest, has_outage, expected) in [
        ("by one", 1, 2, false, true),
        ("by one, in an outage", 1, 2, true, true),
        ("by the first one, in an outage", 0, 1, true, true),
        ("by all, for the status was lost", 0, 1, false, false),
        ("not at all", 2, 2, false, false),
        ("by two", 1, 3, false, false),
    ] {
        let seen = stopped_set(1);
        let mut look = crate::look::Look::new(&seen, memory([record(0).confirmed_in(newest)]));
        look.told = told;
        look.memory.outage = has_outage.then(Outage::default);
        assert_eq!(super::is_ahead(&look), expected, "{sentence}");
    }
}

#[test]
fn an_epoch_that_stands_on_the_claim_of_a_follower_alone_begins_as_in_the_look_in_which_its_operator_died() {
    let mut seen = stopped_set(3).answers(0, 0).answers(1, 8).answers(2, 8);
    (seen.target.has_secondary, seen.target.primaries) = (true, 1);
    let follower = |ordinal| {
        let record = record(ordinal).confirmed_in(1).open_start("follow");
        let mut record = record.ran_at(Reading::At(Position::Ordinal(3)));
        (record.open[0].kind, record.last) = (StartKind::Follow, Some(Role::Secondary));
        record
    };
    let mut seeding = record(1).confirmed_in(1).open_start("seed");
    let promised = &mut seeding.open[0];
    (promised.kind, promised.confirmed, promised.opens) = (StartKind::Seed, false, true);
    promised.from = Some(Position::Ordinal(9));
    seeding.last = Some(Role::Primary);
    let known = memory([follower(0), seeding, follower(2)]);
    let first = decide(&seen, &known);
    assert_eq!((first.memory.epoch.number, confirmed(&first.memory)), (2, vec![2, 2, 2]));
    assert_eq!(crate::audit(&seen, &known, &first), Ok(()));
    write(&mut seen, &known, 0);
    let again = decide(&seen, &known);
    assert_eq!((again.memory.epoch.number, confirmed(&again.memory)), (2, vec![2, 2, 2]));
    assert_eq!(crate::audit(&seen, &known, &again), Ok(()));
}
