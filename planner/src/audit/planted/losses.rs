//! Bugs of a plan that begins an epoch without a member that is lost, in a set that runs on.

use super::{Case, Planted, Right, each_is_caught, each_is_right};
use crate::audit::Rule;
use crate::decide;
use crate::fixture::{holder, name, start};
use crate::memory::{Base, Epoch};
use crate::observation::{Fate, Role, Status};
use crate::position::{History, Position};
use crate::recall::loss::tests::{nine, said, stranded};
use crate::record::Record;
use crate::start::{Start, StartKind};
use crate::target::{Failover, Identities, Mode};

/// An epoch begins without x-2; x-0 said what it begins with.
fn without() -> Case {
    let (mut seen, memory) = stranded(|_, _| {});
    said(&mut seen, 0, nine());
    let mut plan = decide(&seen, &memory);
    assert_eq!(plan.memory.epoch.without, [holder(2)]);
    plan.steps.clear();
    Case { seen, memory, plan }
}

fn base(case: &mut Case) -> &mut Option<Base> {
    &mut case.plan.memory.epoch.base
}

/// Of another one, which gives no answer, this is heard: its join was never begun.
fn never_joined(case: &mut Case) {
    case.seen.pod_mut(1).status = Status::Silent("no route".to_owned());
    let record = case.memory.holders.get_mut(&holder(1)).unwrap();
    record.joining = true;
    record.open.push(Start { kind: StartKind::Join, ..start(1, "join") });
    case.seen.fates.insert("join".into(), Fate::Revoked);
}

const WITHOUT: &[Planted] = &[
    ("it was not away for long", &[Rule::Epoch], |case| case.seen.ages.clear()),
    ("its machine is heard of", &[Rule::Epoch], |case| {
        case.seen.nodes.get_mut(&"node-2".into()).unwrap().ready = true;
    }),
    ("no loss is allowed", &[Rule::Epoch], |case| case.seen.target.failover = Failover::NoKnownLoss),
    ("a person is asked each time", &[Rule::Epoch], |case| case.seen.target.mode = Mode::Ask),
    ("nobody is ever replaced", &[Rule::Epoch], |case| case.seen.target.replace_after = None),
    ("identities are numbers", &[Rule::Epoch], |case| case.seen.target.identities = Identities::Numbered),
    ("it begins with nothing", &[Rule::Epoch], |case| *base(case) = None),
    ("it begins with what nobody said", &[Rule::Epoch], |case| {
        base(case).as_mut().unwrap().position = Position::History(History::up_to("a", 8));
    }),
    ("who said it follows", &[Rule::Epoch], |case| {
        for ordinal in 0..2 {
            case.memory.holders.get_mut(&holder(ordinal)).unwrap().last = Some(Role::Secondary);
        }
    }),
    (
        "another one that gives no answer is left in the epoch before",
        &[Rule::Forgotten, Rule::Epoch],
        |case| {
            case.seen.pod_mut(1).status = Status::Silent("no route".to_owned());
            case.after(1).confirmed = 1;
        },
    ),
    ("so is one whose join never began", &[Rule::Forgotten, Rule::Epoch], |case| {
        never_joined(case);
        case.after(1).confirmed = 1;
    }),
    ("one that serves is given up with it", &[Rule::Epoch], |case| {
        case.plan.memory.epoch.without.push(holder(1));
    }),
    ("its data was being replaced", &[Rule::Epoch], |case| case.always(2, |record| record.joining = true)),
    ("its data was given up before", &[Rule::Epoch], |case| case.always(2, |record| record.waived = true)),
    ("its data was gone before", &[Rule::Epoch], |case| case.always(2, |record| record.ended = true)),
    ("there was no epoch that it could have been of", &[Rule::Epoch], |case| {
        let begins = Epoch { number: 1, ..case.plan.memory.epoch.clone() };
        for ordinal in 0..3 {
            let after = case.after(ordinal).clone();
            case.always(ordinal, |record| (record.confirmed, record.epoch) = Default::default());
            *case.after(ordinal) = Record { confirmed: after.confirmed - 1, epoch: begins.clone(), ..after };
        }
        (case.memory.epoch, case.plan.memory.epoch) = (Epoch::default(), begins);
    }),
    ("an outage is over by it", &[Rule::Epoch], |case| {
        case.memory.outage = Some(crate::memory::Outage::default());
    }),
    ("what was started of it is forgotten", &[Rule::Unproven], |case| case.after(2).open.clear()),
];

const RIGHT: &[Right] = &[
    ("another one gives no answer", |case| {
        case.seen.pod_mut(1).status = Status::Silent("no route".to_owned());
    }),
    ("the join of another one never began", never_joined),
    ("it followed, and no loss is allowed", |case| {
        case.seen.target.failover = Failover::NoKnownLoss;
        case.always(2, |record| record.last = Some(Role::Secondary));
    }),
    ("its pod is told to end on a machine that is heard of", |case| {
        case.seen.nodes.get_mut(&"node-2".into()).unwrap().ready = true;
        case.seen.pod_mut(2).terminating = true;
    }),
    ("its pod has ended on a machine that is heard of", |case| {
        case.seen.nodes.get_mut(&"node-2".into()).unwrap().ready = true;
        case.seen.pod_mut(2).finished = true;
    }),
    ("its claims are gone, too", |case| drop(case.seen.replicas.remove(&name(2)))),
];

#[test]
fn an_epoch_begins_without_the_lost_alone_and_with_what_was_said() {
    let case = without();
    each_is_right(&case, RIGHT);
    each_is_caught(&case, WITHOUT);
}

#[test]
fn who_an_epoch_began_without_is_not_changed_afterwards() {
    let mut case = without();
    case.memory = case.plan.memory.clone();
    case.plan = decide(&case.seen, &case.memory);
    each_is_caught(
        &case,
        &[
            ("another one was given up, too", &[Rule::Epoch], |case| {
                case.plan.memory.epoch.without.push(holder(1));
            }),
            ("nobody was", &[Rule::Epoch], |case| case.plan.memory.epoch.without.clear()),
        ],
    );
}
