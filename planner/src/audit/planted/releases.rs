//! Bugs in who is given up, where identities are given once.

use super::leads::{leads, taken_away};
use super::{Case, Planted, each_is_caught, each_is_right, running};
use crate::audit::Rule;
use crate::audit::world::World;
use crate::fixture::{holder, measure, name, start};
use crate::names::ReplicaName;
use crate::observation::Command;
use crate::plan::{Cause, Step};
use crate::position::{History, Position};
use crate::record::Reading;
use crate::target::{Failover, Identities};

fn given_once() -> World {
    let mut world = running(false);
    world.seen.target.identities = Identities::GivenOnce;
    world
}

fn released(case: &mut Case) -> &mut Vec<ReplicaName> {
    let Some(Step::Resize { released, .. }) = case.plan.steps.first_mut() else { panic!("no new size") };
    released
}

/// Of three of which two are wanted, and the last one rests.
const GIVEN_UP: &[Planted] = &[
    ("one that serves, in its place", &[Rule::Size], |case| *released(case) = vec![name(0)]),
    ("one that serves, beside it", &[Rule::Size], |case| released(case).push(name(1))),
    ("one that is not known", &[Rule::Size], |case| *released(case) = vec![name(9)]),
    ("one that was given up before", &[Rule::Size], |case| {
        case.seen.workload.as_mut().unwrap().released.insert(name(2));
    }),
    ("fewer are to be left than are wanted", &[Rule::Size], |case| {
        let Some(Step::Resize { to, .. }) = case.plan.steps.first_mut() else { return };
        *to = 1;
    }),
    (
        "one that stays is about to go: its pod is gone, and its claim is being deleted",
        &[Rule::Size],
        |case| {
            let stays = case.seen.replicas.get_mut(&name(1)).unwrap();
            stays.pod = None;
            stays.claims.iter_mut().for_each(|claim| claim.terminating = true);
        },
    ),
    ("all are wanted", &[Rule::Size], |case| {
        case.seen.target.replicas = 3;
        let Some(Step::Resize { to, .. }) = case.plan.steps.first_mut() else { return };
        *to = 3;
    }),
    ("all are only to rest", &[Rule::Size], |case| {
        case.seen.target.replicas = 0;
        let Some(Step::Resize { to, .. }) = case.plan.steps.first_mut() else { return };
        *to = 0;
    }),
    ("nobody went on without its number", &[Rule::Size], |case| case.always(2, |record| record.left = false)),
    ("its start is open", &[Rule::Size], |case| {
        case.always(2, |record| (record.open, record.left) = (vec![start(2, "old")], false))
    }),
    (
        "its data is given up and it has no pod, and its start is open",
        &[Rule::Forgotten, Rule::Size],
        |case| {
            case.seen.replicas.get_mut(&name(2)).unwrap().pod = None;
            case.always(2, |record| (record.open, record.waived) = (vec![start(2, "old")], true));
        },
    ),
    ("it says that it failed", &[Rule::Forgotten, Rule::Size], |case| case.answers(2, Some(9))),
    ("it was not read", &[Rule::Size], |case| case.always(2, |record| record.reading = None)),
    ("it had data", &[Rule::Size], |case| {
        case.always(2, |record| record.reading.as_mut().unwrap().reading = Reading::Empty);
    }),
    ("it is of an older epoch", &[Rule::Size], |case| {
        case.always(2, |record| {
            record.confirmed = 0;
            record.reading.as_mut().unwrap().reading = Reading::At(Position::History(History::up_to("b", 3)));
        });
    }),
    ("a number has no name", &[Rule::Size], |case| {
        case.seen.target.identities = Identities::Numbered;
        case.plan.steps.push(Step::Recycle {
            replica: name(2),
            if_pod: case.seen.pod_mut(2).uid.clone(),
            grace_seconds: Some(1),
            cause: Cause::Size,
        });
    }),
];

#[test]
fn nobody_is_given_up_that_is_needed_or_holds_more_than_one_that_stays() {
    let mut world = given_once();
    world.want(2);
    let case = Case::that(world, |step| matches!(step, Step::Resize { .. }));
    each_is_caught(&case, GIVEN_UP);
    each_is_right(
        &case,
        &[("one that stays has no pod for a while", |case| {
            case.seen.replicas.get_mut(&name(1)).unwrap().pod = None;
        })],
    );
}

#[test]
fn of_those_that_rest_one_that_is_known_to_hold_more_does_not_go_before_one_that_holds_less() {
    let mut world = given_once();
    world.want(1);
    let case = Case::that(world, |step| matches!(step, Step::Resize { .. }));
    let read = |case: &mut Case, ordinal: u32, number: u64| {
        case.always(ordinal, |record| {
            let taken = record.reading.as_mut().unwrap();
            taken.reading = Reading::At(Position::Ordinal(number));
        });
    };
    let mut case = case;
    assert_eq!(*released(&mut case), [name(1), name(2)]);
    (case.seen.target.replicas, case.memory.holders.get_mut(&holder(1)).unwrap().left) = (2, true);
    let Some(Step::Resize { to, .. }) = case.plan.steps.first_mut() else { panic!("no new size") };
    *to = 2;
    for (first, second, goes, is_right) in
        [(5, 9, 1, true), (5, 9, 2, false), (5, 5, 1, true), (5, 5, 2, true)]
    {
        let mut case = case.clone();
        read(&mut case, 1, first);
        read(&mut case, 2, second);
        *released(&mut case) = vec![name(goes)];
        assert_eq!(case.breaches().is_empty(), is_right, "{first}, {second}, and {goes} goes");
    }
    // Nothing is in what was started and is empty: that is less than anything.
    let mut emptied = case.clone();
    read(&mut emptied, 1, 5);
    emptied.always(2, |record| record.reading.as_mut().unwrap().reading = Reading::Empty);
    *released(&mut emptied) = vec![name(1)];
    assert_eq!(emptied.breaches(), [Rule::Size].into(), "one that stays has nothing");
    // What began with nothing and was started since holds something: how much less than another one nobody can tell
    // from what was read in another outage.
    read(&mut case, 1, 5);
    read(&mut case, 2, 0);
    case.always(2, |record| record.reading.as_mut().unwrap().measure = measure(0));
    *released(&mut case) = vec![name(1)];
    assert!(case.breaches().is_empty(), "both were started, and one was read in another outage");
    // The last one is new: whoever read that, and when, it holds less than another one.
    case.always(2, |record| {
        (record.confirmed, record.starts, record.left) = (0, 0, false);
        let taken = record.reading.as_mut().unwrap();
        (taken.starts, taken.measure) = (0, measure(0));
    });
    for (goes, is_right) in [(1, false), (2, true)] {
        *released(&mut case) = vec![name(goes)];
        assert_eq!(case.breaches().is_empty(), is_right, "one is new, and {goes} goes");
    }
}

#[test]
fn who_is_wanted_is_not_stopped_for_the_size_and_who_is_not_does_not_join() {
    let mut world = given_once();
    world.want(2);
    let stop = Case::that_sends(world, Command::Stop);
    each_is_caught(&stop, &[("all are wanted", &[Rule::Stop], |case| case.seen.target.replicas = 3)]);
    let mut world = given_once();
    world.restart(2);
    let join = Case::that_sends(world, Command::Join);
    each_is_caught(
        &join,
        &[
            ("two serve, and two are wanted", &[Rule::Join], |case| case.seen.target.replicas = 2),
            ("it was given up", &[Rule::Join], |case| {
                case.seen.workload.as_mut().unwrap().released.insert(name(2));
            }),
        ],
    );
}

/// Who leaves is named, and its history is known.
fn by_name(case: &mut Case) {
    case.seen.target.identities = Identities::GivenOnce;
    *released(case) = vec![name(2)];
    case.always(2, |record| {
        record.reading.as_mut().unwrap().reading = Reading::At(Position::History(History::up_to("a", 9)));
    });
}

#[test]
fn who_led_is_not_given_up_before_another_has_its_place() {
    assert!(!taken_away(by_name));
    assert!(taken_away(|case| {
        by_name(case);
        leads(case);
    }));
}

#[test]
fn who_is_lost_is_replaced_only_if_nobody_needs_what_it_held_and_nobody_else_goes_with_it() {
    let mut world = given_once();
    (world.seen.target.failover, world.seen.target.replace_after) = (Failover::AllowLoss, Some(30));
    world.lose(2);
    let case = Case::that(world, |step| matches!(step, Step::Resize { .. }));
    // The epoch that begins without it has its own bugs.
    let mut case = Case { memory: case.plan.memory.clone(), ..case };
    case.plan.news.clear();
    each_is_caught(
        &case,
        &[
            ("nobody gave up what it held", &[Rule::Size], |case| {
                case.always(2, |record| (record.waived, record.confirmed) = (false, 2));
            }),
            ("it was not away for long", &[Rule::Size], |case| case.seen.ages.clear()),
            ("its pod fits nowhere, for a template that no other has", &[Rule::Size], |case| {
                let pod = case.seen.pod_mut(2);
                (pod.node, pod.container, pod.revision) = (None, None, "r2".into());
            }),
            ("one that serves, beside it", &[Rule::Size], |case| released(case).push(name(1))),
            ("those that are left follow nobody", &[Rule::Size], |case| {
                case.seen.target.has_secondary = true;
                [0, 1].into_iter().for_each(|ordinal| case.answers(ordinal, Some(0)));
            }),
            ("nobody is ever replaced", &[Rule::Size], |case| case.seen.target.replace_after = None),
        ],
    );
}

#[test]
fn what_is_gone_is_remembered_until_the_set_is_whole_without_it() {
    let mut world = given_once();
    world.take_claims(2);
    each_is_caught(
        &Case::that_sends(world, Command::Join),
        &[("another is only on its way", &[Rule::Forgotten], |case| {
            case.plan.memory.holders.remove(&holder(2));
        })],
    );
}

/// x-2 fell behind, and is gone with its claim; it is forgotten while so many are wanted.
fn forgets(case: &mut Case, wanted: u32) {
    case.always(2, |record| (record.open, record.left) = (Vec::new(), true));
    case.seen.replicas.remove(&name(2));
    case.plan.memory.holders.remove(&holder(2));
    case.seen.target.replicas = wanted;
}

#[test]
fn who_fell_behind_and_is_gone_is_forgotten_once_as_many_serve_as_are_wanted() {
    let case = Case::settled(given_once());
    each_is_right(&case, &[("two serve, and two are wanted", |case| forgets(case, 2))]);
    each_is_caught(
        &case,
        &[
            ("one of the two that are wanted rests", &[Rule::Forgotten], |case| {
                forgets(case, 2);
                case.answers(1, Some(7));
            }),
            ("two serve, and three are wanted", &[Rule::Forgotten], |case| forgets(case, 3)),
            ("nobody is wanted", &[Rule::Forgotten], |case| forgets(case, 0)),
            ("one of the two that serve is of an older epoch", &[Rule::Forgotten], |case| {
                forgets(case, 2);
                case.always(1, |record| record.confirmed = 0);
            }),
            ("one of the two that serve is being replaced yet", &[Rule::Forgotten], |case| {
                forgets(case, 2);
                case.always(1, |record| record.joining = true);
            }),
        ],
    );
}
