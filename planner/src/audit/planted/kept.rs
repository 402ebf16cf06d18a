//! Bugs in what is written of a start that is known already.

use super::{Case, Planted, Right, each_is_caught, each_is_right, running};
use crate::audit::Rule;
use crate::key::KeyKind;
use crate::observation::Fate;
use crate::position::Position;
use crate::start::{Start, StartKind};

/// The start of x-2 was written in a boot that was not that of now, and is not confirmed yet.
fn known_before(case: &mut Case) {
    case.always(2, |record| {
        let start = &mut record.open[0];
        start.boot = "before".into();
        (start.confirmed, start.began, start.ended) = (false, false, false);
    });
}

fn is_written(case: &mut Case, change: fn(&mut Start)) {
    change(&mut case.after(2).open[0]);
}

/// It stopped, and nothing that was sent to it tells how that went.
fn unseen(case: &mut Case, change: fn(&mut Start)) {
    case.answers(2, Some(7));
    case.seen.attempts.clear();
    is_written(case, change);
}

const KNOWN: &[Planted] = &[
    ("in another pod", &[Rule::Unpromised], |case| is_written(case, |start| start.pod = "other".into())),
    ("in another container", &[Rule::Unpromised], |case| {
        is_written(case, |start| start.container = "other".into());
    }),
    ("on another node", &[Rule::Unpromised], |case| is_written(case, |start| start.node = "other".into())),
    ("in a boot that is not its node's", &[Rule::Unpromised], |case| {
        is_written(case, |start| start.boot = "other".into());
    }),
    ("in a boot that is not told", &[Rule::Unpromised], |case| {
        is_written(case, |start| start.boot = "".into());
    }),
    ("in the boot of now, and it does not run", &[Rule::Unpromised], |case| {
        unseen(case, |start| start.boot = "boot-2".into());
    }),
    ("as another kind", &[Rule::Unpromised], |case| is_written(case, |start| start.kind = StartKind::Found)),
    ("from other data", &[Rule::Unpromised], |case| {
        is_written(case, |start| start.from = Some(Position::Ordinal(99)));
    }),
    ("from what another outage read", &[Rule::Unpromised], |case| {
        is_written(case, |start| start.measure.outage += 1);
    }),
    ("as a join of half replaced data", &[Rule::Unpromised], |case| {
        is_written(case, |start| start.joining_before = !start.joining_before);
    }),
    ("as what begins an epoch", &[Rule::Unpromised], |case| {
        is_written(case, |start| start.opens = !start.opens);
    }),
    ("as seen to run", &[Rule::Unpromised], |case| unseen(case, |start| start.confirmed = true)),
    ("as begun", &[Rule::Unpromised], |case| unseen(case, |start| start.began = true)),
    ("as ended", &[Rule::Unpromised], |case| unseen(case, |start| start.ended = true)),
];

const SEEN: &[Right] = &[
    ("in the boot of now, for it runs", |case| is_written(case, |start| start.boot = "boot-2".into())),
    ("as seen to run", |case| is_written(case, |start| start.confirmed = true)),
    ("as begun, for its folder says so", |case| {
        let attempt = case.after(2).open[0].attempt.clone();
        case.seen.fates.insert(attempt, Fate::Began);
        unseen(case, |start| start.began = true);
    }),
    ("as ended, for its folder says so", |case| {
        let attempt = case.after(2).open[0].attempt.clone();
        case.seen.fates.insert(attempt, Fate::Ended(0));
        unseen(case, |start| (start.began, start.ended) = (true, true));
    }),
];

#[test]
fn what_is_known_of_a_start_stays_as_it_was_promised() {
    let mut case = Case::settled(running(false));
    known_before(&mut case);
    each_is_caught(&case, KNOWN);
    each_is_right(&case, SEEN);
}

/// The start of x-2 was sent to the container before this one, and its guard says in this one that it began.
fn came_late() -> Case {
    let mut case = Case::settled(running(false));
    known_before(&mut case);
    case.answers(2, Some(7));
    case.seen.attempts.clear();
    case.always(2, |record| {
        record.open.truncate(1);
        let start = &mut record.open[0];
        (start.container, start.boot, start.began) = ("before".into(), "boot-2".into(), true);
    });
    let attempt = case.after(2).open[0].attempt.clone();
    case.seen.fates.insert(attempt, Fate::Began);
    is_written(&mut case, |start| start.container = "container-2".into());
    case
}

#[test]
fn a_start_is_written_into_another_container_only_where_it_is_said_to_have_begun_in_that() {
    let over: &[Planted] = &[
        ("it is over", &[Rule::Unpromised], |case| {
            case.seen.fates.values_mut().for_each(|fate| *fate = Fate::Over);
        }),
        ("nothing is said", &[Rule::Unpromised], |case| case.seen.fates.clear()),
        ("its member ran in that of before", &[Rule::Unpromised], |case| {
            case.always(2, |record| record.open[0].confirmed = true);
        }),
        ("it was sent to another pod", &[Rule::Unpromised], |case| {
            case.always(2, |record| record.open[0].pod = "another".into());
        }),
        ("another container runs", &[Rule::Unpromised], |case| {
            is_written(case, |start| start.container = "container-1".into());
        }),
    ];
    each_is_caught(&came_late(), over);
    let ended: &[Right] = &[("it ended", |case| {
        case.seen.fates.values_mut().for_each(|fate| *fate = Fate::Ended(1));
    })];
    each_is_right(&came_late(), ended);
}

#[test]
fn a_turn_is_seen_by_what_it_makes_of_its_member_or_vouched_for() {
    let mut case = Case::settled(running(true));
    known_before(&mut case);
    case.always(2, |record| record.open[0].kind = StartKind::Promote);
    each_is_caught(
        &case,
        &[("it follows yet", &[Rule::Unpromised], |case| is_written(case, |start| start.confirmed = true))],
    );
    each_is_right(
        &case,
        &[("a person says that nothing else runs there", |case| {
            is_written(case, |start| start.confirmed = true);
            case.allow(KeyKind::AssertFenced, "pod-2");
        })],
    );
}

#[test]
fn a_demotion_is_seen_by_a_member_that_follows() {
    let mut case = Case::settled(running(true));
    known_before(&mut case);
    case.always(2, |record| record.open[0].kind = StartKind::Demote);
    each_is_right(&case, &[("it follows", |case| is_written(case, |start| start.confirmed = true))]);
    each_is_caught(
        &case,
        &[("it leads yet", &[Rule::Unpromised], |case| {
            case.answers(2, Some(8));
            is_written(case, |start| start.confirmed = true);
        })],
    );
}
