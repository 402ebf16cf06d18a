//! Bugs of a plan that ends data with its pod.

use super::{Case, Right, each_is_caught, each_is_right};
use crate::audit::Rule;
use crate::audit::world::World;
use crate::fixture::{name, start};
use crate::names::PodUid;
use crate::observation::Status;

use crate::plan::{Cause, Step};
use crate::position::{History, Position};
use crate::record::{HolderId, Reading, Record};

use crate::start::{Lock, Start, StartKind};
use crate::target::{Mode, Storage};
use crate::timer::{Age, Timer};

/// After a power cut all were read, x-1 holds most, and the data of each ends with its pod; nobody is seeded without a
/// person.
fn at_rest() -> Case {
    let mut world = World::new(3).on(Storage::Pod);
    world.want(3);
    world.settle();
    world.seen.target.mode = Mode::Ask;
    for (ordinal, data) in [(0, 5), (1, 9), (2, 7)] {
        world.reboot(ordinal);
        world.apps.get_mut(&ordinal).unwrap().data = data;
    }
    let mut case = Case::settled(world);
    case.seen.workload.as_mut().unwrap().revision = "r2".into();
    case
}

fn replaced(case: &mut Case, ordinal: u32, cause: Cause) {
    let if_pod = uid(case, ordinal);
    case.plan.steps = vec![Step::Recycle { replica: name(ordinal), if_pod, grace_seconds: Some(1), cause }];
}

fn uid(case: &mut Case, ordinal: u32) -> PodUid {
    case.seen.pod_mut(ordinal).uid.clone()
}

/// Of each member, before and after.
fn known(case: &mut Case, ordinal: u32, change: fn(&mut Record)) {
    let holder = HolderId::Pod(uid(case, ordinal));
    for memory in [&mut case.memory, &mut case.plan.memory] {
        change(memory.holders.get_mut(&holder).unwrap());
    }
}

/// x-2 gets a new pod, for it rests after such a start from what it held.
fn started(case: &mut Case, kind: StartKind, confirmed: bool) {
    let pod = case.seen.pod_mut(2);
    let (pod, container) = (pod.uid.clone(), pod.container.clone().unwrap().id.unwrap());
    for memory in [&mut case.memory, &mut case.plan.memory] {
        let record = memory.holders.get_mut(&HolderId::Pod(pod.clone())).unwrap();
        let (from, measure) = (record.position().cloned(), record.reading.as_ref().unwrap().measure.clone());
        let (pod, container) = (pod.clone(), container.clone());
        let lock = Lock::NotHeld;
        record.starts += 1;
        record.open =
            vec![Start { kind, pod, container, confirmed, from, measure, lock, ..start(2, "last") }];
    }
    case.seen.ages.insert(Timer::StoppedOpen("last".into()), Age::Ripe);
    case.plan.memory.repairs.insert(name(2), 1);
    replaced(case, 2, Cause::Unconfirmed);
}

fn history(last: u64) -> Reading {
    Reading::At(Position::History(History::up_to("a", last)))
}

/// Who gets a new pod, where that is so.
const RIGHT: &[Right] = &[
    ("another holds more", |case| replaced(case, 2, Cause::Template)),
    ("another said while it ran that it holds more", |case| {
        known(case, 1, |record| record.running = record.reading.take());
        replaced(case, 2, Cause::Template);
    }),
    ("another said in an earlier outage, while it ran, that it holds a longer history", |case| {
        known(case, 2, |record| record.reading.as_mut().unwrap().reading = history(7));
        known(case, 1, |record| {
            record.running = record.reading.take();
            let said = record.running.as_mut().unwrap();
            (said.reading, said.measure.outage) = (history(9), said.measure.outage - 1);
        });
        replaced(case, 2, Cause::Template);
    }),
    ("another holds what its seed began with, which came to nothing", |case| {
        started(case, StartKind::Seed, false);
    }),
    ("it is given up", |case| {
        known(case, 1, |record| record.waived = true);
        replaced(case, 1, Cause::Template);
    }),
    ("it holds most, and there never was an epoch", |case| {
        (case.memory.epoch, case.plan.memory.epoch) = Default::default();
        for ordinal in [0, 1, 2] {
            known(case, ordinal, |record| (record.confirmed, record.epoch) = Default::default());
        }
        replaced(case, 1, Cause::Template);
    }),
    ("its data was being replaced", |case| {
        known(case, 1, |record| record.joining = true);
        replaced(case, 1, Cause::Template);
    }),
];

#[test]
fn data_that_ends_with_its_pod_is_not_ended_while_nobody_else_holds_it() {
    each_is_caught(
        &at_rest(),
        &[
            ("it holds most", &[Rule::DataAlone], |case| replaced(case, 1, Cause::Template)),
            ("it holds most, and others could follow", &[Rule::DataAlone], |case| {
                case.seen.target.has_secondary = true;
                replaced(case, 1, Cause::Template);
            }),
            ("the pod of who holds more is being deleted", &[Rule::DataAlone], |case| {
                case.seen.pod_mut(1).terminating = true;
                replaced(case, 2, Cause::Template);
            }),
            ("who holds more gives no answer", &[Rule::DataAlone], |case| {
                case.seen.pod_mut(1).status = Status::Silent("lost".to_owned());
                replaced(case, 2, Cause::Template);
            }),
            ("who holds more is given up", &[Rule::DataAlone], |case| {
                known(case, 1, |record| record.waived = true);
                replaced(case, 2, Cause::Template);
            }),
            ("who holds more said so before it was started once more", &[Rule::DataAlone], |case| {
                known(case, 1, |record| {
                    (record.running, record.starts) = (record.reading.take(), record.starts + 1);
                });
                replaced(case, 2, Cause::Template);
            }),
            (
                "who held as much as its seed began with said so in an earlier outage",
                &[Rule::DataAlone],
                |case| {
                    known(case, 0, |record| record.reading = None);
                    known(case, 1, |record| {
                        record.running = record.reading.take();
                        record.running.as_mut().unwrap().measure.outage -= 1;
                    });
                    known(case, 2, |record| record.reading.as_mut().unwrap().measure.outage -= 1);
                    started(case, StartKind::Seed, false);
                },
            ),
            ("others hold what its seed began with, and that came up", &[Rule::DataAlone], |case| {
                started(case, StartKind::Seed, true);
            }),
            ("others hold what its join began with", &[Rule::DataAlone], |case| {
                started(case, StartKind::Join, false);
            }),
            ("who holds more is of an older epoch", &[Rule::DataAlone], |case| {
                (case.memory.epoch.number, case.plan.memory.epoch.number) = (2, 2);
                for ordinal in [0, 1, 2] {
                    known(case, ordinal, |record| record.epoch.number += 1);
                }
                known(case, 2, |record| record.confirmed += 1);
                replaced(case, 2, Cause::Template);
            }),
        ],
    );
    each_is_right(&at_rest(), RIGHT);
}
