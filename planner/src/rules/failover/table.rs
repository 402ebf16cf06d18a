//! Who counts as lost, as unheard and as alive, one condition at a time.

use super::{follows, is_promoting, lost_primaries, may_be_alive, unheard_followers};
use crate::fixture::{holder, memory, name, record, start, stopped_set};
use crate::look::Look;
use crate::memory::Memory;
use crate::names::ClaimUid;
use crate::observation::{Observation, Role, Status};
use crate::record::{Reading, Record};
use crate::start::StartKind;

/// What there is of the first member.
type Change = fn(&mut Observation, &mut Record);

/// Two members of epoch 1: the first rests at 5, the second follows.
fn set(change: Change) -> (Observation, Memory) {
    let mut seen = stopped_set(2).answers(1, 0);
    (seen.target.has_secondary, seen.target.primaries) = (true, 1);
    let mut first = record(0).confirmed_in(1).at(5);
    change(&mut seen, &mut first);
    let mut second = record(1).confirmed_in(1).open_start("b");
    second.last = Some(Role::Secondary);
    let mut known = memory([first, second]);
    known.epoch.number = 1;
    (seen, known)
}

fn primary(_: &mut Observation, first: &mut Record) {
    first.last = Some(Role::Primary);
}

#[test]
fn a_primary_is_lost_if_it_was_one_in_this_epoch_and_nobody_has_given_it_up() {
    let cases: [(&str, Change, bool); 9] = [
        ("it was primary, and rests", |_, _| {}, true),
        ("it was a follower", |_, first| first.last = Some(Role::Secondary), false),
        ("it was primary of an older epoch", |_, first| first.confirmed = 0, false),
        ("its data is half replaced", |_, first| first.joining = true, false),
        ("a person gave it up", |_, first| first.waived = true, false),
        ("its data is gone", |_, first| first.ended = true, false),
        ("it left while another served, and its number says nothing", |_, first| first.left = true, false),
        (
            "it left while another served, and nobody knows what it held",
            |_, first| (first.left, first.reading) = (true, None),
            true,
        ),
        ("it runs", |seen, _| *seen = seen.clone().answers(0, 0), false),
    ];
    for (sentence, change, expected) in cases {
        let (seen, mut known) = set(primary);
        let mut changed = seen.clone();
        change(&mut changed, known.holders.get_mut(&holder(0)).unwrap());
        let look = Look::new(&changed, known);
        let lost: Vec<_> = lost_primaries(&look).map(|record| &record.replica).collect();
        assert_eq!(lost == [&name(0)], expected, "{sentence}");
        assert_eq!(lost.is_empty(), !expected, "{sentence}");
    }
}

fn said(reading: Reading) -> Option<crate::record::Taken> {
    record(0).confirmed_in(1).reads(reading).reading
}

#[test]
fn a_follower_is_unheard_until_it_runs_and_can_be_read() {
    let unreadable = || Reading::Unreadable("exit 1".to_owned());
    let cases: [(&str, Change, bool); 10] = [
        ("it rests", |_, _| {}, true),
        ("it runs", |seen, _| *seen = seen.clone().answers(0, 0), false),
        ("it is not heard", |seen, _| seen.pod_mut(0).status = Status::Silent("lost".to_owned()), true),
        (
            "its data is nowhere",
            |seen, _| seen.replicas.get_mut(&name(0)).unwrap().claims[0].uid = ClaimUid::from("another"),
            true,
        ),
        ("it is of an older epoch", |_, first| first.confirmed = 0, false),
        ("its data is half replaced", |_, first| first.joining = true, false),
        ("a person gave it up", |_, first| first.waived = true, false),
        ("its data is gone", |_, first| first.ended = true, false),
        ("it left while another served", |_, first| first.left = true, false),
        (
            "it left while another served, and nobody knows what it held",
            |_, first| (first.left, first.reading) = (true, None),
            true,
        ),
    ];
    let is_unheard = |seen: &Observation, known: Memory| {
        let look = Look::new(seen, known);
        unheard_followers(&look).iter().any(|record| record.replica == name(0))
    };
    for (sentence, change, expected) in cases {
        let (seen, known) = set(change);
        assert_eq!(is_unheard(&seen, known), expected, "{sentence}");
    }
    for (sentence, starts, expected) in
        [("runs and gave no position", 1, true), ("of before its start", 0, false)]
    {
        let (seen, mut known) = set(|seen, _| *seen = seen.clone().answers(0, 0));
        let first = known.holders.get_mut(&holder(0)).unwrap();
        first.running = said(unreadable());
        first.running.as_mut().unwrap().starts = starts;
        assert_eq!(is_unheard(&seen, known), expected, "{sentence}");
    }
}

fn open(_: &mut Observation, first: &mut Record) {
    first.open.push(start(0, "a"));
}

#[test]
fn an_old_primary_may_be_alive_while_a_start_of_it_is_open_and_it_is_not_seen_to_run() {
    let cases: [(&str, Change, bool); 5] = [
        ("it is not seen to run", |_, _| {}, true),
        ("it runs", |seen, _| *seen = seen.clone().answers(0, 0), false),
        (
            "another claim runs in its place",
            |seen, _| {
                *seen = seen.clone().answers(0, 0);
                seen.replicas.get_mut(&name(0)).unwrap().claims[0].uid = ClaimUid::from("another");
            },
            true,
        ),
        ("its starts are over", |_, first| first.open.clear(), false),
        ("it was a follower", |_, first| first.last = Some(Role::Secondary), false),
    ];
    for (sentence, change, expected) in cases {
        let (mut seen, mut known) = set(primary);
        let first = known.holders.get_mut(&holder(0)).unwrap();
        open(&mut seen, first);
        change(&mut seen, first);
        let look = Look::new(&seen, known);
        assert_eq!(
            may_be_alive(&look).map(|record| &record.replica) == Some(&name(0)),
            expected,
            "{sentence}"
        );
        assert_eq!(may_be_alive(&look).is_some(), expected, "{sentence}");
    }
}

#[test]
fn a_follower_follows_by_starts_of_its_own_that_are_confirmed_and_are_no_promotion() {
    let cases: [(&str, Change, bool); 7] = [
        ("it was seen to follow by it", |_, _| {}, true),
        ("it runs by nothing that is known", |_, first| first.open.clear(), true),
        ("it is to be primary", |_, first| first.open[0].kind = StartKind::Promote, false),
        ("it was not seen since", |_, first| first.open[0].confirmed = false, false),
        ("one may begin elsewhere", |_, first| first.open[0].container = "before".into(), false),
        ("it is primary", |seen, _| *seen = seen.clone().answers(0, 8), false),
        (
            "its data is nowhere",
            |seen, _| seen.replicas.get_mut(&name(0)).unwrap().claims[0].uid = ClaimUid::from("another"),
            false,
        ),
    ];
    for (sentence, change, expected) in cases {
        let (mut seen, mut known) = set(|seen, _| *seen = seen.clone().answers(0, 0));
        let first = known.holders.get_mut(&holder(0)).unwrap();
        open(&mut seen, first);
        change(&mut seen, first);
        let first = first.clone();
        assert_eq!(follows(&Look::new(&seen, known), &first), expected, "{sentence}");
    }
}

#[test]
fn one_promotion_or_seed_that_is_not_confirmed_keeps_all_others() {
    for (kind, confirmed, expected) in [
        (StartKind::Promote, false, true),
        (StartKind::Seed, false, true),
        (StartKind::Promote, true, false),
        (StartKind::Follow, false, false),
    ] {
        let (seen, mut known) = set(open);
        let first = &mut known.holders.get_mut(&holder(0)).unwrap().open[0];
        (first.kind, first.confirmed) = (kind, confirmed);
        assert_eq!(is_promoting(&Look::new(&seen, known)), expected, "{kind:?}, confirmed: {confirmed}");
    }
}
