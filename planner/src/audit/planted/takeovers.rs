//! Bugs of a plan beside a member that leads unbidden in place of one that is away, or that begins an epoch with nothing.

use super::{Case, Planted, each_is_caught, running};
use crate::audit::{Rule, audit};
use crate::fixture::name;
use crate::memory::{Epoch, Memory, Outage};
use crate::observation::{Role, Status};
use crate::record::Record;
use crate::start::{Start, StartKind};
use crate::timer::{Age, Timer};

/// What is so, how it comes to be, and whether that is right.
type Row = (&'static str, fn(&mut Case), bool);

/// A person turned x-1, whose primary ended a moment before: an epoch begins.
fn noticed() -> Case {
    let mut world = running(true);
    world.restart(0);
    world.apps.get_mut(&1).unwrap().code = 8;
    let case = Case::that_opens(world);
    assert_eq!(case.breaches(), [].into());
    case
}

/// The same, and the plan goes on as if it had led all along.
fn unnoticed() -> Case {
    let mut case = noticed();
    in_epoch(&mut case, 1);
    case.plan.steps.clear();
    case.seen.pod_mut(0).active = Some(false);
    case
}

/// All are of this epoch, which begins with what nobody knows.
fn in_epoch(case: &mut Case, number: u64) {
    case.plan.memory.epoch = Epoch { number, ..Epoch::default() };
    for record in case.plan.memory.holders.values_mut() {
        (record.confirmed, record.parted) = (number, None);
        record.epoch = Epoch { number, ..Epoch::default() };
    }
}

/// Whether the audit accepts that plan, where that is so besides.
fn may_go_on(change: fn(&mut Case)) -> bool {
    let mut case = unnoticed();
    change(&mut case);
    !is_told(&case, "leads in place of one that is away, in that one's epoch")
}

fn is_told(case: &Case, what: &str) -> bool {
    let found = audit(&case.seen, &case.memory, &case.plan).err().unwrap_or_default();
    found.iter().any(|breach| breach.rule == Rule::Epoch && breach.what.ends_with(what))
}

fn turned(case: &mut Case, change: fn(&mut Record)) {
    case.always(1, change);
    case.after(1).last = Some(Role::Primary);
}

/// It was read as a bare number, and fell behind whoever leads.
fn left(record: &mut Record) {
    *record = Record { left: true, ..record.clone().at(9) };
}

/// It was promoted beside who led, and is seen to lead for the first time.
fn raised(record: &mut Record) {
    let made = record.open[0].clone();
    let (kind, attempt) = (StartKind::Promote, "raised".into());
    record.open.push(Start { kind, attempt, confirmed: false, opens: false, ..made });
}

/// x-1 was promoted beside x-0, which is silent for long.
fn raised_beside_silent(case: &mut Case) {
    case.always(1, raised);
    let timer = silent(case, 0);
    case.seen.ages.insert(timer, Age::Ripe);
}

fn silent(case: &mut Case, ordinal: u32) -> Timer {
    case.answers(ordinal, None);
    Timer::Silent(name(ordinal), case.seen.pod_mut(ordinal).container.clone().unwrap().id.unwrap())
}

fn in_two_groups(case: &mut Case) {
    for (ordinal, group) in [(1, "a"), (2, "b")] {
        let Status::Answer(answer) = &mut case.seen.pod_mut(ordinal).status else { panic!("it answers") };
        answer.group = Some(group.into());
    }
}

#[test]
fn who_leads_unbidden_in_place_of_one_that_is_away_does_not_go_on_in_its_epoch() {
    let cases: [Row; 15] = [
        ("the primary rests", |_| {}, false),
        ("only the claims tell of its epoch", |case| case.memory = Memory::default(), false),
        ("it was read, and others went on without it", |case| case.always(0, left), false),
        ("a follower gives no answer for once", |case| _ = silent(case, 2), true),
        (
            "it gives none for long",
            |case| {
                let timer = silent(case, 2);
                case.seen.ages.insert(timer, Age::Ripe);
            },
            false,
        ),
        ("who leads was promoted beside it, and it gives no answer for long", raised_beside_silent, true),
        ("who leads was promoted beside it, and it rests", |case| case.always(1, raised), false),
        ("the primary follows by now", |case| case.answers(0, Some(0)), true),
        ("the primary leads on", |case| case.answers(0, Some(8)), true),
        ("it was given up before", |case| case.always(0, |record| record.waived = true), true),
        ("its data was being replaced", |case| case.always(0, |record| record.joining = true), true),
        ("it followed", |case| case.always(0, |record| record.last = Some(Role::Secondary)), true),
        ("who leads led before", |case| turned(case, |record| record.last = Some(Role::Primary)), true),
        ("who leads is joining", |case| case.always(1, |record| record.joining = true), true),
        ("they are in two groups", in_two_groups, true),
    ];
    assert_eq!(unnoticed().breaches(), [Rule::Epoch].into());
    for (sentence, change, expected) in cases {
        assert_eq!(may_go_on(change), expected, "{sentence}");
    }
}

#[test]
fn an_epoch_begins_with_a_cause() {
    let begins: &[Planted] =
        &[("an epoch begins in a set that runs", &[Rule::Epoch], |case| in_epoch(case, 2))];
    let sound = Case::settled(running(true));
    each_is_caught(&sound, begins);
    let causes: [Row; 6] = [
        ("an outage is over", |case| case.memory.outage = Some(Outage::default()), true),
        ("a seed is seen to lead", |case| starts(case, 0, StartKind::Seed, false), true),
        ("it was seen to lead before", |case| starts(case, 0, StartKind::Seed, true), false),
        ("a promotion is seen to lead", |case| starts(case, 0, StartKind::Promote, false), true),
        ("who was promoted follows yet", |case| starts(case, 1, StartKind::Promote, false), false),
        ("one was joined", |case| starts(case, 0, StartKind::Join, false), false),
    ];
    for (sentence, change, expected) in causes {
        let mut case = sound.clone();
        change(&mut case);
        in_epoch(&mut case, 2);
        assert_eq!(is_told(&case, "begins with nothing new"), !expected, "{sentence}");
    }
}

#[test]
fn who_was_promoted_beside_one_that_falls_silent_begins_no_epoch() {
    let mut case = noticed();
    raised_beside_silent(&mut case);
    assert!(is_told(&case, "begins with nothing new"));
}

/// Its only start is such a one.
fn starts(case: &mut Case, ordinal: u32, kind: StartKind, confirmed: bool) {
    case.always(ordinal, |record| {
        let start = &mut record.open[0];
        (start.kind, start.confirmed, start.opens) = (kind, confirmed, kind == StartKind::Promote);
    });
}
