//! Bugs of a plan that forgets, or says of data what nothing shows.

use super::{Case, each_is_caught, running};
use crate::Position;
use crate::audit::Rule;
use crate::fixture::{holder, name};
use crate::key::KeyKind;
use crate::memory::Epoch;
use crate::names::ClaimUid;
use crate::observation::{Command, Fate};
use crate::record::{HolderId, Reading, Record};
use crate::target::Mode;

/// x-2 stopped, and all that it was started by is over.
fn stopped() -> Case {
    let mut case = Case::settled(running(false));
    case.answers(2, Some(7));
    case.always(2, |record| record.open.clear());
    case
}

#[test]
fn neither_a_start_nor_an_epoch_of_data_is_forgotten() {
    each_is_caught(
        &stopped(),
        &[
            ("that it was confirmed", &[Rule::Forgotten], |case| case.after(2).confirmed = 0),
            ("that it ran in one of two groups", &[Rule::Forgotten], |case| {
                let epoch = case.plan.memory.epoch.clone();
                case.always(2, |record| record.parted = Some(epoch.clone()));
                case.after(2).parted = None;
            }),
            ("from which epoch one that runs had parted", &[Rule::Forgotten], |case| {
                let epoch = case.plan.memory.epoch.clone();
                case.always(0, |record| record.parted = Some(epoch.clone()));
                case.after(0).parted = Some(Epoch { number: 9, ..epoch });
            }),
            ("that another runs in one of two groups", &[Rule::Forgotten], |case| {
                case.in_groups(["a", "b"]);
                case.after(0).parted = None;
            }),
            ("all, of data that was confirmed", &[Rule::Forgotten], |case| {
                case.always(2, |record| record.starts = 0);
                case.plan.memory.holders.remove(&holder(2));
            }),
            ("all, of data that was started", &[Rule::Forgotten], |case| {
                case.always(2, |record| record.confirmed = 0);
                case.plan.memory.holders.remove(&holder(2));
            }),
        ],
    );
}

/// Whether a plan may say that the data of x-2 is not being replaced any more.
fn taken_back(evidence: impl Fn(&mut Case)) -> bool {
    let mut case = Case::settled(running(false));
    case.answers(2, Some(7));
    case.always(2, |record| record.joining = true);
    case.after(2).joining = false;
    evidence(&mut case);
    case.keeps(Rule::Forgotten)
}

fn revoke(case: &mut Case) {
    let id = case.after(2).open[0].attempt.clone();
    case.seen.fates.insert(id, Fate::Revoked);
}

#[test]
fn data_is_replaced_until_its_join_is_seen_running_or_never_began() {
    assert!(!taken_back(|_| {}), "it stopped");
    assert!(taken_back(|case| case.answers(2, Some(8))), "it runs");
    assert!(taken_back(revoke), "its join never began");
    assert!(!taken_back(|case| {
        revoke(case);
        case.always(2, |record| record.open[0].joining_before = true);
        case.after(2).joining = false;
    }));
    let on_claim = |case: &mut Case, starts: u64| {
        let claims = &mut case.seen.replicas.get_mut(&name(2)).unwrap().claims;
        let record = claims[0].record.as_mut().unwrap();
        (record.joining, record.starts) = (false, starts);
    };
    assert!(
        taken_back(|case| on_claim(case, case.memory.holders[&holder(2)].starts)),
        "its claim knew first"
    );
    assert!(!taken_back(|case| on_claim(case, 0)), "its claim tells of the time before");
}

#[test]
fn only_who_joins_is_said_to_be_replaced() {
    let mut world = running(false);
    world.restart(2);
    each_is_caught(
        &Case::that_sends(world, Command::Join),
        &[("another", &[Rule::Forgotten], |case| case.after(1).joining = true)],
    );
}

fn before() -> HolderId {
    HolderId::Claims(vec![ClaimUid::from("before")])
}

/// Whether a plan may forget the data that x-2 had before it got the claim of now.
fn replaced(evidence: impl Fn(&mut Case)) -> bool {
    let mut case = Case::settled(running(false));
    let mut old = case.after(2).clone();
    (old.holder, old.reading) = (before(), None);
    old.open.clear();
    case.memory.holders.insert(before(), old);
    evidence(&mut case);
    case.keeps(Rule::Forgotten)
}

fn set_epoch(case: &mut Case, number: u64) {
    (case.memory.epoch.number, case.plan.memory.epoch.number) = (number, number);
}

#[test]
fn data_is_over_when_other_data_of_its_replica_is_confirmed() {
    assert!(replaced(|_| {}));
    assert!(!replaced(|case| case.answers(2, Some(7))), "the new one stopped");
    assert!(!replaced(|case| case.always(2, |record| record.confirmed = 0)), "it was not confirmed");
    assert!(!replaced(|case| set_epoch(case, 2)), "it was confirmed before");
    assert!(
        !replaced(|case| {
            set_epoch(case, 0);
            let old = case.memory.holders.get_mut(&before()).unwrap();
            (old.confirmed, old.epoch.number) = (0, 0);
            (0..3).for_each(|n| case.always(n, |record| (record.confirmed, record.epoch.number) = (0, 0)));
        }),
        "there is no epoch"
    );
    let ended = |case: &mut Case| {
        case.answers(2, Some(7));
        case.memory.holders.get_mut(&before()).unwrap().ended = true;
    };
    assert!(replaced(ended), "it was known to be over");
}

/// Whether a plan may put the data that x-2 has now in the place of what it had before, where all rest and were read.
fn takes_its_place(evidence: impl Fn(&mut Case)) -> bool {
    let mut world = running(false);
    world.seen.target.mode = Mode::Ask;
    (0..3).for_each(|ordinal| world.reboot(ordinal));
    let mut case = Case::settled(world);
    let old = Record { holder: before(), ..case.after(2).clone() };
    case.memory.holders.insert(before(), old);
    evidence(&mut case);
    case.keeps(Rule::Forgotten)
}

/// Its record says so, from the second look on.
fn is_a_copy(case: &mut Case) {
    case.always(2, |record| record.copied_from = Some(before()));
    case.after(2).copied_from = None;
}

fn original(case: &mut Case) -> &mut Record {
    case.memory.holders.get_mut(&before()).unwrap()
}

#[test]
fn a_copy_takes_the_place_of_its_original_if_it_holds_all_that_was_read_there() {
    assert!(!takes_its_place(|_| {}), "nothing says that it is one");
    assert!(takes_its_place(is_a_copy));
    assert!(
        takes_its_place(|case| {
            let old = original(case).clone();
            case.seen.replicas.get_mut(&name(2)).unwrap().claims[0].record = Some(old);
        }),
        "its claim tells of the original yet"
    );
    let of_the_original = |change: fn(&mut Record)| {
        takes_its_place(|case| {
            is_a_copy(case);
            change(original(case));
        })
    };
    let read = |record: &mut Record, number: u64| {
        record.reading.as_mut().unwrap().reading = Reading::At(Position::Ordinal(number));
    };
    assert!(!of_the_original(|record| record.confirmed = 2), "the original was confirmed later");
    assert!(!of_the_original(|record| record.reading = None), "it was not read");
    assert!(!of_the_original(|r| r.reading.as_mut().unwrap().measure.reader = None), "nobody knows by whom");
    assert!(of_the_original(|r| r.reading.as_mut().unwrap().measure.outage = 0), "in an earlier outage");
    for (number, expected) in [(0, true), (1_000_000, false)] {
        let takes = takes_its_place(|case| {
            is_a_copy(case);
            read(original(case), number);
        });
        assert_eq!(takes, expected, "it held {number}");
    }
}

#[test]
fn a_note_on_a_copy_says_nothing_of_data_that_is_there_or_that_the_status_knows() {
    let given_up = |forgotten: fn(&mut Case)| {
        let mut case = stopped();
        let note = Record { waived: true, ..case.memory.holders[&holder(2)].clone() };
        case.seen.replicas.get_mut(&name(1)).unwrap().claims[0].record = Some(note);
        case.after(2).waived = true;
        forgotten(&mut case);
        case.breaches().contains(&Rule::Forgotten)
    };
    assert!(given_up(|case| _ = case.memory.holders.remove(&holder(2))), "its own claim tells of it");
    assert!(given_up(|case| case.seen.replicas.get_mut(&name(2)).unwrap().claims.clear()), "the status does");
}

/// A person's word, and no other.
fn only_allows(case: &mut Case, kind: KeyKind, subject: &str) {
    case.seen.target.keys.clear();
    case.plan.memory.used_keys.clear();
    case.plan.news.clear();
    case.allow(kind, subject);
}

#[test]
fn data_is_given_up_by_a_word_about_it() {
    let mut case = stopped();
    case.after(2).waived = true;
    case.allow(KeyKind::AcceptLoss, "x-2");
    each_is_caught(
        &case,
        &[
            ("about other data", &[Rule::Forgotten], |case| only_allows(case, KeyKind::AcceptLoss, "x-1")),
            ("about other data, and its own is of the epoch before", &[Rule::Forgotten], |case| {
                case.always(2, |record| record.confirmed = 0);
                only_allows(case, KeyKind::AcceptLoss, "x-1");
            }),
            ("about another thing", &[Rule::Forgotten], |case| {
                only_allows(case, KeyKind::AcceptErrant, "x-2")
            }),
            ("it is not written down as used", &[Rule::Forgotten], |case| {
                case.plan.memory.used_keys.clear();
            }),
            ("it was used before", &[Rule::Forgotten], |case| {
                case.memory.used_keys = case.plan.memory.used_keys.clone();
            }),
            ("it is not told as used", &[Rule::Forgotten, Rule::Key], |case| case.plan.news.clear()),
        ],
    );
}
