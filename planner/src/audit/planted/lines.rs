//! Bugs of a plan in which an epoch begins with a promoted secondary: who may go on in it.

use super::{Case, Planted, Right, each_is_caught, each_is_right, ended, running};
use crate::audit::Rule;
use crate::decide;
use crate::fixture::{holder, memory, name, record, stopped_set};
use crate::observation::{AttemptState, Command, Role};
use crate::position::{History, LONGEST, Position};
use crate::record::Reading;
use crate::start::{Start, StartKind};

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

/// Of a set whose x-1 leads by a seed that nobody saw take effect. The epoch that begins so is known, of all that was
/// written of it, to the claim of x-0 alone, and the others run as well.
fn comes_up() -> Case {
    let mut seen = stopped_set(3).answers(0, 8).answers(1, 8).answers(2, 8);
    let mut seeding = record(1).confirmed_in(1).open_start("seed");
    let seed = &mut seeding.open[0];
    (seed.kind, seed.confirmed, seed.opens) = (StartKind::Seed, false, true);
    seed.from = Some(Position::Ordinal(9));
    let held = || Reading::At(Position::Ordinal(3));
    let joined = |ordinal| record(ordinal).confirmed_in(1).open_start("join").ran_at(held());
    let memory = memory([joined(0), seeding, joined(2)]);
    let written = decide(&seen, &memory).memory.holders[&holder(0)].clone();
    seen.replicas.get_mut(&name(0)).unwrap().claims[0].record = Some(written);
    let plan = decide(&seen, &memory);
    Case { seen, memory, plan }
}

/// Of what x-1 leads by.
const COMES_UP: &[Planted] = &[
    ("it was seen before to take effect", &[Rule::Epoch], |case| begun(case, |start| start.confirmed = true)),
    ("no epoch begins with it", &[Rule::Epoch], |case| {
        begun(case, |start| (start.kind, start.opens) = (StartKind::Promote, false));
    }),
    ("it is none of those with which one begins", &[Rule::Epoch], |case| {
        begun(case, |start| start.kind = StartKind::Join);
    }),
    ("it began from less", &[Rule::Epoch], |case| {
        begun(case, |start| start.from = Some(Position::Ordinal(8)));
    }),
];

/// Changes x-1's start in all that is known of it.
fn begun(case: &mut Case, change: impl Fn(&mut Start)) {
    case.always(1, |record| record.open.iter_mut().for_each(&change));
}

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

#[test]
fn an_epoch_that_a_claim_tells_of_begins_for_all_who_run_by_what_was_not_seen_to_take_effect() {
    let case = comes_up();
    let promoted = |case: &mut Case| begun(case, |start| start.kind = StartKind::Promote);
    each_is_right(&case, &[("it was promoted in place of one that was lost", promoted)]);
    each_is_caught(&case, COMES_UP);
}
