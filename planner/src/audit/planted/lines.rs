//! Bugs of a plan in which an epoch begins with a promoted secondary: who may go on in it.

use super::{Case, Planted, Right, each_is_caught, each_is_right, ended, running};
use crate::audit::Rule;
use crate::fixture::{holder, name};
use crate::observation::{AttemptState, Command, Role};
use crate::position::{History, LONGEST, Position};
use crate::record::Reading;

/// Of the look in which x-1 is seen to be promoted, x-2 follows it, and x-0 was read at rest.
const GOES_ON: &[Planted] = &[
    ("it says that it holds more", &[Rule::Epoch], |case| {
        says(case, ended(), Some(Reading::At(Position::History(History::up_to("another", 9)))));
    }),
    (
        "it gave no answer in time, and the old primary was not read",
        &[Rule::Epoch, Rule::Forgotten],
        |case| {
            says(case, AttemptState::Overdue, None);
            case.always(0, |record| record.reading = None);
        },
    ),
    ("it gave no answer in time, and the old primary held more", &[Rule::Epoch, Rule::Forgotten], |case| {
        says(case, AttemptState::Overdue, None);
        case.always(0, |record| {
            let more = Position::History(History::up_to("another", 9));
            record.reading.as_mut().unwrap().reading = Reading::At(more);
        });
    }),
    (
        "it gave no answer in time, and the old primary was started after it was read, and its container made anew",
        &[Rule::Epoch, Rule::Forgotten],
        |case| {
            says(case, AttemptState::Overdue, None);
            case.seen.pod_mut(0).container.as_mut().unwrap().id = Some("another".into());
            case.always(0, |record| record.starts += 1);
        },
    ),
    ("it gave no answer in time, and what the old primary held is given up", &[Rule::Epoch], |case| {
        says(case, AttemptState::Overdue, None);
        case.always(0, |record| record.waived = true);
    }),
];

const RIGHT: &[Right] = &[
    ("it gave no answer in time, and the old primary was read", |case| {
        says(case, AttemptState::Overdue, None);
    }),
    ("it gave no answer in time, and the old primary was read after it had left", |case| {
        says(case, AttemptState::Overdue, None);
        case.always(0, |record| record.left = true);
    }),
    ("it gave no answer in time, and the old primary was read before its container was made anew", |case| {
        says(case, AttemptState::Overdue, None);
        case.seen.pod_mut(0).container.as_mut().unwrap().id = Some("another".into());
    }),
    ("the old primary was not read, and falls behind in this look", |case| {
        case.always(0, |record| (record.reading, record.left) = (None, false));
        case.after(0).left = true;
    }),
    ("it says more than a claim has room for, and the old primary was read", |case| {
        let long = History::up_to(&"a".repeat(LONGEST), 1);
        says(case, ended(), Some(Reading::At(Position::History(long))));
    }),
    ("it said more in another start", |case| {
        says(case, ended(), Some(Reading::At(Position::History(History::up_to("another", 9)))));
        case.seen.attempts.values_mut().for_each(|asked| asked.starts += 1);
    }),
    ("another secondary is gone, and was not read", |case| {
        says(case, AttemptState::Overdue, None);
        let mut gone = case.after(2).clone();
        (gone.holder, gone.replica, gone.confirmed) = (holder(9), name(9), 1);
        (gone.open, gone.reading, gone.running) = (Vec::new(), None, None);
        (gone.last, gone.parted) = (Some(Role::Secondary), Some(case.plan.memory.epoch.clone()));
        case.memory.holders.insert(holder(9), gone.clone());
        case.plan.memory.holders.insert(holder(9), gone);
    }),
];

/// x-2 was asked while it ran, in this look.
fn says(case: &mut Case, state: AttemptState, reading: Option<Reading>) {
    case.seen.attempts.retain(|_, attempt| attempt.replica != name(2));
    case.attempt(2, Command::Read, state).at_rest = false;
    case.seen.verdicts.readings.extend(reading.map(|reading| ("another".into(), reading.into())));
}

#[test]
fn who_may_hold_what_an_epoch_did_not_begin_with_does_not_go_on_in_it() {
    let mut world = running(true);
    world.restart(0);
    let mut case = Case::that_opens(world);
    // That the old primary joins in the same look is nothing to this.
    let before = case.memory.holders[&holder(0)].clone();
    (case.after(0).joining, case.after(0).starts, case.after(0).open) = (false, before.starts, before.open);
    case.plan.steps.clear();
    each_is_right(&case, RIGHT);
    each_is_caught(&case, GOES_ON);
}
