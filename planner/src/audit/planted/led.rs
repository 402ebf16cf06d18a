//! Bugs of a plan that does not know who may have led unseen.

use super::{Case, running};
use crate::audit::Rule;
use crate::fixture::{name, start};
use crate::observation::{Command, Fate, Role};
use crate::record::Taken;
use crate::start::{Start, StartKind};
use crate::timer::{Age, Timer};

/// One of two followers is promoted, and the other one.
fn promoted() -> (Case, u32) {
    let mut world = running(true);
    world.restart(0);
    let mut case = Case::that_sends(world, Command::Promote);
    let other = if case.run().replica == name(1) { 2 } else { 1 };
    (case, other)
}

/// So was the other one before, of which that was heard; it rests, and the plan says this of it.
fn beside(fate: Fate, last: Role, is_read: bool) -> (Case, u32) {
    let (mut case, other) = promoted();
    let promoted = 3 - other;
    case.answers(other, Some(7));
    let mut taken = case.after(promoted).running.clone().unwrap();
    taken.container = case.seen.pod_mut(other).container.clone().unwrap().id.unwrap();
    case.always(other, |record| {
        let taken = Taken { starts: record.starts, ..taken.clone() };
        (record.last, record.running, record.reading) =
            (Some(Role::Secondary), None, is_read.then_some(taken));
        record.open = vec![Start { kind: StartKind::Promote, confirmed: false, ..start(other, "before") }];
    });
    case.seen.fates.insert("before".into(), fate);
    case.after(other).last = Some(last);
    if fate != Fate::Began {
        case.after(other).open.clear();
    }
    (case, other)
}

#[test]
fn who_may_have_led_unseen_is_said_to_have_led_and_is_read_before_another_is_promoted() {
    let cases = [
        ("it was read, and holds no more", Fate::Over, Role::Primary, true, &[][..]),
        ("it was not read", Fate::Over, Role::Primary, false, &[Rule::Fence]),
        ("it is said to have followed", Fate::Over, Role::Secondary, true, &[Rule::Forgotten]),
        ("neither", Fate::Over, Role::Secondary, false, &[Rule::Fence, Rule::Forgotten]),
        ("it may lead yet", Fate::Began, Role::Secondary, true, &[Rule::Fence]),
        ("it was never told to lead", Fate::Revoked, Role::Secondary, false, &[]),
    ];
    for (sentence, fate, last, is_read, rules) in cases {
        assert_eq!(beside(fate, last, is_read).0.breaches(), rules.iter().copied().collect(), "{sentence}");
    }
}

#[test]
fn who_was_told_to_lead_and_is_known_not_to_is_in_nobodys_way() {
    let (mut case, other) = beside(Fate::Began, Role::Secondary, true);
    case.always(other, |record| record.open[0].confirmed = true);
    assert_eq!(case.breaches(), [].into(), "it was seen to lead, and to follow since");

    let (mut case, other) = promoted();
    case.always(other, |record| {
        let told = record.open[0].clone();
        record.open.push(Start {
            kind: StartKind::Promote,
            confirmed: false,
            attempt: "before".into(),
            ..told
        });
    });
    assert_eq!(case.breaches(), [Rule::Fence].into(), "it follows, and may lead yet");
    case.seen.ages.insert(Timer::Deadline("before".into()), Age::Ripe);
    assert_eq!(case.breaches(), [].into(), "it follows, and its time to come to lead is over");
}
